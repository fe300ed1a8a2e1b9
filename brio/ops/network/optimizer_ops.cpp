#include "brio/ops/network/optimizer_ops.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/indexed_rows.h"

namespace brio {
namespace {

constexpr AttrSpec kDecays{"decays", AttrKind::flag}, kGated{"gated", AttrKind::flag},
    kSpread{"spread", AttrKind::integer};  // the last three of each
constexpr AttrSpec kSgdAttrs[] = {
    {"nesterov", AttrKind::flag}, {"has_momentum", AttrKind::flag}, kDecays, kGated, kSpread};
constexpr AttrSpec kRmspropAttrs[] = {
    {"centered", AttrKind::flag}, {"has_momentum", AttrKind::flag}, kDecays, kGated, kSpread};
constexpr AttrSpec kAdamAttrs[] = {{"amsgrad", AttrKind::flag}, kDecays, kGated, kSpread};
constexpr std::string_view kSgdScalars[] = {"learning_rate", "momentum"};
constexpr std::string_view kRmspropScalars[] = {"learning_rate", "rho", "momentum", "epsilon"};
constexpr std::string_view kAdamScalars[] = {"learning_rate", "step", "beta_1", "beta_2", "epsilon"};

std::span<const std::string_view> scalar_names(const OpDef& op) {
  if (&op == &op::sgd_update) return kSgdScalars;
  if (&op == &op::rmsprop_update) return kRmspropScalars;
  return kAdamScalars;
}

// What the rows are a gradient of.
Aval spread_aval(const OpCall& call, const Aval& rows, const Aval& places) {
  const Aval* in[] = {&rows, &places};
  std::vector<Aval> out;
  op::spread_rows.infer({call.op, in, {}, {}}, out);
  return out[0];
}

// Gradients of 16 bits may be given for parameters of 32: they are as exact when they are cast.
bool is_gradient_of(const Aval& gradient, const Aval& param) {
  const bool narrow = param.dtype == f32 && (gradient.dtype == f16 || gradient.dtype == bf16);
  return gradient.shape == param.shape && (gradient.dtype == param.dtype || narrow);
}

void infer_update(const OpCall& call, std::vector<Aval>& out) {
  const UpdateLayout layout = UpdateLayout::of(call.op, call.attrs, call.in.size());
  const auto names = scalar_names(call.op);
  auto expect_scalar = [&](size_t i, std::string_view name, DType wanted) {
    const Aval& scalar = *call.in[i];
    if (scalar.dtype != wanted || scalar.shape.rank() != 0)
      throw_invalid(call.op,
                    cat(name, " must be a ", wanted, " scalar, but is ", scalar.dtype, " of shape ", scalar.shape));
  };
  if (call.in.size() < layout.scalars + 2)
    throw_invalid(call.op,
                  cat("needs ", layout.scalars, " scalars and at least one parameter with its gradient, but ",
                      call.in.size(), " inputs are given"));
  for (size_t i = 0; i < names.size(); ++i) expect_scalar(i, names[i], names[i] == "step" ? i64 : f64);
  if (layout.decays) expect_scalar(layout.decay(), "weight_decay", f64);
  if (layout.gated) expect_scalar(layout.gate(), "gate", boolean);
  const size_t kinds = 2 + layout.slots;
  if (layout.spread > layout.n)
    throw_invalid(call.op, cat("the gradients of ", layout.spread, " parameters are rows, but there are ", layout.n));
  if (layout.n == 0 || layout.in(kinds, 0) + layout.spread != call.in.size())
    throw_invalid(call.op, cat(call.in.size() - layout.scalars - layout.spread,
                               " tensors are given, which is no whole number of groups of ", kinds,
                               ": parameter, gradient and ", layout.slots, " slots"));
  for (size_t i = 0; i < layout.n; ++i) {
    const Aval& param = *call.in[layout.in(0, i)];
    if (!is_floating(param.dtype) || param.dtype != call.in[layout.in(0, 0)]->dtype)
      throw_invalid(
          call.op, cat("parameter ", i, " is ", param.dtype, ", but parameter 0 is ", call.in[layout.in(0, 0)]->dtype,
                       "; parameters of one update share a floating-point dtype"));
    Aval gradient = *call.in[layout.in(1, i)];
    if (layout.is_spread(i)) gradient = spread_aval(call, gradient, *call.in[layout.places(i)]);
    for (size_t kind = 1; kind < kinds; ++kind)
      if (const Aval& other = kind == 1 ? gradient : *call.in[layout.in(kind, i)];
          !(kind == 1 ? is_gradient_of(other, param) : other == param))
        throw_invalid(call.op, cat(kind == 1 ? "the gradient" : "a slot", " of parameter ", i, " is ", other.dtype,
                                   " of shape ", other.shape, ", but the parameter is ", param.dtype, " of shape ",
                                   param.shape));
  }
  for (size_t kind = 0; kind < kinds; ++kind)
    for (size_t i = 0; kind != 1 && i < layout.n; ++i) out.push_back(*call.in[layout.in(0, i)]);
}

template <int flops_per_element>
Cost update_cost(const OpCall& call, std::span<const Aval> out) {
  const UpdateLayout layout = UpdateLayout::of(call.op, call.attrs, call.in.size());
  double elements = 0;
  for (size_t i = 0; i < layout.n; ++i) elements += static_cast<double>(out[i].shape.elements());
  return {flops_per_element * elements, total_bytes(call, out)};
}

// Builds the outputs of an update kind by kind while the formulas go tensor by tensor.
struct PlainUpdate {
  UpdateLayout layout;
  std::span<const Tensor> in;
  std::vector<Tensor> out = std::vector<Tensor>((1 + layout.slots) * layout.n);

