// The loops of resample. Private to this room.
#pragma once

#include <cstdint>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

// x seen as [outer, from, inner], the result as [outer, to, inner]; index and weights as [taps, to].
struct ResampleCall {
  int64_t outer, from, inner, to, taps;
  const void* x;
  const int32_t* index;  // checked
  const void* weights;
  void* out;
};
// Slices i of [begin, end), counted over outer × to. Each of a slice's elements is rounded after every product and
// sum.
using ResampleFn = void (*)(const ResampleCall& call, int64_t begin, int64_t end);
ResampleFn find_resample(DType dtype, int64_t inner);  // of f32 or f64

}  // namespace brio::cpu
