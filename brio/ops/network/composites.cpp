#include "brio/ops/network/composites.h"

#include <numeric>

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr std::string_view kActivations[] = {"none", "relu", "sigmoid", "tanh"};
constexpr AttrSpec kLinearAttrs[] = {
    {"activation", AttrKind::name, kActivations}, {"transpose_a", AttrKind::flag}, {"transpose_b", AttrKind::flag}};
constexpr AttrSpec kXentAttrs[] = {{"sparse", AttrKind::flag}};

void check_floating(const OpDef& op, const Aval& x) {
  if (!is_floating(x.dtype))
    throw_invalid(op, cat("takes floating-point tensors, but got ", x.dtype, "; cast it first"));
}

Shape without_last(const Shape& shape) { return Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 1))); }
Tensor last_sum(const Tensor& x) { return sum(x, -1, true); }

// ---- linear

void infer_linear(const OpCall& call, std::vector<Aval>& out) {
  const Aval &a = *call.in[0], &b = *call.in[1], &bias = *call.in[2];
  check_floating(call.op, a);
  if (a.dtype != b.dtype || a.dtype != bias.dtype)
    throw_invalid(call.op, cat("the operands have dtypes ", a.dtype, ", ", b.dtype, " and ", bias.dtype,
                               "; tensors are not promoted: cast them to one"));
  if (call.attrs[0] < 0 || call.attrs[0] >= static_cast<int64_t>(std::size(kActivations)))
    throw_invalid(call.op, cat("no activation has number ", call.attrs[0]));
  if (a.shape.rank() < 2 || b.shape.rank() != 2)
    throw_invalid(call.op, cat("takes an input of rank 2 or more and a matrix, but got shapes ", a.shape, " and ",
                               b.shape, "; add an axis with expand_dims"));
  const bool ta = call.attrs[1], tb = call.attrs[2];
  const int rank = a.shape.rank();
  const Size ka = a.shape[ta ? rank - 2 : rank - 1], kb = b.shape[tb ? 1 : 0], n = b.shape[tb ? 0 : 1];
  if (ka != kb)
    throw_invalid(call.op, cat("the inner sizes differ: ", a.shape, ta ? " transposed" : "", " has ", ka,
                               " columns, ", b.shape, tb ? " transposed" : "", " has ", kb, " rows"));
  if (bias.shape.rank() != 1 || bias.shape[0] != n)
    throw_invalid(call.op, cat("the bias has shape ", bias.shape, ", but ", n, " columns need shape (", n, ",)"));
  Shape shape = a.shape;
  shape.set(rank - 2, a.shape[ta ? rank - 1 : rank - 2]);
  shape.set(rank - 1, n);
  out.push_back({checked_shape(call.op, shape.dims()), a.dtype});
}

Cost linear_cost(const OpCall& call, std::span<const Aval> out) {
  const int rank = call.in[0]->shape.rank();
  const auto k = static_cast<double>(call.in[0]->shape[call.attrs[1] ? rank - 2 : rank - 1]);
  return {static_cast<double>(out[0].shape.elements()) * (2 * k + (call.attrs[0] ? 10 : 1)), total_bytes(call, out)};
}

std::vector<Tensor> plain_linear(std::span<const Tensor> in, Attrs attrs) {
  const Tensor z = matmul(in[0], in[1], {.transpose_a = attrs[1] != 0, .transpose_b = attrs[2] != 0}) + in[2];
  switch (linear_activation(attrs)) {
    case FusedActivation::none: return {z};
    case FusedActivation::relu: return {relu(z)};
    case FusedActivation::sigmoid: return {sigmoid(z)};
    case FusedActivation::tanh: return {tanh(z)};
  }
  return {};
}

// The cotangent in front of the activation, whose derivatives all follow from its output z.
Tensor before_activation(FusedActivation activation, const Tensor& z, const Tensor& c) {
  const Tensor one = constant(1, z.dtype());
  switch (activation) {
    case FusedActivation::none: return c;
    case FusedActivation::relu: return select(greater(z, constant(0, z.dtype())), c, constant(0, c.dtype()));
    case FusedActivation::sigmoid: return c * (z * (one - z));
    case FusedActivation::tanh: return c * (one - square(z));
  }
  return c;
}