  DType dtype() const { return in[layout.in(0, 0)].dtype(); }
  Tensor get(size_t kind, size_t i) const {
    const Tensor& x = in[layout.in(kind, i)];
    if (kind != 1) return x;
    return cast(layout.is_spread(i) ? record(op::spread_rows, {}, x, in[layout.places(i)]) : x, dtype());
  }
  Tensor param(size_t i) const {
    const Tensor p = get(0, i);
    return layout.decays ? p - p * scalar(layout.decay()) * scalar(0) : p;
  }
  void set(size_t kind, size_t i, const Tensor& value) {
    out[layout.out(kind, i)] = layout.gated ? select(in[layout.gate()], value, get(kind, i)) : value;
  }
  Tensor scalar(size_t i) const { return cast(in[i], dtype()); }
  Tensor one_minus(size_t i) const { return cast(constant(1, f64) - in[i], dtype()); }
};

std::vector<Tensor> plain_sgd(std::span<const Tensor> in, Attrs attrs) {
  PlainUpdate u{UpdateLayout::of(op::sgd_update, attrs, in.size()), in};
  const Tensor rate = u.scalar(0), momentum = u.scalar(1);
  for (size_t i = 0; i < u.layout.n; ++i) {
    const Tensor p = u.param(i), step = u.get(1, i) * rate;
    if (!attrs[1]) {
      u.set(0, i, p - step);
      continue;
    }
    const Tensor m = u.get(2, i) * momentum - step;
    u.set(2, i, m);
    u.set(0, i, attrs[0] ? p + (m * momentum - step) : p + m);
  }
  return u.out;
}

std::vector<Tensor> plain_rmsprop(std::span<const Tensor> in, Attrs attrs) {
  PlainUpdate u{UpdateLayout::of(op::rmsprop_update, attrs, in.size()), in};
  const bool centered = attrs[0], has_momentum = attrs[1];
  const Tensor rate = u.scalar(0), rho = u.scalar(1), momentum = u.scalar(2), epsilon = u.scalar(3);
  const Tensor rest = u.one_minus(1);
  for (size_t i = 0; i < u.layout.n; ++i) {
    const Tensor p = u.param(i), g = u.get(1, i);
    const Tensor v = rho * u.get(2, i) + rest * square(g);
    u.set(2, i, v);
    Tensor denominator = v;
    if (centered) {
      const size_t kind = has_momentum ? 4 : 3;
      const Tensor average = rho * u.get(kind, i) + rest * g;
      u.set(kind, i, average);
      denominator = v - square(average);
    }
    const Tensor increment = rate * g / sqrt(denominator + epsilon);
    if (has_momentum) {
      const Tensor m = momentum * u.get(3, i) + increment;
      u.set(3, i, m);
      u.set(0, i, p - m);
    } else {
      u.set(0, i, p - increment);
    }
  }
  return u.out;
}

std::vector<Tensor> plain_adam(std::span<const Tensor> in, Attrs attrs) {
  PlainUpdate u{UpdateLayout::of(op::adam_update, attrs, in.size()), in};
  const Tensor step = cast(in[1] + constant(1, i64), u.dtype()), one = constant(1, u.dtype());
  const Tensor rest_1 = u.one_minus(2), rest_2 = u.one_minus(3), epsilon = u.scalar(4);
  const Tensor alpha = u.scalar(0) * sqrt(one - pow(u.scalar(3), step)) / (one - pow(u.scalar(2), step));
  for (size_t i = 0; i < u.layout.n; ++i) {
    const Tensor p = u.param(i), g = u.get(1, i), m0 = u.get(2, i), v0 = u.get(3, i);
    const Tensor m = m0 + (g - m0) * rest_1;
    Tensor v = v0 + (square(g) - v0) * rest_2;
    u.set(2, i, m);
    u.set(3, i, v);
    if (attrs[0]) {
      v = maximum(u.get(4, i), v);
      u.set(4, i, v);
    }
    u.set(0, i, p - m * alpha / (sqrt(v) + epsilon));
  }
  return u.out;
}

// Gathers the inputs of an update and records it.
class UpdateBuilder {
 public:
  UpdateBuilder(const OpDef& op, size_t n) : op_(op), n_(n) {}

