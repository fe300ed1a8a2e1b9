// Systems of linear equations: solved, inverted, and their determinants. Matrices are the last two axes; the axes
// before them are a batch. float32 and float64.
//
// A singular matrix is an error during the run, which names the op and the matrix. A matrix with NaN or an infinity
// gives NaN.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef solve, triangular_solve, inv, slogdet;
}

namespace linalg {

struct SolveOptions {
  bool adjoint = false;  // of the transposed matrix
};
// x of a · x = b; leading dimensions broadcast.
Tensor solve(const Tensor& a, const Tensor& b, SolveOptions options = {});
struct TriangularSolveOptions {
  bool lower = true;  // the other triangle is not read
  bool adjoint = false;
};
// The same for a triangle. A zero on the diagonal gives infinities, like a division by zero.
Tensor triangular_solve(const Tensor& a, const Tensor& b, TriangularSolveOptions options = {});
Tensor inv(const Tensor& a, SolveOptions options = {});
// The sign of the determinant and the logarithm of its absolute value; 0 and -inf for a singular matrix.
struct SignAndLog {
  Tensor sign, log_abs_determinant;
};
SignAndLog slogdet(const Tensor& a);
Tensor det(const Tensor& a);
Tensor logdet(const Tensor& a);  // of a positive definite matrix, from its cholesky factor

}  // namespace linalg

// Attributes, for kernels.
inline bool solves_adjoint(Attrs attrs) { return attrs[0] != 0; }
inline bool solves_lower(Attrs attrs) { return attrs[1] != 0; }
// For kernels: throws InvalidArgument.
[[noreturn]] void throw_singular(const OpDef& op, const Shape& shape, int64_t matrix);

}  // namespace brio