void grad_linear(GradContext& g) {
  const bool ta = g.attrs[1], tb = g.attrs[2];
  const Tensor c = before_activation(linear_activation(g.attrs), g.out[0], g.cotangent());
  const Tensor &a = g.in[0], &b = g.in[1];
  if (g.needs(0))
    g.set(0, ta ? matmul(b, c, {.transpose_a = tb, .transpose_b = true}) : matmul(c, b, {.transpose_b = !tb}));
  if (g.needs(1)) {
    Tensor rows = a, c_rows = c;
    if (a.rank() > 2) {  // one product over all rows instead of one per batch and a sum
      if (ta) {
        std::vector<int> swap(static_cast<size_t>(a.rank()));
        std::iota(swap.begin(), swap.end(), 0);
        std::swap(swap[swap.size() - 2], swap[swap.size() - 1]);
        rows = transpose(rows, swap);
      }
      const Size k = rows.shape()[a.rank() - 1], n = c.shape()[a.rank() - 1];
      const Size m = without_last(rows.shape()).elements();
      rows = reshape(rows, Shape{m, k});
      c_rows = reshape(c, Shape{m, n});
    }
    const bool tr = ta && a.rank() == 2;
    g.set(1, tb ? matmul(c_rows, rows, {.transpose_a = true, .transpose_b = tr})
                : matmul(rows, c_rows, {.transpose_a = !tr}));
  }
  if (g.needs(2)) g.set(2, sum_to(c, g.in[2].shape()));
}

// ---- softmax

void infer_softmax(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  check_floating(call.op, x);
  if (x.shape.rank() == 0) throw_invalid(call.op, "takes tensors of rank 1 or more, but got a scalar");
  out.push_back(x);
}

// The largest element takes no gradient: subtracting it changes nothing but the range.
Tensor shifted(const Tensor& x) { return x - stop_gradient(max(x, -1, true)); }
Tensor plain_softmax(const Tensor& x) {
  const Tensor e = exp(shifted(x));
  return e / last_sum(e);
}
Tensor plain_log_softmax(const Tensor& x) {
  const Tensor s = shifted(x);
  return s - log(last_sum(exp(s)));
}
void grad_softmax(GradContext& g) {
  const Tensor &z = g.out[0], &c = g.cotangent();
  g.set(0, (c - last_sum(c * z)) * z);
}
void grad_log_softmax(GradContext& g) {
  const Tensor &z = g.out[0], &c = g.cotangent();
  g.set(0, c - exp(z) * last_sum(c));
}

// Over another axis: it becomes the last one and goes back.
Tensor over_axis(const OpDef& op, const Tensor& x, int axis) {
  const int rank = required(op, x).rank();
  if (rank == 0) return record(op, {}, x);  // says what is wrong
  const int at = positive_axis(op, axis, rank);
  if (at == rank - 1) return record(op, {}, x);
  std::vector<int> swap(static_cast<size_t>(rank));
  std::iota(swap.begin(), swap.end(), 0);
  std::swap(swap[static_cast<size_t>(at)], swap.back());
  return transpose(record(op, {}, transpose(x, swap)), swap);
}

// ---- cross-entropy from logits

