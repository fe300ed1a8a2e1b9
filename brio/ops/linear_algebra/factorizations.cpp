#include "brio/ops/linear_algebra/factorizations.h"

#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/linear_algebra/linear_solve.h"
#include "brio/ops/linear_algebra/matrices.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

using linalg::matrix_transpose;

constexpr AttrSpec kQrAttrs[] = {{"full_matrices", AttrKind::flag}};
constexpr AttrSpec kSvdAttrs[] = {{"compute_uv", AttrKind::flag}, {"full_matrices", AttrKind::flag}};
constexpr AttrSpec kEighAttrs[] = {{"compute_v", AttrKind::flag}};

void infer_cholesky(const OpCall& call, std::vector<Aval>& out) { out.push_back(check_square(call)); }
void infer_qr(const OpCall& call, std::vector<Aval>& out) {
  const Aval& a = check_matrices(call);
  const OpenMatrices m(a.shape);
  const Size k = qr_is_full(call.attrs) ? m.rows : m.smaller();
  out.push_back({checked_shape(call.op, with_last(a.shape, {m.rows, k}).dims()), a.dtype});
  out.push_back({with_last(a.shape, {k, m.columns}), a.dtype});
}
void infer_svd(const OpCall& call, std::vector<Aval>& out) {
  const Aval& a = check_matrices(call);
  const OpenMatrices m(a.shape);
  out.push_back({with_last(a.shape, {m.smaller()}), a.dtype});
  if (!svd_has_vectors(call.attrs)) return;
  const bool full = svd_is_full(call.attrs);
  for (const Size n : {m.rows, m.columns})
    out.push_back({checked_shape(call.op, with_last(a.shape, {n, full ? n : m.smaller()}).dims()), a.dtype});
}
void infer_eigh(const OpCall& call, std::vector<Aval>& out) {
  const Aval& a = check_square(call);
  out.push_back({with_last(a.shape, {OpenMatrices(a.shape).rows}), a.dtype});
  if (eigh_has_vectors(call.attrs)) out.push_back(a);
}

// Operations per matrix, as a multiple of (smaller side)² · larger side.
template <int multiple, int divisor = 1>
Cost factor_cost(const OpCall& call, std::span<const Aval> out) {
  const Matrices m(call.in[0]->shape);
  const auto small = static_cast<double>(m.smaller()), large = static_cast<double>(std::max(m.rows, m.columns));
  return {static_cast<double>(multiple) / divisor * small * small * large * static_cast<double>(m.batch),
          total_bytes(call, out)};
}

// ---- gradients, as TensorFlow has them

Tensor half(const Tensor& x) { return x * constant(0.5, x.dtype()); }
Tensor with_half_diagonal(const Tensor& x) { return linalg::set_diag(x, half(linalg::diag_part(x))); }
// 1 / x, but 0 near 0, where values that are equal would give infinities.
Tensor safe_reciprocal(const Tensor& x) { return x / (square(x) + constant(1e-20, x.dtype())); }
// 1 / (w_j - w_i), and 0 on the diagonal.
Tensor inverse_gaps(const Tensor& w) {
  return linalg::set_diag(safe_reciprocal(expand_dims(w, -2) - expand_dims(w, -1)), zeros_like(w));
}
Tensor columns(const Tensor& x, Size begin, Size end) {
  std::vector<Range> ranges(static_cast<size_t>(x.rank()));
  ranges.back() = {begin, end};
  return slice(x, ranges);
}
Tensor times_transposed(const Tensor& a, const Tensor& b) { return matmul(a, b, {.transpose_b = true}); }
Tensor transposed_times(const Tensor& a, const Tensor& b) { return matmul(a, b, {.transpose_a = true}); }

// l⁻ᵀ · P · l⁻¹, made symmetric, where P is the lower triangle of lᵀ · c with half its diagonal.
void grad_cholesky(GradContext& g) {
  const Tensor& l = g.out[0];
  const auto solve_transposed = [&](const Tensor& b) { return linalg::triangular_solve(l, b, {.adjoint = true}); };
  const Tensor middle = tril(with_half_diagonal(transposed_times(l, g.cotangent())));
  const Tensor all = solve_transposed(matrix_transpose(solve_transposed(middle)));
  g.set(0, half(all + matrix_transpose(all)));
}

