// Two f32 steps as one kernel. A step of a chain costs little more than its loads and its store, so doing two
// per pass over a tile saves almost half; each still rounds its own result, so the bits are those of the two
// steps.
#pragma once

#include "brio/backends/cpu/tile_ops.h"
#include "brio/backends/cpu/tile_program.h"

namespace brio::cpu {

// The kernel for second(first(a, b), c), or second(c, first(a, b)) with `swapped`; operands that a function
// does not take are left out (first(a) and c: sources a, c). nullptr when the two are not offered as a pair.
TileFn find_tile_pair(TileFn first, TileFn second, bool swapped);

// The program with every step whose only reader is the step after it joined to that, where there is a kernel.
TileProgram join_pairs(TileProgram program);

}  // namespace brio::cpu
