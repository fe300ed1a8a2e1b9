#include "brio/ops/linear_algebra/linear_solve.h"

#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/linear_algebra/factorizations.h"
#include "brio/ops/linear_algebra/matrices.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kSolveAttrs[] = {{"adjoint", AttrKind::flag}};
constexpr AttrSpec kTriangularAttrs[] = {{"adjoint", AttrKind::flag}, {"lower", AttrKind::flag}};

void infer_solve(const OpCall& call, std::vector<Aval>& out) {
  const Aval &a = check_square(call), &b = check_matrices(call, 1);
  if (a.dtype != b.dtype)
    throw_invalid(call.op, cat("the matrices are ", a.dtype, ", but the right-hand sides ", b.dtype, "; cast one"));
  const OpenMatrices m(a.shape), sides(b.shape);
  if (m.rows != sides.rows)
    throw_invalid(call.op, cat("matrices of shape ", a.shape, " need right-hand sides of ", m.rows, " rows, but got ",
                               b.shape));
  if (with_last(a.shape, {}) != with_last(b.shape, {}))
    throw_invalid(call.op, cat("the leading dimensions of ", a.shape, " and ", b.shape, " differ"));
  out.push_back(b);
}
void infer_inv(const OpCall& call, std::vector<Aval>& out) { out.push_back(check_square(call)); }
void infer_slogdet(const OpCall& call, std::vector<Aval>& out) {
  const Aval& a = check_square(call);
  const Aval one{with_last(a.shape, {}), a.dtype};
  out.push_back(one);
  out.push_back(one);
}

double lu_flops(const Shape& shape) {
  const Matrices m(shape);
  const auto n = static_cast<double>(m.rows);
  return static_cast<double>(m.batch) * 2 / 3 * n * n * n;
}
template <bool factorizes>
Cost solve_cost(const OpCall& call, std::span<const Aval> out) {
  const Matrices sides(out[0].shape);
  const auto n = static_cast<double>(sides.rows);
  const double per_side = (factorizes ? 2 : 1) * n * n;
  return {(factorizes ? lu_flops(call.in[0]->shape) : 0) +
              per_side * static_cast<double>(sides.columns) * static_cast<double>(sides.batch),
          total_bytes(call, out)};
}
template <int lus>
Cost lu_cost(const OpCall& call, std::span<const Aval> out) {
  return {lus * lu_flops(call.in[0]->shape), total_bytes(call, out)};
}

// With x = a⁻¹ b: db = a⁻ᵀ c and da = -db xᵀ; of the transposed system -x dbᵀ.
Tensor grad_of_matrix(const Tensor& grad_b, const Tensor& x, bool adjoint) {
  return -(adjoint ? matmul(x, grad_b, {.transpose_b = true}) : matmul(grad_b, x, {.transpose_b = true}));
}
void grad_solve(GradContext& g) {
  const bool adjoint = solves_adjoint(g.attrs);
  const Tensor grad_b = linalg::solve(g.in[0], g.cotangent(), {.adjoint = !adjoint});
  if (g.needs(0)) g.set(0, grad_of_matrix(grad_b, g.out[0], adjoint));
  if (g.needs(1)) g.set(1, grad_b);
}
void grad_triangular(GradContext& g) {
  const bool adjoint = solves_adjoint(g.attrs), lower = solves_lower(g.attrs);
  const Tensor grad_b = linalg::triangular_solve(g.in[0], g.cotangent(), {.lower = lower, .adjoint = !adjoint});
  const Tensor all = g.needs(0) ? grad_of_matrix(grad_b, g.out[0], adjoint) : Tensor();
  if (g.needs(0)) g.set(0, lower ? tril(all) : triu(all));
  if (g.needs(1)) g.set(1, grad_b);
}
void grad_inv(GradContext& g) {
  const Tensor& y = g.out[0];
  g.set(0, -matmul(matmul(y, g.cotangent(), {.transpose_a = true}), y, {.transpose_b = true}));
}
void grad_slogdet(GradContext& g) {
  if (!g.cotangents[1].defined()) return;  // the sign does not change
  const Tensor scale = expand_dims(expand_dims(g.cotangents[1], -1), -1);
  g.set(0, scale * linalg::inv(g.in[0], {.adjoint = true}));
}

constexpr uint8_t kNeedsMatrix = 1;

