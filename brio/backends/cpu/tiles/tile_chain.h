// Runs of f32 arithmetic that stay in vector registers. A step of a tile program that stores its tile for the next
// step to load costs more than its arithmetic. In a chain eight vectors go through all the steps first, and only
// values that other steps read are stored. Each step still rounds its own result: the bits are those of the steps.
//
// A chain is threaded code: every link does its work on the vectors that it gets as arguments, which the calling
// convention keeps in registers, and jumps to the next link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brio/backends/cpu/tiles/tile_program.h"

namespace brio::cpu {

struct ChainLink {
  void (*fn)();  // of the type that the instruction set and the width ask for
  int32_t reg;   // the operand that is not the value in flight
};

struct Chain {
  // The same links for eight vectors, for one, and for the elements that do not fill one.
  std::vector<ChainLink> wide, single, tail;
  void (*run)(const Chain& chain, void* const* registers, size_t n);
};

// Can a chain do this step?
bool chainable(const TileProgram::Step& step);

// What make_chain needs to know of a register.
struct ChainRegister {
  bool splat;   // one value for all elements: registers[reg] points to it
  bool stored;  // another step than the next link reads it
};

// The steps, which are chainable, as one chain; the first one's result is register `first`.
Chain make_chain(std::span<const TileProgram::Step> steps, int32_t first, std::span<const ChainRegister> registers);

}  // namespace brio::cpu
