#include "brio/ops/reductions/statistics.h"

#include <algorithm>
#include <cmath>

#include "brio/ops/check.h"
#include "brio/ops/concrete.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/nd_indexing.h"
#include "brio/ops/linear_algebra/factorizations.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

const Tensor& floating(std::string_view function, const Tensor& x) {
  if (!is_floating(required(function, x).dtype()))
    throw_invalid(function, cat("takes floating-point tensors, but got ", x.dtype(), "; cast it first"));
  return x;
}

// The shape of a reduction of x without keepdims, for what was computed with them.
Tensor without_dims(const Tensor& reduced, const Tensor& x, const Axes& axes, bool keepdims) {
  if (keepdims) return reduced;
  const uint32_t mask = axes.mask(op::reduce_sum, x.shape());
  Shape shape;
  for (int i = 0; i < x.rank(); ++i)
    if (!(mask >> i & 1)) shape.push_back(x.shape()[i]);
  return reshape(reduced, shape);
}

}  // namespace

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdims) {
  const Tensor largest = max(floating("logsumexp", x), axes, true);
  // It only moves the range, so it takes no gradient; an infinite one would make NaN of the others.
  const Tensor shift = stop_gradient(select(is_finite(largest), largest, constant(0, x.dtype())));
  return without_dims(log(sum(exp(x - shift), axes, true)) + shift, x, axes, keepdims);
}

Tensor variance(const Tensor& x, const Axes& axes, bool keepdims) {
  return mean(squared_difference(floating("variance", x), mean(x, axes, true)), axes, keepdims);
}
Tensor standard_deviation(const Tensor& x, const Axes& axes, bool keepdims) {
  return sqrt(variance(floating("standard_deviation", x), axes, keepdims));
}
Tensor euclidean_norm(const Tensor& x, const Axes& axes, bool keepdims) {
  return sqrt(sum(square(floating("euclidean_norm", x)), axes, keepdims));
}

Tensor norm(const Tensor& x, double order, std::optional<int> axis, bool keepdims) {
  floating("norm", x);
  if (!(order > 0)) throw_invalid("norm", cat("the order is ", order, "; it must be positive"));
  const Axes axes = axis ? Axes(positive_axis("norm", *axis, x.rank())) : Axes();
  if (order == 1) return sum(abs(x), axes, keepdims);
  if (order == 2) return euclidean_norm(x, axes, keepdims);
  if (std::isinf(order)) return max(abs(x), axes, keepdims);
  const Tensor total = sum(pow(abs(x), constant(order, x.dtype())), axes, keepdims);
  return pow(total, constant(1 / order, x.dtype()));
}

Tensor matrix_norm(const Tensor& x, MatrixNorm which, int rows, int columns, bool keepdims) {
  const std::string_view self = "matrix_norm";
  const int row = positive_axis(self, rows, floating(self, x).rank()),
            column = positive_axis(self, columns, x.rank());
  if (row == column) throw_invalid(self, cat("axes ", rows, " and ", columns, " are the same"));
  const Axes both{row, column};
  if (which == MatrixNorm::frobenius) return euclidean_norm(x, both, keepdims);
  if (which == MatrixNorm::spectral || which == MatrixNorm::nuclear) {
    std::vector<int> order;
    for (int i = 0; i < x.rank(); ++i)
      if (i != row && i != column) order.push_back(i);
    order.insert(order.end(), {row, column});
    const Tensor values = linalg::svdvals(transpose(x, order));
    const Tensor folded = which == MatrixNorm::spectral ? max(values, -1) : sum(values, -1);
    return keepdims ? reshape(folded, sum(x, both, true).shape()) : folded;
  }
  const bool of_columns = which == MatrixNorm::one;  // a column's elements lie along the axis of rows
  const Tensor sums = sum(abs(x), of_columns ? row : column, true);
  return without_dims(max(sums, of_columns ? column : row, true), x, both, keepdims);
}

