#include "brio/ops/linear_algebra/linear_algebra.h"

#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/matrices.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::linalg {
namespace {

double epsilon_of(DType dtype) {
  return dtype == f64 ? std::numeric_limits<double>::epsilon()
                      : static_cast<double>(std::numeric_limits<float>::epsilon());
}

const Shape& matrices(std::string_view function, const Tensor& a, int input = 0) {
  const Shape& shape = required(function, a, input).shape();
  if (shape.rank() < 2)
    throw_invalid(function, cat("takes matrices, but input ", input, " has shape ", shape,
                                "; a vector becomes a column by expand_dims(x, -1)"));
  return shape;
}

// 1 / s where s > cutoff · the largest, else 0.
Tensor inverted(const Tensor& s, double cutoff) {
  const DType dtype = s.dtype();
  if (s.size() == 0) return s;
  const Tensor counts = s > constant(cutoff, dtype) * max(s, -1, true);
  return select(counts, constant(1, dtype) / select(counts, s, constant(1, dtype)), constant(0, dtype));
}

}  // namespace

Tensor cholesky_solve(const Tensor& l, const Tensor& b) {
  return triangular_solve(l, triangular_solve(l, b), {.adjoint = true});
}

Tensor lstsq(const Tensor& a, const Tensor& b, LstsqOptions options) {
  const std::string_view self = "lstsq";
  const Matrices m(matrices(self, a)), sides(matrices(self, b, 1));
  if (m.rows != sides.rows)
    throw_invalid(self, cat("matrices of shape ", a.shape(), " need right-hand sides of ", m.rows, " rows, but got ",
                            b.shape()));
  if (!(options.l2_regularizer >= 0))
    throw_invalid(self, cat("l2_regularizer is ", options.l2_regularizer, "; it must be 0 or more"));
  if (!options.fast) {
    const auto [s, u, v] = svd(a);
    const Tensor scale = inverted(s, epsilon_of(a.dtype()) * static_cast<double>(m.smaller()));
    return matmul(v, expand_dims(scale, -1) * matmul(u, b, {.transpose_a = true}));
  }
  const bool tall = m.rows >= m.columns;
  const Tensor gram = matmul(a, a, {.transpose_a = tall, .transpose_b = !tall});
  const Tensor ridge = constant(options.l2_regularizer, a.dtype()) * eye(m.smaller(), -1, a.dtype());
  const Tensor l = cholesky(options.l2_regularizer == 0 ? gram : gram + ridge);
  if (tall) return cholesky_solve(l, matmul(a, b, {.transpose_a = true}));
  return matmul(a, cholesky_solve(l, b), {.transpose_a = true});
}

Tensor pinv(const Tensor& a, std::optional<double> rcond) {
  const Matrices m(matrices("pinv", a));
  const auto larger = static_cast<double>(std::max(m.rows, m.columns));
  const auto [s, u, v] = svd(a);
  const Tensor scale = inverted(s, rcond.value_or(10 * larger * epsilon_of(a.dtype())));
  return matmul(v * expand_dims(scale, -2), u, {.transpose_b = true});
}

Tensor matrix_rank(const Tensor& a, std::optional<double> tol) {
  const Matrices m(matrices("matrix_rank", a));
  const Tensor s = svdvals(a);
  if (m.smaller() == 0) return sum(cast(s, i32), -1);
  const auto larger = static_cast<double>(std::max(m.rows, m.columns));
  const Tensor bound =
      tol ? constant(*tol, a.dtype()) : constant(epsilon_of(a.dtype()) * larger, a.dtype()) * max(s, -1, true);
  return sum(cast(s > bound, i32), -1);
}

}  // namespace brio::linalg
