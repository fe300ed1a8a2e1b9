#include "brio/ops/network/lstm_gates.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

void check_gates(const OpCall& call) {
  const Aval &x = *call.in[0], &product = *call.in[1], &c = *call.in[2];
  if (!is_floating(c.dtype))
    throw_invalid(call.op, cat("takes floating-point tensors, but got ", c.dtype, "; cast them first"));
  if (c.shape.rank() == 0) throw_invalid(call.op, "takes states of rank 1 or more, but got a scalar");
  Aval gates{{}, c.dtype};
  for (int i = 0; i < c.shape.rank(); ++i)
    gates.shape.push_back(i + 1 == c.shape.rank() ? c.shape[i] * 4 : c.shape[i]);
  for (const Aval* each : {&x, &product})
    if (*each != gates)
      throw_invalid(call.op, cat("the gates are ", each->dtype, " of shape ", each->shape, "; those of a state of ",
                                 c.dtype, " and shape ", c.shape, " have shape ", gates.shape));
}
void infer_lstm_gates(const OpCall& call, std::vector<Aval>& out) {
  check_gates(call);
  out = {*call.in[2], *call.in[2]};
}
void infer_lstm_gates_grad(const OpCall& call, std::vector<Aval>& out) {
  check_gates(call);
  for (size_t i : {3, 4})
    if (*call.in[i] != *call.in[2])
      throw_invalid(call.op, cat("a cotangent is ", call.in[i]->dtype, " of shape ", call.in[i]->shape,
                                 ", but the states are ", call.in[2]->dtype, " of shape ", call.in[2]->shape));
  out = {*call.in[0], *call.in[2]};
}

template <int flops>
Cost gates_cost(const OpCall& call, std::span<const Aval> out) {
  return {flops * static_cast<double>(call.in[2]->shape.elements()), total_bytes(call, out)};
}

// Numbers of 16 bits are computed in f32 and rounded once, as in the fused form.
Tensor in_wide(const Tensor& x) { return x.dtype() == f16 || x.dtype() == bf16 ? cast(x, f32) : x; }

struct LstmParts {
  Tensor in, forget, candidate, out, c, active;  // c: the new one; active: tanh of it
  LstmParts(const Tensor& x, const Tensor& product, const Tensor& before) {
    const Tensor z = in_wide(x) + in_wide(product);
    const Size units = before.shape()[before.rank() - 1];
    const auto gate = [&](int64_t i) {
      std::vector<Range> ranges(static_cast<size_t>(z.rank()));
      ranges.back() = {units * i, units * (i + 1)};
      return slice(z, ranges);
    };
    in = sigmoid(gate(0)), forget = sigmoid(gate(1)), candidate = tanh(gate(2)), out = sigmoid(gate(3));
    c = forget * in_wide(before) + in * candidate;
    active = tanh(c);
  }
};

std::vector<Tensor> plain_lstm_gates(std::span<const Tensor> in, Attrs) {
  const LstmParts g(in[0], in[1], in[2]);
  return {cast(g.out * g.active, in[2].dtype()), cast(g.c, in[2].dtype())};
}

std::vector<Tensor> plain_lstm_gates_grad(std::span<const Tensor> in, Attrs) {
  const LstmParts g(in[0], in[1], in[2]);
  const Tensor dh = in_wide(in[3]), one = constant(1, g.c.dtype());
  const auto of_sigmoid = [&](const Tensor& y) { return y * (one - y); };
  const Tensor dc = in_wide(in[4]) + dh * g.out * (one - g.active * g.active);
  const Tensor dz = concat({dc * g.candidate * of_sigmoid(g.in), dc * in_wide(in[2]) * of_sigmoid(g.forget),
                            dc * g.in * (one - g.candidate * g.candidate), dh * g.active * of_sigmoid(g.out)},
                           -1);
  return {cast(dz, in[0].dtype()), cast(dc * g.forget, in[2].dtype())};
}

void grad_lstm_gates(GradContext& g) {
  const Tensor dh = or_zeros(g.cotangents[0], g.in[2]), dc = or_zeros(g.cotangents[1], g.in[2]);
  TensorImpl* const in[] = {g.in[0].impl(), g.in[1].impl(), g.in[2].impl(), dh.impl(), dc.impl()};
  const std::vector<Tensor> gradients = record_many(op::lstm_gates_grad, in, g.attrs.words());
  for (size_t i = 0; i < 2; ++i)
    if (g.needs(i)) g.set(i, gradients[0]);
  if (g.needs(2)) g.set(2, gradients[1]);
}

}  // namespace

namespace op {
const OpDef lstm_gates{.name = "lstm_gates",
                       .summary = "gates of an LSTM from two summands of their inputs, and its new states",
                       .kind = OpKind::composite,
                       .min_inputs = 3,
                       .max_inputs = 3,
                       .infer = infer_lstm_gates,
                       .grad = grad_lstm_gates,
                       .cost = gates_cost<60>,
                       .plain = plain_lstm_gates,
                       .grad_needs = kNeedsThree};
const OpDef lstm_gates_grad{.name = "lstm_gates_grad",
                            .summary = "gradients of lstm_gates: of each summand, and of the state",
                            .kind = OpKind::composite,
                            .min_inputs = 5,
                            .max_inputs = 5,
                            .infer = infer_lstm_gates_grad,
                            .grad = [](GradContext& g) { g.through_plain(); },
                            .cost = gates_cost<80>,
                            .plain = plain_lstm_gates_grad};
}  // namespace op

void register_lstm_gates() {
  static const OpDef* const rows[] = {&op::lstm_gates, &op::lstm_gates_grad};
  register_ops(rows);
}

LstmStates lstm_gates(const Tensor& x, const Tensor& product, const Tensor& c) {
  TensorImpl* const in[] = {x.impl(), product.impl(), c.impl()};
  const std::vector<Tensor> states = record_many(op::lstm_gates, in, {});
  return {states[0], states[1]};
}

}  // namespace brio