template <int with_cotangent>
void check_xent(const OpCall& call) {
  const Aval &logits = *call.in[0], &labels = *call.in[1];
  check_floating(call.op, logits);
  if (logits.shape.rank() == 0 || logits.shape[logits.shape.rank() - 1] == 0)
    throw_invalid(call.op,
                  cat("logits of shape ", logits.shape, " have no classes; the last axis needs one or more"));
  const Shape rows = without_last(logits.shape);
  if (xent_is_sparse(call.attrs)) {
    if (!is_integer(labels.dtype))
      throw_invalid(call.op,
                    cat("class numbers must be integers, but the labels are ", labels.dtype, "; cast them first"));
    if (labels.shape != rows)
      throw_invalid(call.op, cat("the labels have shape ", labels.shape, ", but logits ", logits.shape,
                                 " take class numbers of shape ", rows, ": one per row"));
  } else if (labels != logits) {
    throw_invalid(call.op,
                  cat("the labels are ", labels.dtype, " of shape ", labels.shape, ", but the logits ", logits.dtype,
                      " of shape ", logits.shape, "; give probabilities of the same, or integer class numbers"));
  }
  if (with_cotangent) {
    const Aval& g = *call.in[2];
    // Logits of 16 bits with class numbers may have losses, and their cotangents, of f32.
    const bool wide = size_of(logits.dtype) == 2 && g.dtype == f32 && xent_is_sparse(call.attrs);
    if ((g.dtype != logits.dtype && !wide) || g.shape != rows)
      throw_invalid(call.op, cat("the cotangent is ", g.dtype, " of shape ", g.shape, ", but the losses are ",
                                 logits.dtype, " of shape ", rows));
  }
}
void infer_xent(const OpCall& call, std::vector<Aval>& out) {
  check_xent<false>(call);
  out.push_back({without_last(call.in[0]->shape), call.in[0]->dtype});
}
void infer_xent_grad(const OpCall& call, std::vector<Aval>& out) {
  check_xent<true>(call);
  out.push_back(*call.in[0]);
}
void infer_xent_both(const OpCall& call, std::vector<Aval>& out) {
  check_xent<true>(call);
  out.push_back(*call.in[2]);
  out.push_back(*call.in[0]);
}

template <int flops_per_logit>
Cost per_logit_cost(const OpCall& call, std::span<const Aval> out) {
  return {flops_per_logit * static_cast<double>(call.in[0]->shape.elements()), total_bytes(call, out)};
}

// [.., classes] of bool: the label's column. Reading zeros at the class numbers refuses one that is out of range.
Tensor label_columns(const Tensor& labels, int64_t classes) {
  const Tensor ids = cast(labels, i64);
  return one_hot(ids + gather(zeros({classes}, i64), ids), classes, boolean);
}
Tensor xent_value(const Tensor& logits, const Tensor& labels, bool sparse) {
  const Tensor logp = plain_log_softmax(logits), zero = constant(0, logits.dtype());
  if (!sparse) return neg(sum(labels * logp, -1));
  // select, not times one_hot: log(0) at another class must not become NaN
  return neg(sum(select(label_columns(labels, logits.shape()[logits.rank() - 1]), logp, zero), -1));
}
Tensor xent_gradient(const Tensor& logits, const Tensor& labels, const Tensor& g, bool sparse) {
  const Tensor p = plain_softmax(logits), per_row = expand_dims(g, -1);
  if (!sparse) return (p * last_sum(labels) - labels) * per_row;
  return (p - cast(label_columns(labels, logits.shape()[logits.rank() - 1]), logits.dtype())) * per_row;
}
std::vector<Tensor> plain_xent(std::span<const Tensor> in, Attrs attrs) {
  return {xent_value(in[0], in[1], xent_is_sparse(attrs))};
}
std::vector<Tensor> plain_xent_grad(std::span<const Tensor> in, Attrs attrs) {
  const Tensor logits = cast(in[0], in[2].dtype());
  return {cast(xent_gradient(logits, in[1], in[2], xent_is_sparse(attrs)), in[0].dtype())};
}
std::vector<Tensor> plain_xent_both(std::span<const Tensor> in, Attrs attrs) {
  const Tensor logits = cast(in[0], in[2].dtype());
  return {xent_value(logits, in[1], xent_is_sparse(attrs)), plain_xent_grad(in, attrs)[0]};
}

void grad_xent(GradContext& g) {
  if (g.needs(0)) g.set(0, softmax_xent_grad(g.in[0], g.in[1], g.cotangent()));
  if (g.needs(1) && !xent_is_sparse(g.attrs)) g.set(1, neg(log_softmax(g.in[0]) * expand_dims(g.cotangent(), -1)));
}
void grad_through_plain(GradContext& g) { g.through_plain(); }

