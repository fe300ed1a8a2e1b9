// The rest of tf.linalg, composed of factorizations and solutions. Matrices are the last two axes.
#pragma once

#include <optional>

#include "brio/ir/tensor.h"
#include "brio/ops/linear_algebra/factorizations.h"
#include "brio/ops/linear_algebra/linear_solve.h"

namespace brio::linalg {

// x of l · lᵀ · x = b, where l is a factor that cholesky gave.
Tensor cholesky_solve(const Tensor& l, const Tensor& b);

struct LstsqOptions {
  double l2_regularizer = 0;  // of the fast way alone, as in TensorFlow
  bool fast = true;
};
// x with the least |a · x - b|² + l2 |x|²; if there are several, the shortest. The fast way uses the normal
// equations, so a must have full rank or a regularizer (its error is cholesky's). The other way takes any matrix, by
// its singular values.
Tensor lstsq(const Tensor& a, const Tensor& b, LstsqOptions options = {});

// Singular values count from rcond (default 10 · larger side · epsilon) times the largest.
Tensor pinv(const Tensor& a, std::optional<double> rcond = {});
// How many singular values (int32) are above tol, by default epsilon · larger side times the largest.
Tensor matrix_rank(const Tensor& a, std::optional<double> tol = {});

}  // namespace brio::linalg
