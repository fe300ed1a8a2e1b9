// The inner loops of reductions. The order in which elements are combined is fixed by their number alone: it
// is the same on every instruction set, for any number of threads, and whether or not elementwise work is
// fused in front.
//
// A run of n elements is reduced so:
//   n ≤ 16         one after the other
//   n ≤ kBlock     element i goes to lane i mod 64; then lanes l and l + 32 combine, l and l + 16, … down to
//   one longer         blocks of kBlock, combined pairwise (block 0 with 1, 2 with 3, then those results, …)
#pragma once

#include <cstddef>
#include <cstdint>

#include "brio/backends/cpu/tiles/tile_program.h"
#include "brio/tensor/dtype.h"

namespace brio::cpu {

inline constexpr size_t kReduceLanes = 64;
inline constexpr size_t kReduceBlock = 4096;
inline constexpr size_t kSequentialRun = 16;

struct ReduceKernel {
  DType accumulator;  // f32 for f16 and bf16, else the dtype itself; all pointers below hold this type
  uint64_t identity;  // element bits
  TileFn combine;     // out[i] = a[i] ∘ b[i]
  TileFn widen;       // source dtype → accumulator, null when they are the same
  TileFn narrow;      // accumulator → result dtype, null when they are the same

  // out[r] = reduction of source[r * length … (r + 1) * length), length ≤ kBlock.
  void (*rows)(void* out, const void* source, size_t rows, size_t length);
  // lanes[i mod 64] ∘= source[i] for i < n.
  void (*lanes)(void* lanes, const void* source, size_t n);
  void (*fold)(void* out, const void* lanes);
  // accumulator[j] ∘= source[r * width + j] for r = 0, 1, … in order.
  void (*columns)(void* accumulator, const void* source, size_t rows, size_t width);
};

// For a reduction of elements of `dtype` to the same dtype. Throws InternalError where kind has no meaning
// (any of f32).
ReduceKernel find_reduce_kernel(ReduceKind kind, DType dtype);

}  // namespace brio::cpu
