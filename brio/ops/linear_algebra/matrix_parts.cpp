#include "brio/ops/linear_algebra/matrix_parts.h"

#include <algorithm>
#include <cstdlib>

#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

struct Matrix {
  Size rows, columns;
  Matrix(std::string_view function, const Tensor& x) {
    const Shape& shape = required(function, x).shape();
    if (shape.rank() < 2) throw_invalid(function, cat("takes matrices, but got shape ", shape));
    rows = shape[shape.rank() - 2];
    columns = shape[shape.rank() - 1];
  }
  // How long the diagonal k is.
  Size diagonal(std::string_view function, int64_t k) const {
    if (k != 0 && (k + rows <= 0 || k >= columns))
      throw_invalid(function,
                    cat("diagonal ", k, " lies outside of a matrix of ", rows, " rows and ", columns, " columns"));
    return min(rows + std::min<int64_t>(k, 0), columns - std::max<int64_t>(k, 0));
  }
  // The column of every element, and where the diagonal k passes through its row: the two are compared.
  Tensor column() const { return iota(columns, counter()); }
  Tensor diagonal_at(int64_t k) const {
    return expand_dims(iota(rows, counter()) + constant(max(min(Size(k), columns), 0 - rows), counter()), 1);
  }
  DType counter() const { return counter_dtype(rows + columns); }
};

Tensor zero_of(DType dtype) { return dtype == boolean ? constant(false, dtype) : constant(0, dtype); }

// `diagonal` where the diagonal k of x is.
Tensor with_diagonal(const Tensor& x, const Matrix& matrix, const Tensor& diagonal, int64_t k) {
  // It starts in row 0 or in column 0: its elements are known by row or by column, and it is filled up to as many.
  const Size missing = (k >= 0 ? matrix.rows : matrix.columns) - diagonal.shape()[diagonal.rank() - 1];
  std::vector<Padding> behind(static_cast<size_t>(diagonal.rank()));
  behind.back().high = missing;
  return select(equal(matrix.column(), matrix.diagonal_at(k)), expand_dims(pad(diagonal, behind), k >= 0 ? -1 : -2),
                x);
}

Tensor keep(const Tensor& x, const Tensor& where) { return select(where, x, zero_of(x.dtype())); }

}  // namespace

namespace linalg {

Tensor diag(const Tensor& diagonal, int64_t k) {
  if (required("diag", diagonal).rank() == 0) throw_invalid("diag", "takes vectors, but got a scalar");
  std::vector<Size> dims(diagonal.shape().begin(), diagonal.shape().end());
  dims.back() += k < 0 ? 0 - Size(k) : Size(k);
  dims.push_back(dims.back());
  const Tensor none = broadcast_to(zero_of(diagonal.dtype()), checked_shape("diag", dims));
  return with_diagonal(none, Matrix("diag", none), diagonal, k);
}

Tensor diag_part(const Tensor& x, int64_t k) {
  const Matrix matrix("diag_part", x);
  const Size length = matrix.diagonal("diag_part", k), step = matrix.columns + 1;
  // Rows one after another: the diagonal is every (columns + 1)-th element.
  std::vector<Size> flat(x.shape().begin(), x.shape().end() - 1);
  flat.back() *= matrix.columns;
  const Size first = k >= 0 ? Size(k) : (0 - Size(k)) * matrix.columns;
  std::vector<Range> ranges(flat.size());
  ranges.back() = {first, length == 0 ? first : first + (length - 1) * step + 1, step};
  return slice(reshape(x, Shape(flat)), ranges);
}

Tensor set_diag(const Tensor& x, const Tensor& diagonal, int64_t k) {
  const Matrix matrix("set_diag", x);
  const Size length = matrix.diagonal("set_diag", k);
  std::vector<Size> expected(x.shape().begin(), x.shape().end() - 1);
  expected.back() = length;
  if (required("set_diag", diagonal, 1).shape() != Shape(expected))
    throw_invalid("set_diag", cat("the diagonal ", k, " of shape ", x.shape(), " has shape ", Shape(expected),
                                  ", but got ", diagonal.shape()));
  return with_diagonal(x, matrix, diagonal, k);
}

Tensor band_part(const Tensor& x, int64_t lower, int64_t upper) {
  const Matrix matrix("band_part", x);
  // A negative number of diagonals means all of them: nothing is to be compared on that side.
  const auto above = [&] { return less_equal(matrix.column(), matrix.diagonal_at(upper)); };
  const auto below = [&] { return greater_equal(matrix.column(), matrix.diagonal_at(-lower)); };
  if (lower < 0 && upper < 0) return x;
  return keep(x, lower < 0 ? above() : upper < 0 ? below() : logical_and(above(), below()));
}

Tensor trace(const Tensor& x) {
  const Matrix matrix("trace", x);
  return sum(diag_part(x, 0), -1);
}

Tensor matrix_transpose(const Tensor& x) {
  const Matrix matrix("matrix_transpose", x);
  return swapaxes(x, -1, -2);
}

}  // namespace linalg

Tensor tril(const Tensor& x, int64_t k) {
  const Matrix matrix("tril", x);
  return keep(x, less_equal(matrix.column(), matrix.diagonal_at(k)));
}
Tensor triu(const Tensor& x, int64_t k) {
  const Matrix matrix("triu", x);
  return keep(x, greater_equal(matrix.column(), matrix.diagonal_at(k)));
}

}  // namespace brio