// Rows ≥ columns.
Tensor grad_of_tall_qr(const Tensor& q, const Tensor& r, const Tensor& dq, const Tensor& dr) {
  const auto over_r = [&](const Tensor& x) {  // x · r⁻ᵀ
    return matrix_transpose(linalg::triangular_solve(r, matrix_transpose(x), {.lower = false}));
  };
  const Tensor qdq = transposed_times(q, dq), rdr = times_transposed(r, dr), both = qdq + rdr;
  const Tensor skew = tril(both - matrix_transpose(both));
  return matmul(q, dr + over_r(skew)) + over_r(dq - matmul(q, qdq));
}
void grad_qr(GradContext& g) {
  const Tensor &a = g.in[0], &q = g.out[0], &r = g.out[1];
  const OpenMatrices m(a.shape());
  for (const Size side : {m.rows, m.columns}) (void)int64_t{side};  // which is longer decides
  if (qr_is_full(g.attrs) && m.rows > m.columns)
    throw_invalid(*g.op, cat("has no gradient with full_matrices of shape ", a.shape(),
                             ", which has more rows than columns; call it without full_matrices"));
  const Tensor dq = or_zeros(g.cotangents[0], q), dr = or_zeros(g.cotangents[1], r);
  if (m.rows >= m.columns) return g.set(0, grad_of_tall_qr(q, r, dq, dr));
  // a = [x, y] and r = [u, v]: x = q · u is square, and y = q · v.
  const Tensor y = columns(a, m.rows, m.columns), u = columns(r, 0, m.rows);
  const Tensor du = columns(dr, 0, m.rows), dv = columns(dr, m.rows, m.columns);
  g.set(0, concat({grad_of_tall_qr(q, u, dq + times_transposed(y, dv), du), matmul(q, dv)}, -1));
}

void grad_svd(GradContext& g) {
  const Tensor& a = g.in[0];
  const OpenMatrices m(a.shape());
  for (const Size side : {m.rows, m.columns}) (void)int64_t{side};  // which is longer decides
  const bool has_vectors = svd_has_vectors(g.attrs), full = has_vectors && svd_is_full(g.attrs);
  const Tensor ds = linalg::diag(or_zeros(g.cotangents[0], g.out[0]));
  if (!has_vectors) {
    const auto [s, u, v] = linalg::svd(a);
    return g.set(0, matmul(u, times_transposed(ds, v)));
  }
  if (full && m.larger() - m.smaller() > 1)
    throw_invalid(*g.op, cat("has no gradient with full_matrices of shape ", a.shape(),
                             ", whose sides differ by more than 1; call it without full_matrices"));
  Tensor u = g.out[1], v = g.out[2], du = or_zeros(g.cotangents[1], u), dv = or_zeros(g.cotangents[2], v);
  const bool tall = m.rows > m.columns;  // then that of aᵀ = v · s · uᵀ, transposed
  if (tall) {
    std::swap(u, v);
    std::swap(du, dv);
  }
  const Size small = m.smaller(), large = m.larger();
  const Tensor &s = g.out[0], f = inverse_gaps(square(s)), values = linalg::diag(s);
  const Tensor v1 = full ? columns(v, 0, small) : v, dv1 = full ? columns(dv, 0, small) : dv;
  const Tensor fu = f * transposed_times(u, du), fv = f * transposed_times(v1, dv1);
  const Tensor inside = ds + matmul(fu + matrix_transpose(fu), values) + matmul(values, fv + matrix_transpose(fv));
  Tensor result = matmul(u, times_transposed(inside, v1));
  if (!(small == large)) {
    // What v gets from outside the space that its columns span.
    Tensor outside = matrix_transpose(dv1) - times_transposed(transposed_times(dv1, v1), v1);
    if (full) {
      const Tensor v2 = columns(v, small, large), dv2 = columns(dv, small, large);
      outside = outside - times_transposed(transposed_times(v1, dv2), v2);
    }
    result = result + matmul(u, expand_dims(safe_reciprocal(s), -1) * outside);
  }
  g.set(0, tall ? matrix_transpose(result) : result);
}

