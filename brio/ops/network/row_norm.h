// Normalises rows of the last axis to mean 0 and deviation 1, or to a root mean square of 1: the core of
// LayerNormalization and RMSNormalization. As plain ops a row is read from memory for every statistic; fused it is
// read once.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
// row_norm: x, scale, offset → y. row_norm_grad: x, scale, cotangent → the gradients of x, scale and offset.
extern const OpDef row_norm, row_norm_grad;
}  // namespace op

struct RowNormOptions {
  double epsilon = 1e-3;  // added to the variance, or to the mean square
  bool centered = true;   // false: the mean stays, and the mean square is that around 0
};
// (x - mean) / √(variance + epsilon) · scale + offset, scale and offset being vectors along the last axis.
Tensor row_norm(const Tensor& x, const Tensor& scale, const Tensor& offset, RowNormOptions options = {});

// Attributes, for kernels.
struct RowNormForm {
  RowNormForm(const Shape& x, Attrs attrs);
  double epsilon;
  bool centered;
  int64_t rows = 1, columns;
};

}  // namespace brio
