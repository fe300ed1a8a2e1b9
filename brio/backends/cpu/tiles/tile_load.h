// Loads broadcast and strided inputs into a tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brio/backends/cpu/tiles/tile_plan.h"

namespace brio::cpu {

// Fills in everything of an InputPlan but its slot: merges dims, picks the kind.
InputPlan plan_input(const TileProgram::Input& input, const Shape& space, int64_t tile);

// n copies of one element, rounded up to whole 64-byte lines (slots are that long).
void fill_slot(void* slot, const void* element, size_t element_size, int64_t n);

}  // namespace brio::cpu