// The batches of both broadcast to one.
Tensor recorded(const OpDef& op, const Tensor& a, const Tensor& b, std::span<const int64_t> attrs) {
  const Shape &of_a = required(op, a).shape(), &of_b = required(op, b, 1).shape();
  if (of_a.rank() < 2 || of_b.rank() < 2) return record(op, attrs, a, b);  // the shape rule refuses
  const Shape batch_a = with_last(of_a, {}), batch_b = with_last(of_b, {});
  Shape batch;
  if (batch_a == batch_b) return record(op, attrs, a, b);
  if (!broadcast(batch_a, batch_b, batch))
    throw_invalid(op, cat("the leading dimensions of ", of_a, " and ", of_b, " do not broadcast"));
  const auto spread = [&](const Tensor& x) {
    Shape shape = batch;
    shape.push_back(x.shape()[x.rank() - 2]);
    shape.push_back(x.shape()[x.rank() - 1]);
    return x.shape() == shape ? x : broadcast_to(x, shape);
  };
  return record(op, attrs, spread(a), spread(b));
}

}  // namespace

namespace op {
const OpDef solve{.name = "solve",
                  .summary = "x of a · x = b; with adjoint of aᵀ · x = b",
                  .kind = OpKind::contraction,
                  .min_inputs = 2,
                  .max_inputs = 2,
                  .attrs = kSolveAttrs,
                  .infer = infer_solve,
                  .grad = grad_solve,
                  .cost = solve_cost<true>,
                  .grad_needs = kNeedsMatrix | kNeedsOutput,
                  .may_fail = true};
const OpDef triangular_solve{.name = "triangular_solve",
                             .summary = "x of a · x = b, where a is its lower or upper triangle",
                             .kind = OpKind::contraction,
                             .min_inputs = 2,
                             .max_inputs = 2,
                             .attrs = kTriangularAttrs,
                             .infer = infer_solve,
                             .grad = grad_triangular,
                             .cost = solve_cost<false>,
                             .grad_needs = kNeedsMatrix | kNeedsOutput};
const OpDef inv{.name = "inv",
                .summary = "inverse of square matrices",
                .kind = OpKind::contraction,
                .min_inputs = 1,
                .max_inputs = 1,
                .infer = infer_inv,
                .grad = grad_inv,
                .cost = lu_cost<3>,
                .grad_needs = kNeedsOutput,
                .may_fail = true};
const OpDef slogdet{.name = "slogdet",
                    .summary = "sign of the determinant and logarithm of its absolute value",
                    .kind = OpKind::contraction,
                    .min_inputs = 1,
                    .max_inputs = 1,
                    .infer = infer_slogdet,
                    .grad = grad_slogdet,
                    .cost = lu_cost<1>,
                    .grad_needs = kNeedsMatrix};
}  // namespace op

void register_linear_solve() {
  static const OpDef* const rows[] = {&op::solve, &op::triangular_solve, &op::inv, &op::slogdet};
  register_ops(rows);
}

void throw_singular(const OpDef& op, const Shape& shape, int64_t matrix) {
  throw_invalid(op, cat("matrix ", matrix, " of the batch of shape ", shape,
                        " is singular; add a little to its diagonal, or use lstsq or pinv, which take any matrix"));
}

namespace linalg {

Tensor solve(const Tensor& a, const Tensor& b, SolveOptions options) {
  const int64_t attrs[] = {options.adjoint};
  return recorded(op::solve, a, b, attrs);
}
Tensor triangular_solve(const Tensor& a, const Tensor& b, TriangularSolveOptions options) {
  const int64_t attrs[] = {options.adjoint, options.lower};
  return recorded(op::triangular_solve, a, b, attrs);
}
Tensor inv(const Tensor& a, SolveOptions options) {
  const Tensor inverse = record(op::inv, {}, a);
  return options.adjoint ? matrix_transpose(inverse) : inverse;
}
SignAndLog slogdet(const Tensor& a) {
  TensorImpl* const in[] = {a.impl()};
  std::vector<Tensor> both = record_many(op::slogdet, in, {});
  return {std::move(both[0]), std::move(both[1])};
}
Tensor det(const Tensor& a) {
  const auto [sign, log_abs] = slogdet(a);
  return sign * exp(log_abs);
}
Tensor logdet(const Tensor& a) { return constant(2, a.dtype()) * sum(log(diag_part(cholesky(a))), -1); }

}  // namespace linalg
}  // namespace brio