Moments moments(const Tensor& x, const Axes& axes, bool keepdims) {
  const DType dtype = floating("moments", x).dtype();
  const bool narrow = dtype == f16 || dtype == bf16;
  const Tensor wide = narrow ? cast(x, f32) : x;
  const Tensor centre = mean(wide, axes, true);
  const Tensor spread = mean(squared_difference(wide, centre), axes, true);
  const auto finish = [&](const Tensor& y) {
    const Tensor shaped = without_dims(y, x, axes, keepdims);
    return narrow ? cast(shaped, dtype) : shaped;
  };
  return {finish(centre), finish(spread)};
}

Tensor count_nonzero(const Tensor& x, const Axes& axes, bool keepdims, DType dtype) {
  const bool is_bool = required("count_nonzero", x).dtype() == boolean;
  return sum(cast(is_bool ? x : not_equal(x, constant(0, x.dtype())), dtype), axes, keepdims);
}

Tensor bincount(const Tensor& x, const BincountOptions& options) {
  const std::string_view self = "bincount";
  if (!is_integer(required(self, x).dtype()))
    throw_invalid(self, cat("takes integers, but got ", x.dtype(), "; cast it first"));
  if (options.weights.defined() && options.weights.shape() != x.shape())
    throw_invalid(self, cat("the weights have shape ", options.weights.shape(), ", but the values ", x.shape()));
  if (options.minlength < 0 || options.maxlength.value_or(0) < 0)
    throw_invalid(
        self, cat("minlength ", options.minlength, " and maxlength ", options.maxlength.value_or(0), " must be ≥ 0"));
  constexpr int64_t kMost = int64_t{1} << 60;  // no shape has room for more
  int64_t length = std::min(options.minlength, kMost);
  if (options.maxlength != length)
    for (int64_t value : concrete_integers(self, x, "give minlength and maxlength the same number")) {
      // Before room is made for the others, which may be as many as there are integers.
      if (value < 0) throw_invalid(self, cat("counts integers from 0 on, but one is ", value));
      length = std::max(length, std::min(value, kMost) + 1);
    }
  length = std::min(length, options.maxlength.value_or(length));
  const Tensor weights =
      options.weights.defined() ? options.weights : broadcast_to(constant(1, options.dtype), x.shape());
  // What is too large falls into one place more, so that a negative value alone is an error.
  const DType index = x.dtype() == i32 ? counter_dtype(length) : i64;
  const Tensor at = minimum(cast(x, index), constant(length, index));
  const Tensor counts =
      scatter_nd(expand_dims(reshape(at, Shape{x.size()}), 1), reshape(weights, Shape{x.size()}), Shape{length + 1});
  return slice(counts, {Range{0, length}});
}

Tensor histogram_fixed_width(const Tensor& x, double low, double high, int64_t bins, DType dtype) {
  const std::string_view self = "histogram_fixed_width";
  if (!(low < high))
    throw_invalid(self, cat("the range [", low, ", ", high, "] is empty; its start must lie before its end"));
  if (bins < 1) throw_invalid(self, cat("there are ", bins, " bins; there must be 1 or more"));
  const Tensor values = is_floating(required(self, x).dtype()) ? x : cast(x, f64);
  const DType d = values.dtype();
  const Tensor step = constant((high - low) / static_cast<double>(bins), d);
  // Cut to the range before it becomes an integer, so that it fits one.
  const Tensor scaled = (values - constant(low, d)) / step;
  const Tensor last = constant(static_cast<double>(bins - 1), d);
  const Tensor cut = minimum(maximum(scaled, constant(0, d)), last);
  const Tensor bin = cast(select(is_nan(values), constant(-1, d), cut), i64);
  return scatter_where_not_negative(op::tensor_scatter_add, zeros({bins}, dtype), reshape(bin, Shape{x.size(), 1}),
                                    ones({x.size()}, dtype));
}

}  // namespace brio