void infer_sigmoid_xent(const OpCall& call, std::vector<Aval>& out) {
  const Aval &logits = *call.in[0], &labels = *call.in[1];
  check_floating(call.op, logits);
  if (labels != logits)
    throw_invalid(call.op, cat("the labels are ", labels.dtype, " of shape ", labels.shape, ", but the logits ",
                               logits.dtype, " of shape ", logits.shape, "; reshape or cast one of them"));
  out.push_back(logits);
}
std::vector<Tensor> plain_sigmoid_xent(std::span<const Tensor> in, Attrs) {
  const DType dtype = in[0].dtype();
  const bool half = dtype == f16 || dtype == bf16;  // as a fused form it rounds once
  const Tensor x = half ? cast(in[0], f32) : in[0], z = half ? cast(in[1], f32) : in[1];
  const Tensor loss = relu(x) - x * z + log1p(exp(neg(abs(x))));
  return {half ? cast(loss, dtype) : loss};
}
void grad_sigmoid_xent(GradContext& g) {
  if (g.needs(0)) g.set(0, (sigmoid(g.in[0]) - g.in[1]) * g.cotangent());
  if (g.needs(1)) g.set(1, neg(g.in[0] * g.cotangent()));
}

// As quotient and product its gradient would be a difference of nearly equal numbers, and NaN at infinity.
void infer_softsign(const OpCall& call, std::vector<Aval>& out) {
  check_floating(call.op, *call.in[0]);
  out.push_back(*call.in[0]);
}
std::vector<Tensor> plain_softsign(std::span<const Tensor> in, Attrs) {
  return {in[0] / (constant(1, in[0].dtype()) + abs(in[0]))};
}
void grad_softsign(GradContext& g) {
  const Tensor& x = g.in[0];
  g.set(0, g.cotangent() / square(constant(1, x.dtype()) + abs(x)));
}

void check_labels_of(const OpCall& call, const void* labels) {
  if (xent_is_sparse(call.attrs)) check_labels(call.op, call.in[0]->shape, call.in[1]->dtype, labels);
}

}  // namespace

namespace op {
#define COMPOSITE(ident, what, inputs, ...)    \
  const OpDef ident{.name = #ident,            \
                    .summary = what,           \
                    .kind = OpKind::composite, \
                    .min_inputs = inputs,      \
                    .max_inputs = inputs,      \
                    __VA_ARGS__};
COMPOSITE(linear, "activation(a · b + bias)", 3, .attrs = kLinearAttrs, .infer = infer_linear, .grad = grad_linear,
          .cost = linear_cost, .plain = plain_linear, .grad_needs = kNeedsBoth | kNeedsOutput)
COMPOSITE(
    softmax, "exp(x) / sum(exp(x)) over the last axis", 1, .infer = infer_softmax, .grad = grad_softmax,
    .cost = per_logit_cost<14>,
    .plain = [](std::span<const Tensor> in, Attrs) { return std::vector{plain_softmax(in[0])}; },
    .grad_needs = kNeedsOutput)
COMPOSITE(
    log_softmax, "x - log(sum(exp(x))) over the last axis", 1, .infer = infer_softmax, .grad = grad_log_softmax,
    .cost = per_logit_cost<13>,
    .plain = [](std::span<const Tensor> in, Attrs) { return std::vector{plain_log_softmax(in[0])}; },
    .grad_needs = kNeedsOutput)
COMPOSITE(softmax_xent, "cross-entropy of softmax(logits) with class numbers or probabilities, per row", 2,
          .attrs = kXentAttrs, .infer = infer_xent, .grad = grad_xent, .cost = per_logit_cost<14>,
          .plain = plain_xent, .grad_needs = kNeedsBoth, .may_fail = true, .check_second = check_labels_of)
COMPOSITE(softmax_xent_grad, "gradient of softmax_xent with respect to the logits", 3, .attrs = kXentAttrs,
          .infer = infer_xent_grad, .grad = grad_through_plain, .cost = per_logit_cost<16>, .plain = plain_xent_grad,
          .grad_needs = kNeedsThree, .may_fail = true)
COMPOSITE(softmax_xent_value_and_grad, "softmax_xent and its gradient in one pass", 3, .attrs = kXentAttrs,
          .infer = infer_xent_both, .grad = grad_through_plain, .cost = per_logit_cost<18>, .plain = plain_xent_both,
          .grad_needs = kNeedsThree, .may_fail = true, .check_second = check_labels_of)
COMPOSITE(sigmoid_xent, "cross-entropy of sigmoid(logits) with probabilities, elementwise", 2,
          .infer = infer_sigmoid_xent, .grad = grad_sigmoid_xent, .cost = per_logit_cost<26>,
          .plain = plain_sigmoid_xent, .expands = true, .grad_needs = kNeedsBoth)
COMPOSITE(softsign, "x / (1 + |x|)", 1, .infer = infer_softsign, .grad = grad_softsign, .cost = per_logit_cost<6>,
          .plain = plain_softsign, .expands = true, .grad_needs = kNeedsFirst)
#undef COMPOSITE
}  // namespace op

