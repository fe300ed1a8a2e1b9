#include "brio/ops/linear_algebra/products.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kProductAttrs[] = {{"transpose_a", AttrKind::flag}, {"transpose_b", AttrKind::flag}};

Shape batch_dims(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(std::max(0, shape.rank() - 2))));
}

void infer_matmul(const OpCall& call, std::vector<Aval>& out) {
  const Aval &a = *call.in[0], &b = *call.in[1];
  if (a.dtype != b.dtype)
    throw_invalid(call.op, cat("the operands have dtypes ", a.dtype, " and ", b.dtype,
                               "; tensors are not promoted: cast one of them"));
  if (a.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  if (a.shape.rank() == 0 || b.shape.rank() == 0)
    throw_invalid(call.op, cat("the operands have shapes ", a.shape, " and ", b.shape,
                               "; a scalar has no rows or columns: multiply with * instead"));
  const bool ta = call.attrs[0] && a.shape.rank() > 1, tb = call.attrs[1] && b.shape.rank() > 1;
  const int ra = a.shape.rank(), rb = b.shape.rank();
  const Size ka = ra == 1 ? a.shape[0] : a.shape[ta ? ra - 2 : ra - 1];
  const Size kb = rb == 1 ? b.shape[0] : b.shape[tb ? rb - 1 : rb - 2];
  if (ka != kb)
    throw_invalid(call.op, cat("the inner sizes differ: ", a.shape, ta ? " transposed" : "", " has ", ka,
                               " columns, ", b.shape, tb ? " transposed" : "", " has ", kb, " rows"));
  Aval& result = out.emplace_back();
  result.dtype = a.dtype;
  if (ra > 2 || rb > 2) {
    if (!broadcast(batch_dims(a.shape), batch_dims(b.shape), result.shape))
      throw_invalid(call.op, cat("the leading dimensions of ", a.shape, " and ", b.shape, " do not broadcast"));
  }
  if (ra > 1) result.shape.push_back(a.shape[ta ? ra - 1 : ra - 2]);
  if (rb > 1) result.shape.push_back(b.shape[tb ? rb - 2 : rb - 1]);
  checked_shape(call.op, result.shape.dims());
}

Cost matmul_cost(const OpCall& call, std::span<const Aval> out) {
  const MatmulShape s = MatmulShape::of(call.in[0]->shape, call.in[1]->shape, call.attrs[0], call.attrs[1]);
  return {2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) *
              static_cast<double>(s.batch.elements()),
          total_bytes(call, out)};
}

// With A [m,k] and B [k,n] seen as matrices: dA = C·Bᵀ, dB = Aᵀ·C, each in the operand's own orientation.
void grad_matmul(GradContext& g) {
  Tensor a = g.in[0], b = g.in[1], c = g.cotangent();
  const bool ta = g.attrs[0] && a.rank() > 1, tb = g.attrs[1] && b.rank() > 1;
  if (a.rank() == 2 && b.rank() == 1 && !ta) {  // the usual matvec, without detours
    if (g.needs(0)) g.set(0, matmul(expand_dims(c, 1), expand_dims(b, 0)));
    if (g.needs(1)) g.set(1, matmul(c, a));
    return;
  }
  const Shape a_shape = a.shape(), b_shape = b.shape();
  if (b.rank() == 1) {
    b = expand_dims(b, 1);
    c = expand_dims(c, -1);
  }
  if (a.rank() == 1) {
    a = expand_dims(a, 0);
    c = expand_dims(c, c.rank() - 1);
  }
  if (g.needs(0)) {
    const Tensor da = ta ? matmul(b, c, {.transpose_a = tb, .transpose_b = true})
                         : matmul(c, b, {.transpose_a = false, .transpose_b = !tb});
    g.set(0, reshape(sum_to(da, a.shape()), a_shape));
  }
  if (g.needs(1)) {
    const Tensor db = tb ? matmul(c, a, {.transpose_a = true, .transpose_b = ta})
                         : matmul(a, c, {.transpose_a = !ta, .transpose_b = false});
    g.set(1, reshape(sum_to(db, b.shape()), b_shape));
  }
}

}  // namespace

namespace op {
const OpDef matmul{.name = "matmul",
                   .summary = "matrix product, batched and broadcast over leading dimensions",
                   .kind = OpKind::contraction,
                   .min_inputs = 2,
                   .max_inputs = 2,
                   .attrs = kProductAttrs,
                   .infer = infer_matmul,
                   .grad = grad_matmul,
                   .cost = matmul_cost,
                   .grad_needs = 3};
}

void register_products() {
  static const OpDef* const rows[] = {&op::matmul};
  register_ops(rows);
}

MatmulShape MatmulShape::of(const Shape& a, const Shape& b, bool transpose_a, bool transpose_b) {
  MatmulShape s{1, 1, 0, {}};
  const int ra = a.rank(), rb = b.rank();
  if (ra > 1) s.m = a[transpose_a ? ra - 1 : ra - 2];
  if (rb > 1) s.n = b[transpose_b ? rb - 2 : rb - 1];
  s.k = ra == 1 ? a[0] : a[transpose_a ? ra - 2 : ra - 1];
  broadcast(batch_dims(a), batch_dims(b), s.batch);
  return s;
}

Tensor matmul(const Tensor& a, const Tensor& b, MatmulOptions options) {
  if (a.defined() && b.defined() && is_complex(a.dtype()) && a.dtype() == b.dtype()) {
    // (A + iB)(C + iD), by four products of real matrices.
    const Tensor ar = real(a), ai = imag(a), br = real(b), bi = imag(b);
    return complex(matmul(ar, br, options) - matmul(ai, bi, options),
                   matmul(ar, bi, options) + matmul(ai, br, options));
  }
  const int64_t attrs[] = {options.transpose_a, options.transpose_b};
  return record(op::matmul, attrs, a, b);
}

Tensor matvec(const Tensor& a, const Tensor& x, bool transpose_a) {
  if (a.defined() && x.defined()) {
    const int rows = a.rank() - (transpose_a ? 1 : 2), inner = a.rank() - (transpose_a ? 2 : 1);
    if (a.rank() < 2 || x.rank() < 1 || a.shape()[inner] != x.shape()[x.rank() - 1])
      throw_invalid(op::matmul, cat("matvec takes matrices and vectors as long as they have columns, but got shapes ",
                                    a.shape(), transpose_a ? " transposed and " : " and ", x.shape()));
    if (x.rank() > 1) {
      Shape shape;
      if (broadcast(batch_dims(a.shape()), Shape(x.shape().dims().first(static_cast<size_t>(x.rank() - 1))), shape))
        shape.push_back(a.shape()[rows]);
      return reshape(matmul(a, expand_dims(x, -1), {.transpose_a = transpose_a}), shape);
    }
  }
  return matmul(a, x, {.transpose_a = transpose_a});
}

Tensor dot(const Tensor& a, const Tensor& b) {
  if (a.defined() && b.defined() && (a.rank() != 1 || b.rank() != 1))
    throw_invalid(op::matmul, cat("dot takes two vectors, but got shapes ", a.shape(), " and ", b.shape()));
  return matmul(a, b);
}

}  // namespace brio
