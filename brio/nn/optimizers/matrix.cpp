// The optimizers whose update looks at a parameter as a whole: its length, its rows and columns, its singular values.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "brio/base/error.h"
#include "brio/nn/optimizers/optimizer_rule.h"
#include "brio/ops/control/control.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

Tensor root_mean_square(const Tensor& x) { return sqrt(mean(square(x))); }
Tensor length(const Tensor& x) { return sqrt(sum(square(x))); }

// The shape without one axis.
Aval without(const Variable& variable, int axis) {
  std::vector<int64_t> dims(variable.shape().begin(), variable.shape().end());
  dims.erase(dims.begin() + axis);
  return {Shape(std::span<const int64_t>(dims)), variable.dtype()};
}

// x with its singular values drawn towards 1 by Newton-Schulz steps.
Tensor orthogonalized(const Tensor& x, const MuonOptions& o) {
  auto number = [&](double value) { return constant(value, x.dtype()); };
  const bool tall = x.shape()[0] > x.shape()[1];
  Tensor y = tall ? transpose(x) : x;
  y = y / (length(y) + number(1e-7));
  for (int64_t i = 0; i < o.ns_steps; ++i) {
    const Tensor a = matmul(y, y, {.transpose_b = true});
    const Tensor b = number(o.muon_b) * a + matmul(number(o.muon_c) * a, a);
    y = number(o.muon_a) * y + matmul(b, y);
  }
  return tall ? transpose(y) : y;
}

bool takes_adam(const Variable& variable, const MuonOptions& o) {
  if (variable.shape().rank() != 2) return true;
  std::string name = variable.name();
  if (matches_any(o.name, o.exclude_layers, name)) return true;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return o.exclude_embeddings && name.find("embedding") != std::string::npos;
}

void adam_step(ParameterUpdate& u, const MuonOptions& o) {
  Tensor &m = u.slots[0], &v = u.slots[1];
  const Tensor one = u.number(1), rate = u.rate * u.number(o.adam_lr_ratio);
  const Tensor alpha =
      rate * sqrt(one - pow(u.number(o.adam_beta_2), u.step)) / (one - pow(u.number(o.adam_beta_1), u.step));
  m = towards(m, u.g, u.number(1 - o.adam_beta_1));
  v = towards(v, square(u.g), u.number(1 - o.adam_beta_2));
  u.p = u.p - m * alpha / (sqrt(v) + u.number(o.epsilon));
}

void muon_step(ParameterUpdate& u, const MuonOptions& o) {
  Tensor& m = u.slots[0];
  m = m + (u.g + m * u.number(o.momentum - 1));
  const Tensor direction = o.nesterov ? u.g + u.number(o.momentum) * m : m;
  // The products are spared in a step that is not applied.
  Tensor step = u.gate.defined() ? cond(u.gate, std::function<Tensor()>([&] { return orthogonalized(direction, o); }),
                                        std::function<Tensor()>([&] { return zeros_like(direction); }))
                                 : orthogonalized(direction, o);
  step = u.rate * step;
  if (o.rms_rate) {
    const auto longer = static_cast<double>(std::max(u.p.shape()[0], u.p.shape()[1]));
    step = step * u.number(std::sqrt(longer)) * u.number(*o.rms_rate);
  }
  u.p = u.p - step;
}

Formula formula(const LambOptions& o) {
  check_share(o.name, "beta_1", o.beta_1);
  check_share(o.name, "beta_2", o.beta_2);
  auto update = [o](ParameterUpdate& u) {
    Tensor &m = u.slots[0], &v = u.slots[1];
    const Tensor one = u.number(1), zero = u.number(0);
    m = towards(m, u.g, u.number(1 - o.beta_1));
    v = towards(v, square(u.g), u.number(1 - o.beta_2));
    const Tensor m_hat = m / (one - pow(u.number(o.beta_1), u.step));
    const Tensor v_hat = v / (one - pow(u.number(o.beta_2), u.step));
    const Tensor step = m_hat / (sqrt(v_hat) + u.number(o.epsilon));
    const Tensor of_weights = length(u.p), of_step = length(step);
    const Tensor ratio = select(logical_and(of_weights > zero, of_step > zero), of_weights / of_step, one);
    u.p = u.p - ratio * u.rate * step;
  };
  return {.slots = like_parameter({{.name = "momentum"}, {.name = "velocity"}}), .update = update};
}

