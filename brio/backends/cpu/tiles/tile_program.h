// A chain of elementwise operations, and reductions of their results, as one pass over cache-sized tiles.
//
//   TileProgram program;                                   // mean-free loss: sum((a - b)²) over rows
//   program.space = Shape{rows, columns};
//   program.inputs = {{f32, {columns, 1}}, {f32, {columns, 1}}};
//   program.steps = {{find_tile_fn("squared_difference", f32, f32), f32, {0, 1, -1}}};
//   program.reductions = {{2, ReduceKind::sum}};
//   program.reduced_mask = 0b10;
//   TileKernel kernel(std::move(program));                 // once
//   kernel.run(inputs, outputs, scratch);                  // many times, from any thread
//
// Every step rounds its result to its dtype, so a chain gives the bits of its operations run one by one.
// Results do not depend on the number of threads, nor on which elementwise steps are fused into a reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/tensor/dtype.h"
#include "brio/tensor/shape.h"

namespace brio::cpu {

enum class ReduceKind : uint8_t { sum, prod, max, min, any, all };  // mean is a sum and a division in the IR

struct TileProgram {
  Shape space;  // iteration space, row-major, innermost last
  struct Input {
    DType dtype;
    int64_t strides[kMaxRank];  // element strides in the space; 0 = broadcast along it
    // Instead of strides: row r of the space, of the dims after the first, is the input's row places[r], where
    // `places` is an input of its own, and the last row for a place outside.
    int32_t places = -1;
    int64_t rows = 0;        // of this input
    bool is_places = false;  // no register: it says where another input's rows are
  };
  struct Constant {
    DType dtype;
    uint64_t bits;  // little-endian element bits, the same for every element
  };
  struct Step {
    TileFn fn;
    DType dtype;     // of the result
    int32_t src[3];  // register numbers, or -1
  };
  // Registers: the inputs first, then the constants, then one per step in order.
  struct Output {
    int32_t reg;  // written dense over the whole space
  };
  struct Reduction {
    int32_t reg;  // written dense over the dims that are kept
    ReduceKind kind;
  };
  std::vector<Input> inputs;
  std::vector<Constant> constants;
  std::vector<Step> steps;
  std::vector<Output> outputs;
  std::vector<Reduction> reductions;
  uint8_t reduced_mask = 0;  // bit i: dim i of the space is reduced, for every reduction
};

struct TilePlan;

class TileKernel {
 public:
  explicit TileKernel(const TileProgram& program);  // throws InternalError when the program is malformed
  ~TileKernel();
  TileKernel(TileKernel&&) noexcept;
  TileKernel& operator=(TileKernel&&) noexcept;

  // What run() needs besides the tensors, 64-byte aligned. Depends on the program alone.
  size_t scratch_bytes() const;
  size_t heap_bytes() const;

  // Pointers: the inputs in order; the outputs in order, then the reductions in order. An output may be
  // exactly an input (same address, that input dense): each element is then read before it is written. A
  // reduction of an empty range gives 0, 1, -inf, +inf (the lowest and highest integer), false or true. Does
  // not allocate.
  void run(const void* const* inputs, void* const* outputs, void* scratch) const;

 private:
  std::unique_ptr<const TilePlan> plan_;
};

}  // namespace brio::cpu
