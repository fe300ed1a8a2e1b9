#include "brio/ops/network/row_norm.h"

#include <bit>
#include <cmath>

#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"

namespace brio {
namespace {

constexpr AttrSpec kRowNormAttrs[] = {{"centered", AttrKind::flag}, {"epsilon", AttrKind::real}};

void check_rows(const OpCall& call) {
  const Aval& x = *call.in[0];
  if (!is_floating(x.dtype))
    throw_invalid(call.op, cat("takes floating-point tensors, but got ", x.dtype, "; cast it first"));
  if (x.shape.rank() == 0) throw_invalid(call.op, "takes tensors of rank 1 or more, but got a scalar");
  const auto epsilon = std::bit_cast<double>(call.attrs[1]);
  if (!(epsilon >= 0) || std::isinf(epsilon))
    throw_invalid(call.op, cat("epsilon is ", epsilon, "; it must be finite and ≥ 0"));
}
// Rows of 16 bits may have a scale and an offset of f32.
void check_vector(const OpCall& call, size_t i, std::string_view name) {
  const Aval &x = *call.in[0], wanted{Shape{x.shape[x.shape.rank() - 1]}, x.dtype};
  const bool wide = size_of(x.dtype) == 2 && call.in[1]->dtype == f32;
  if (*call.in[i] != (wide ? Aval{wanted.shape, f32} : wanted))
    throw_invalid(call.op, cat(name, " is ", call.in[i]->dtype, " of shape ", call.in[i]->shape, ", but rows of ",
                               x.shape, " need ", wanted.dtype, " of shape ", wanted.shape));
}

void infer_row_norm(const OpCall& call, std::vector<Aval>& out) {
  check_rows(call);
  check_vector(call, 1, "scale");
  check_vector(call, 2, "offset");
  out.push_back(*call.in[0]);
}
void infer_row_norm_grad(const OpCall& call, std::vector<Aval>& out) {
  check_rows(call);
  check_vector(call, 1, "scale");
  if (*call.in[2] != *call.in[0])
    throw_invalid(call.op, cat("the cotangent is ", call.in[2]->dtype, " of shape ", call.in[2]->shape,
                               ", but the rows are ", call.in[0]->dtype, " of shape ", call.in[0]->shape));
  out.push_back(*call.in[0]);
  out.push_back(*call.in[1]);
  out.push_back(*call.in[1]);
}

template <int flops>
Cost row_cost(const OpCall& call, std::span<const Aval> out) {
  return {flops * static_cast<double>(call.in[0]->shape.elements()), total_bytes(call, out)};
}

// Rows of 16 bits compute in float and round once, as the fused form.
Tensor widened(const Tensor& x) { return x.dtype() == f16 || x.dtype() == bf16 ? cast(x, f32) : x; }

struct Normalised {
  Tensor x, inverse;  // of mean 0 and deviation 1; 1 / deviation
  Normalised(const Tensor& rows, Attrs attrs) {
    const Tensor around = attrs[0] ? rows - mean(rows, -1, true) : rows;
    const Tensor epsilon = constant(std::bit_cast<double>(attrs[1]), rows.dtype());
    inverse = rsqrt(mean(square(around), -1, true) + epsilon);
    x = around * inverse;
  }
};

std::vector<Tensor> plain_row_norm(std::span<const Tensor> in, Attrs attrs) {
  const Tensor y = Normalised(widened(in[0]), attrs).x * widened(in[1]) + widened(in[2]);
  return {cast(y, in[0].dtype())};
}

std::vector<Tensor> plain_row_norm_grad(std::span<const Tensor> in, Attrs attrs) {
  const Normalised row(widened(in[0]), attrs);
  const Tensor c = widened(in[2]), scaled = c * widened(in[1]);
  Tensor inner = scaled - row.x * mean(scaled * row.x, -1, true);
  if (attrs[0]) inner = inner - mean(scaled, -1, true);
  return {cast(inner * row.inverse, in[0].dtype()), cast(sum_to(c * row.x, in[1].shape()), in[1].dtype()),
          cast(sum_to(c, in[1].shape()), in[1].dtype())};
}

void grad_row_norm(GradContext& g) {
  TensorImpl* const in[] = {g.in[0].impl(), g.in[1].impl(), g.cotangent().impl()};
  const std::vector<Tensor> gradients = record_many(op::row_norm_grad, in, g.attrs.words());
  for (size_t i = 0; i < 3; ++i)
    if (g.needs(i)) g.set(i, gradients[i]);
}

constexpr uint8_t kNeedsRowsAndScale = kNeedsBoth;

}  // namespace

namespace op {
const OpDef row_norm{.name = "row_norm",
                     .summary = "rows of the last axis at mean 0 and deviation 1, times scale, plus offset",
                     .kind = OpKind::composite,
                     .min_inputs = 3,
                     .max_inputs = 3,
                     .attrs = kRowNormAttrs,
                     .infer = infer_row_norm,
                     .grad = grad_row_norm,
                     .cost = row_cost<9>,
                     .plain = plain_row_norm,
                     .grad_needs = kNeedsRowsAndScale};
const OpDef row_norm_grad{.name = "row_norm_grad",
                          .summary = "gradients of row_norm: of rows, scale and offset",
                          .kind = OpKind::composite,
                          .min_inputs = 3,
                          .max_inputs = 3,
                          .attrs = kRowNormAttrs,
                          .infer = infer_row_norm_grad,
                          .grad = [](GradContext& g) { g.through_plain(); },
                          .cost = row_cost<20>,
                          .plain = plain_row_norm_grad,
                          .grad_needs = kNeedsThree};
}  // namespace op

void register_row_norm() {
  static const OpDef* const rows[] = {&op::row_norm, &op::row_norm_grad};
  register_ops(rows);
}

Tensor row_norm(const Tensor& x, const Tensor& scale, const Tensor& offset, RowNormOptions options) {
  const int64_t attrs[] = {options.centered, std::bit_cast<int64_t>(options.epsilon)};
  return record(op::row_norm, attrs, x, scale, offset);
}

RowNormForm::RowNormForm(const Shape& x, Attrs attrs)
    : epsilon(std::bit_cast<double>(attrs[1])), centered(attrs[0] != 0), columns(x[x.rank() - 1]) {
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x[i];
}

}  // namespace brio