  void scalar(const Tensor& value, DType dtype = f64) {
    required(op_, value, static_cast<int>(in_.size()));
    in_.push_back(dtype == f64 && is_floating(value.dtype()) ? cast(value, f64) : value);
  }
  // The scalars that may be none, after the others.
  void last_scalars(const Tensor& weight_decay, const Tensor& gate) {
    decays_ = weight_decay.defined();
    gated_ = gate.defined();
    if (decays_) scalar(weight_decay);
    if (gated_) scalar(gate, boolean);
  }
  void tensors(std::string_view kind, std::span<const Tensor> values) {
    if (values.size() != n_)
      throw_invalid(op_, cat(values.size(), " ", kind, " are given for ", n_, " parameters; there must be one each"));
    in_.insert(in_.end(), values.begin(), values.end());
  }
  void record(std::vector<int64_t> attrs) {
    attrs.insert(attrs.end(), {decays_, gated_, 0});
    std::vector<TensorImpl*> impls;
    for (const Tensor& tensor : in_) impls.push_back(tensor.impl());
    out_ = record_many(op_, impls, attrs);
  }
  std::vector<Tensor> take() {  // the next kind of output
    const auto from = out_.begin() + static_cast<std::ptrdiff_t>(taken_);
    taken_ += n_;
    return {from, from + static_cast<std::ptrdiff_t>(n_)};
  }

