// Tensors as batches of matrices, which are their last two axes: shared by shape rules and kernels of linear
// algebra.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/ops/check.h"

namespace brio {

// Kernels get numbers as sizes.
template <typename N>
struct MatricesOf {
  N rows, columns, batch = 1;
  explicit MatricesOf(const Shape& shape) : rows(shape[shape.rank() - 2]), columns(shape[shape.rank() - 1]) {
    for (int i = 0; i + 2 < shape.rank(); ++i) batch *= shape[i];
  }
  N elements() const { return rows * columns; }
  N smaller() const { return min(Size(rows), Size(columns)); }
  N larger() const { return max(Size(rows), Size(columns)); }
};
using Matrices = MatricesOf<int64_t>;
using OpenMatrices = MatricesOf<Size>;

// For shape rules: input i is matrices of float32 or float64.
inline const Aval& check_matrices(const OpCall& call, size_t i = 0) {
  const Aval& x = *call.in[i];
  if (x.dtype != f32 && x.dtype != f64)
    throw_invalid(call.op, cat("takes float32 or float64, but got ", x.dtype, "; cast it first"));
  if (x.shape.rank() < 2) throw_invalid(call.op, cat("takes matrices, but got shape ", x.shape));
  if (surely_less(std::numeric_limits<int32_t>::max(), OpenMatrices(x.shape).larger()))
    throw_invalid(call.op, cat("matrices of shape ", x.shape, " are larger than 32-bit integers count"));
  return x;
}
inline const Aval& check_square(const OpCall& call) {
  const Aval& x = check_matrices(call);
  const OpenMatrices m(x.shape);
  if (m.rows != m.columns) throw_invalid(call.op, cat("takes square matrices, but got shape ", x.shape));
  return x;
}

// The shape of `shape`'s batch with other last axes.
inline Shape with_last(const Shape& shape, std::initializer_list<Size> last) {
  Shape result(shape.dims().first(static_cast<size_t>(shape.rank() - 2)));
  for (const Size dim : last) result.push_back(dim);
  return result;
}

// For kernels. A matrix with a number that is not finite has NaN as its factors, as in TensorFlow, and no algorithm
// has to converge on it.
template <typename T>
bool all_finite(const T* x, int64_t count) {
  bool finite = true;
  for (int64_t i = 0; i < count; ++i) finite &= std::fabs(x[i]) <= std::numeric_limits<T>::max();
  return finite;
}

}  // namespace brio