Formula formula(const AdafactorOptions& o) {
  if (!(o.clip_threshold > 0))
    throw InvalidArgument(cat("[", o.name, "] clip_threshold is ", o.clip_threshold, "; it must be above 0"));
  auto slots = [](const Variable& variable) {
    const int rank = variable.shape().rank();
    const Aval nothing{Shape(), i32};  // Keras keeps such a place for each too
    return std::vector<Slot>{{.name = "", .aval = rank < 2 ? nothing : without(variable, rank - 1)},
                             {.name = "", .aval = rank < 2 ? nothing : without(variable, rank - 2)},
                             {.name = "velocity"}};
  };
  auto update = [o](ParameterUpdate& u) {
    Tensor &rows = u.slots[0], &columns = u.slots[1], &velocity = u.slots[2];
    const Tensor one = u.number(1);
    const Tensor rate = minimum(u.rate, one / sqrt(u.step));
    const Tensor alpha = maximum(u.number(o.epsilon_2), root_mean_square(u.p)) * rate;
    const Tensor squares = square(u.g) + u.number(o.epsilon_1);
    const Tensor beta = one - pow(u.step, u.number(o.beta_2_decay)), rest = one - beta;
    if (u.p.rank() < 2) {
      velocity = beta * velocity + rest * squares;
    } else {
      rows = beta * rows + rest * mean(squares, -1);
      columns = beta * columns + rest * mean(squares, -2);
      velocity = expand_dims(rows / mean(rows, -1, true), -1) * expand_dims(columns, -2);
    }
    const Tensor step = u.g / sqrt(velocity);
    u.p = u.p - alpha * (step / maximum(one, root_mean_square(step) / u.number(o.clip_threshold)));
  };
  return {.slots = slots, .update = update};
}

Formula formula(const MuonOptions& o) {
  matches_any(o.name, o.exclude_layers, "");  // that they can be read
  check_share(o.name, "adam_beta_1", o.adam_beta_1);
  check_share(o.name, "adam_beta_2", o.adam_beta_2);
  if (o.adam_weight_decay) check_not_negative(o.name, "adam_weight_decay", *o.adam_weight_decay);
  if (o.ns_steps < 1)
    throw InvalidArgument(cat("[", o.name, "] ns_steps is ", o.ns_steps, "; it must be at least 1"));
  auto slots = [o](const Variable& variable) {
    std::vector<Slot> made = {{.name = "momentum"}};
    if (takes_adam(variable, o)) made.push_back({.name = "velocity"});
    return made;
  };
  auto update = [o](ParameterUpdate& u) {
    if (u.slots.size() == 2) adam_step(u, o);
    else muon_step(u, o);
  };
  auto decay = [o](const Variable& variable) {
    return takes_adam(variable, o) ? o.adam_weight_decay : o.weight_decay;
  };
  return {.slots = slots, .update = update, .weight_decay = decay};
}

}  // namespace

Lamb::Lamb(const LearningRate& rate, LambOptions o) : Optimizer(make_rule("Lamb", rate, o, formula(o))) {}
Adafactor::Adafactor(const LearningRate& rate, AdafactorOptions o)
    : Optimizer(make_rule("Adafactor", rate, o, formula(o))) {}
Muon::Muon(const LearningRate& rate, MuonOptions o) : Optimizer(make_rule("Muon", rate, o, formula(o))) {}

}  // namespace brio::nn
