// The rest of tf.math, tf.bitwise and tf.clip_by_…, composed of elementwise ops. Gradients and edge cases are
// TensorFlow's.
#pragma once

#include <span>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"
#include "brio/ops/reductions/reduction.h"

namespace brio {

// Products and quotients that are 0 if a factor or divisor is 0, for every other operand.
Tensor xlogy(const Tensor& x, const Tensor& y);            // x log(y); 0 where x is 0
Tensor xlog1py(const Tensor& x, const Tensor& y);          // x log(1 + y); 0 where x is 0
Tensor xdivy(const Tensor& x, const Tensor& y);            // x / y; 0 where x is 0
Tensor multiply_no_nan(const Tensor& x, const Tensor& y);  // x y; 0 where y is 0
Tensor divide_no_nan(const Tensor& x, const Tensor& y);    // x / y; 0 where y is 0
Tensor reciprocal_no_nan(const Tensor& x);

// Rounding and division. floordiv and floormod are Python's // and %, the others C's: cut towards 0.
Tensor rint(const Tensor& x);   // as round: halves to even
Tensor trunc(const Tensor& x);  // integers stay
Tensor floordiv(const Tensor& x, const Tensor& y);
Tensor floormod(const Tensor& x, const Tensor& y);
Tensor truncatediv(const Tensor& x, const Tensor& y);
Tensor truncatemod(const Tensor& x, const Tensor& y);

Tensor exp2(const Tensor& x);
Tensor log2(const Tensor& x);
Tensor log10(const Tensor& x);
Tensor hypot(const Tensor& x, const Tensor& y);      // sqrt(x² + y²), without overflow
Tensor logaddexp(const Tensor& x, const Tensor& y);  // log(exp(x) + exp(y)), without overflow
Tensor erfcinv(const Tensor& x);                     // inverse of erfc
Tensor deg2rad(const Tensor& x);
Tensor rad2deg(const Tensor& x);
// The polynomial with these coefficients, the highest power's first.
Tensor polyval(std::span<const Tensor> coefficients, const Tensor& x);
// NaN becomes `nan`; infinities become the largest and smallest finite number.
Tensor nan_to_num(const Tensor& x, double nan = 0);

Tensor bitwise_not(const Tensor& x);  // tf.bitwise.invert

// x cut to [low, high], which broadcast to x's shape.
Tensor clip_by_value(const Tensor& x, const Tensor& low, const Tensor& high);
Tensor clip_by_value(const Tensor& x, Scalar low, Scalar high);
// x scaled down to this length along axes, where it is longer.
Tensor clip_by_norm(const Tensor& x, const Tensor& clip_norm, const Axes& axes = {});
Tensor clip_by_norm(const Tensor& x, Scalar clip_norm, const Axes& axes = {});
// The length of all tensors together. Tensors that are "none" are skipped.
Tensor global_norm(std::span<const Tensor> tensors);
struct ClippedByGlobalNorm {
  std::vector<Tensor> tensors;
  Tensor norm;  // before
};
// Scales all tensors down to this total length if they exceed it; NaN if the length is not finite.
ClippedByGlobalNorm clip_by_global_norm(std::span<const Tensor> tensors, const Tensor& clip_norm);
ClippedByGlobalNorm clip_by_global_norm(std::span<const Tensor> tensors, Scalar clip_norm);

}  // namespace brio