void grad_eigh(GradContext& g) {
  const Tensor de = linalg::diag(or_zeros(g.cotangents[0], g.out[0]));
  const bool has_vectors = eigh_has_vectors(g.attrs);
  const Tensor v = has_vectors ? g.out[1] : linalg::eigh(g.in[0]).v;
  const Tensor inside = has_vectors && g.cotangents[1].defined()
                            ? de + inverse_gaps(g.out[0]) * transposed_times(v, g.cotangents[1])
                            : de;
  const Tensor all = matmul(v, times_transposed(inside, v));
  // Only the lower triangle was read.
  g.set(0, with_half_diagonal(tril(all + matrix_transpose(all))));
}

}  // namespace

namespace op {
const OpDef cholesky{.name = "cholesky",
                     .summary = "lower triangle l of a = l · lᵀ",
                     .kind = OpKind::contraction,
                     .min_inputs = 1,
                     .max_inputs = 1,
                     .infer = infer_cholesky,
                     .grad = grad_cholesky,
                     .cost = factor_cost<1, 3>,
                     .grad_needs = kNeedsOutput,
                     .may_fail = true};
const OpDef qr{.name = "qr",
               .summary = "orthonormal columns q and upper triangle r of a = q · r",
               .kind = OpKind::contraction,
               .min_inputs = 1,
               .max_inputs = 1,
               .attrs = kQrAttrs,
               .infer = infer_qr,
               .grad = grad_qr,
               .cost = factor_cost<4>,
               .grad_needs = kNeedsInputs | kNeedsOutput};
const OpDef svd{.name = "svd",
                .summary = "singular values s, largest first, and u, v of a = u · diag(s) · vᵀ",
                .kind = OpKind::contraction,
                .min_inputs = 1,
                .max_inputs = 1,
                .attrs = kSvdAttrs,
                .infer = infer_svd,
                .grad = grad_svd,
                .cost = factor_cost<22>,
                .grad_needs = kNeedsInputs | kNeedsOutput,
                .may_fail = true};
const OpDef eigh{.name = "eigh",
                 .summary = "eigenvalues e, smallest first, and v of a symmetric a = v · diag(e) · vᵀ",
                 .kind = OpKind::contraction,
                 .min_inputs = 1,
                 .max_inputs = 1,
                 .attrs = kEighAttrs,
                 .infer = infer_eigh,
                 .grad = grad_eigh,
                 .cost = factor_cost<9>,
                 .grad_needs = kNeedsInputs | kNeedsOutput,
                 .may_fail = true};
}  // namespace op

void register_factorizations() {
  static const OpDef* const rows[] = {&op::cholesky, &op::qr, &op::svd, &op::eigh};
  register_ops(rows);
}

void throw_not_positive(const OpDef& op, const Shape& shape, int64_t matrix, int64_t column) {
  throw_invalid(op, cat("matrix ", matrix, " of the batch of shape ", shape, " is not positive definite (column ",
                        column, "); make it symmetric, or add a little to its diagonal"));
}

namespace linalg {

Tensor cholesky(const Tensor& a) { return record(op::cholesky, {}, a); }

Qr qr(const Tensor& a, bool full_matrices) {
  TensorImpl* const in[] = {a.impl()};
  const int64_t attrs[] = {full_matrices};
  std::vector<Tensor> both = record_many(op::qr, in, attrs);
  return {std::move(both[0]), std::move(both[1])};
}

Svd svd(const Tensor& a, bool full_matrices) {
  TensorImpl* const in[] = {a.impl()};
  const int64_t attrs[] = {true, full_matrices};
  std::vector<Tensor> all = record_many(op::svd, in, attrs);
  return {std::move(all[0]), std::move(all[1]), std::move(all[2])};
}
Tensor svdvals(const Tensor& a) {
  const int64_t attrs[] = {false, false};
  return record(op::svd, attrs, a);
}

Eigh eigh(const Tensor& a) {
  TensorImpl* const in[] = {a.impl()};
  const int64_t attrs[] = {true};
  std::vector<Tensor> both = record_many(op::eigh, in, attrs);
  return {std::move(both[0]), std::move(both[1])};
}
Tensor eigvalsh(const Tensor& a) {
  const int64_t attrs[] = {false};
  return record(op::eigh, attrs, a);
}

}  // namespace linalg
}  // namespace brio
