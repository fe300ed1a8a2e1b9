#include "brio/ops/network/residuals.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/network/row_norm.h"
#include "brio/ops/reductions/reduction.h"

namespace brio {
namespace {

constexpr AttrSpec kLinearSumAttrs[] = {{"transpose_a", AttrKind::flag}, {"transpose_b", AttrKind::flag}};
constexpr AttrSpec kRowNormSumAttrs[] = {{"centered", AttrKind::flag}, {"epsilon", AttrKind::real}};

void check_more(const OpCall& call, const Aval& more, const Aval& result) {
  if (more != result)
    throw_invalid(call.op, cat("what is added is ", more.dtype, " of shape ", more.shape, ", but the result is ",
                               result.dtype, " of shape ", result.shape));
}

void infer_linear_sum(const OpCall& call, std::vector<Aval>& out) {
  const Aval &a = *call.in[0], &b = *call.in[1];
  if (!is_floating(a.dtype) || a.dtype != b.dtype)
    throw_invalid(call.op, cat("takes matrices of one floating-point dtype, but got ", a.dtype, " and ", b.dtype));
  if (a.shape.rank() != 2 || b.shape.rank() != 2)
    throw_invalid(call.op, cat("takes two matrices, but got shapes ", a.shape, " and ", b.shape));
  const bool ta = call.attrs[0], tb = call.attrs[1];
  const Size ka = a.shape[ta ? 0 : 1], kb = b.shape[tb ? 1 : 0], n = b.shape[tb ? 0 : 1];
  if (ka != kb)
    throw_invalid(call.op, cat("the inner sizes differ: ", a.shape, ta ? " transposed" : "", " has ", ka,
                               " columns, ", b.shape, tb ? " transposed" : "", " has ", kb, " rows"));
  const Aval result{Shape{a.shape[ta ? 1 : 0], n}, a.dtype};
  check_more(call, *call.in[2], result);
  if (call.in.size() > 3 && *call.in[3] != Aval{Shape{n}, a.dtype})
    throw_invalid(call.op, cat("the bias is ", call.in[3]->dtype, " of shape ", call.in[3]->shape, ", but ", n,
                               " columns need ", a.dtype, " of shape (", n, ",)"));
  out.push_back(result);
}

Cost linear_sum_cost(const OpCall& call, std::span<const Aval> out) {
  const auto k = static_cast<double>(call.in[0]->shape[call.attrs[0] ? 0 : 1]);
  return {static_cast<double>(out[0].shape.elements()) * (2 * k + 2), total_bytes(call, out)};
}

std::vector<Tensor> plain_linear_sum(std::span<const Tensor> in, Attrs attrs) {
  const Tensor product = matmul(in[0], in[1], {.transpose_a = attrs[0] != 0, .transpose_b = attrs[1] != 0});
  return {(in.size() > 3 ? product + in[3] : product) + in[2]};
}

void infer_row_norm_grad_sum(const OpCall& call, std::vector<Aval>& out) {
  op::row_norm_grad.infer({call.op, call.in.first(3), call.attrs, {}}, out);
  check_more(call, *call.in[3], out[0]);
  out.push_back({Shape{out[0].shape[out[0].shape.rank() - 1]}, out[0].dtype});
}

Cost row_norm_grad_sum_cost(const OpCall& call, std::span<const Aval> out) {
  return {22 * static_cast<double>(call.in[0]->shape.elements()), total_bytes(call, out)};
}

std::vector<Tensor> plain_row_norm_grad_sum(std::span<const Tensor> in, Attrs attrs) {
  std::vector<TensorImpl*> given;
  for (size_t i = 0; i < 3; ++i) given.push_back(in[i].impl());
  std::vector<Tensor> out = record_many(op::row_norm_grad, given, attrs.words());
  out[0] = out[0] + in[3];
  out.push_back(sum_to(out[0], Shape{in[0].shape()[in[0].rank() - 1]}));
  return out;
}

}  // namespace

namespace op {
const OpDef linear_sum{.name = "linear_sum",
                       .summary = "a · b + bias + more",
                       .kind = OpKind::composite,
                       .min_inputs = 3,
                       .max_inputs = 4,
                       .attrs = kLinearSumAttrs,
                       .infer = infer_linear_sum,
                       .grad = [](GradContext& g) { g.through_plain(); },
                       .cost = linear_sum_cost,
                       .plain = plain_linear_sum};
const OpDef row_norm_grad_sum{.name = "row_norm_grad_sum",
                              .summary = "row_norm_grad, plus more, and the sum of the columns of that",
                              .kind = OpKind::composite,
                              .min_inputs = 4,
                              .max_inputs = 4,
                              .attrs = kRowNormSumAttrs,
                              .infer = infer_row_norm_grad_sum,
                              .grad = [](GradContext& g) { g.through_plain(); },
                              .cost = row_norm_grad_sum_cost,
                              .plain = plain_row_norm_grad_sum};
}  // namespace op

void register_residuals() {
  static const OpDef* const rows[] = {&op::linear_sum, &op::row_norm_grad_sum};
  register_ops(rows);
}

}  // namespace brio
