// Normalising rows, and the gradients of it: a row and its cotangent come from memory once and stay in the cache
// while their statistics are taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

struct RowNormCall {
  DType dtype;  // f32 or f64
  int64_t rows, columns;
  double epsilon;
  bool centered;
  const void *x, *scale;
  const void* offset;       // forward
  const void* g;            // backward: the cotangent
  void* out;                // the result, or the gradient of x; may be x or g
  void *dscale, *doffset;   // backward
  void* scratch = nullptr;  // backward: row_norm_scratch() bytes
};

void row_norm(const RowNormCall& call);
size_t row_norm_scratch(DType dtype, int64_t rows, int64_t columns);
void row_norm_grad(const RowNormCall& call);

}  // namespace brio::cpu