 private:
  const OpDef& op_;
  size_t n_, taken_ = 0;
  bool decays_ = false, gated_ = false;
  std::vector<Tensor> in_, out_;
};

constexpr std::string_view kNoGradOfUpdates = "an update is the end of a step";

}  // namespace

namespace op {
#define UPDATE(ident, what, scalars, attrs_, plain_, flops) \
  const OpDef ident{.name = #ident,                         \
                    .summary = what,                        \
                    .kind = OpKind::composite,              \
                    .min_inputs = scalars + 2,              \
                    .max_inputs = -1,                       \
                    .attrs = attrs_,                        \
                    .infer = infer_update,                  \
                    .no_grad = kNoGradOfUpdates,            \
                    .cost = update_cost<flops>,             \
                    .plain = plain_};
UPDATE(sgd_update, "gradient descent on many tensors, with momentum or Nesterov's", 2, kSgdAttrs, plain_sgd, 6)
UPDATE(rmsprop_update, "RMSprop on many tensors, centered or with momentum", 4, kRmspropAttrs, plain_rmsprop, 15)
UPDATE(adam_update, "Adam on many tensors, or AMSGrad", 5, kAdamAttrs, plain_adam, 18)
#undef UPDATE
}  // namespace op

void register_optimizer_ops() {
  static const OpDef* const rows[] = {&op::sgd_update, &op::rmsprop_update, &op::adam_update};
  register_ops(rows);
}

UpdateLayout UpdateLayout::of(const OpDef& op, Attrs attrs, size_t inputs) {
  const auto last = attrs.words().last(3);
  UpdateLayout layout{scalar_names(op).size(), 0, 0, last[0] != 0, last[1] != 0, static_cast<size_t>(last[2])};
  layout.scalars += static_cast<size_t>(layout.decays + layout.gated);
  if (&op == &op::sgd_update) layout.slots = attrs[1] != 0;
  else if (&op == &op::rmsprop_update) layout.slots = 1u + (attrs[0] != 0) + (attrs[1] != 0);
  else layout.slots = 2u + (attrs[0] != 0);
  const size_t others = layout.scalars + std::min(layout.spread, inputs);
  layout.n = inputs < others ? 0 : (inputs - others) / (2 + layout.slots);
  return layout;
}

SgdUpdate sgd_update(const SgdScalars& scalars, std::span<const Tensor> params, std::span<const Tensor> grads,
                     std::span<const Tensor> momenta, bool nesterov) {
  UpdateBuilder b(op::sgd_update, params.size());
  b.scalar(scalars.learning_rate);
  b.scalar(scalars.momentum);
  b.last_scalars(scalars.weight_decay, scalars.gate);
  b.tensors("parameters", params);
  b.tensors("gradients", grads);
  const bool has_momentum = !momenta.empty();
  if (nesterov && !has_momentum)
    throw_invalid(op::sgd_update, "Nesterov's form needs momenta; give one per parameter");
  if (has_momentum) b.tensors("momenta", momenta);
  b.record({nesterov, has_momentum});
  SgdUpdate out;
  out.params = b.take();
  if (has_momentum) out.momenta = b.take();
  return out;
}

RmspropUpdate rmsprop_update(const RmspropScalars& scalars, std::span<const Tensor> params,
                             std::span<const Tensor> grads, std::span<const Tensor> velocities,
                             std::span<const Tensor> momenta, std::span<const Tensor> averages) {
  UpdateBuilder b(op::rmsprop_update, params.size());
  for (const Tensor* scalar : {&scalars.learning_rate, &scalars.rho, &scalars.momentum, &scalars.epsilon})
    b.scalar(*scalar);
  b.last_scalars(scalars.weight_decay, scalars.gate);
  b.tensors("parameters", params);
  b.tensors("gradients", grads);
  b.tensors("velocities", velocities);
  if (!momenta.empty()) b.tensors("momenta", momenta);
  if (!averages.empty()) b.tensors("averages", averages);
  b.record({!averages.empty(), !momenta.empty()});
  RmspropUpdate out;
  out.params = b.take();
  out.velocities = b.take();
  if (!momenta.empty()) out.momenta = b.take();
  if (!averages.empty()) out.averages = b.take();
  return out;
}

AdamUpdate adam_update(const AdamScalars& scalars, std::span<const Tensor> params, std::span<const Tensor> grads,
                       std::span<const Tensor> momenta, std::span<const Tensor> velocities,
                       std::span<const Tensor> largest) {
  UpdateBuilder b(op::adam_update, params.size());
  b.scalar(scalars.learning_rate);
  b.scalar(scalars.step, i64);
  for (const Tensor* scalar : {&scalars.beta_1, &scalars.beta_2, &scalars.epsilon}) b.scalar(*scalar);
  b.last_scalars(scalars.weight_decay, scalars.gate);
  b.tensors("parameters", params);
  b.tensors("gradients", grads);
  b.tensors("momenta", momenta);
  b.tensors("velocities", velocities);
  if (!largest.empty()) b.tensors("largest velocities", largest);
  b.record({!largest.empty()});
  AdamUpdate out;
  out.params = b.take();
  out.momenta = b.take();
  out.velocities = b.take();
  if (!largest.empty()) out.largest = b.take();
  return out;
}

}  // namespace brio