void register_composites() {
  static const OpDef* const rows[] = {&op::linear,       &op::softmax,           &op::log_softmax,
                                      &op::softmax_xent, &op::softmax_xent_grad, &op::softmax_xent_value_and_grad,
                                      &op::sigmoid_xent, &op::softsign};
  register_ops(rows);
}

void check_labels(const OpDef& op, const Shape& logits, DType label_dtype, const void* labels) {
  const int64_t classes = logits[logits.rank() - 1];
  int64_t rows = 1;
  for (int i = 0; i + 1 < logits.rank(); ++i) rows *= logits[i];
  for (int64_t row = 0; row < rows; ++row)
    if (const int64_t label = integer_at(labels, label_dtype, row); label < 0 || label >= classes)
      throw_bad_label(op, logits, label, row);
}

void throw_bad_label(const OpDef& op, const Shape& logits, int64_t label, int64_t row) {
  throw_invalid(op, cat("label ", label, " of row ", row, " is out of range: logits of shape ", logits,
                        " have the classes [0, ", logits[logits.rank() - 1], ")"));
}

std::string_view name_of(FusedActivation activation) { return kActivations[static_cast<size_t>(activation)]; }

Tensor linear(const Tensor& a, const Tensor& b, const Tensor& bias, LinearOptions options) {
  const int64_t attrs[] = {static_cast<int64_t>(options.activation), options.transpose_a, options.transpose_b};
  return record(op::linear, attrs, a, b, bias);
}

Tensor softmax(const Tensor& x, int axis) { return over_axis(op::softmax, x, axis); }
Tensor log_softmax(const Tensor& x, int axis) { return over_axis(op::log_softmax, x, axis); }

Tensor softmax_xent(const Tensor& logits, const Tensor& labels) {
  const int64_t attrs[] = {is_integer(required(op::softmax_xent, labels, 1).dtype())};
  return record(op::softmax_xent, attrs, logits, labels);
}
Tensor softmax_xent_grad(const Tensor& logits, const Tensor& labels, const Tensor& g) {
  const int64_t attrs[] = {is_integer(required(op::softmax_xent_grad, labels, 1).dtype())};
  return record(op::softmax_xent_grad, attrs, logits, labels, g);
}
ValueAndGrad softmax_xent_value_and_grad(const Tensor& logits, const Tensor& labels, const Tensor& g) {
  const int64_t attrs[] = {is_integer(required(op::softmax_xent_value_and_grad, labels, 1).dtype())};
  TensorImpl* const in[] = {logits.impl(), labels.impl(), g.impl()};
  std::vector<Tensor> both = record_many(op::softmax_xent_value_and_grad, in, attrs);
  return {std::move(both[0]), std::move(both[1])};
}

Tensor sigmoid_xent(const Tensor& logits, const Tensor& labels) {
  return record(op::sigmoid_xent, {}, logits, labels);
}

Tensor softsign(const Tensor& x) { return record(op::softsign, {}, x); }

}  // namespace brio
