// The optimizers whose update looks at one element of a parameter at a time, in Keras' formulas and order of
// operations.
#include "brio/ops/elementwise/elementwise.h"
#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/optimizers/optimizer_rule.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/network/optimizer_ops.h"

namespace brio::nn {
namespace {

Tensor number(double value) { return host_scalar(to_bits(value), f64); }

template <typename Options>
void check_betas(const Options& o) {
  check_share(o.name, "beta_1", o.beta_1);
  check_share(o.name, "beta_2", o.beta_2);
}

Formula formula(const SGDOptions& o) {
  check_share(o.name, "momentum", o.momentum);
  const bool has_momentum = o.momentum != 0;
  std::vector<Slot> slots;
  if (has_momentum) slots.push_back({.name = "momentum"});
  return {.slots = like_parameter(slots),
          .fused = {&op::sgd_update, {number(o.momentum)}, {o.nesterov && has_momentum, has_momentum}}};
}

Formula formula(const RMSpropOptions& o) {
  check_share(o.name, "rho", o.rho);
  check_share(o.name, "momentum", o.momentum);
  std::vector<Slot> slots = {{.name = "velocity"}};
  if (o.momentum > 0) slots.push_back({.name = "momentum", .pass = 1});
  if (o.centered) slots.push_back({.name = "average_gradient", .pass = 2});
  return {
      .slots = like_parameter(slots),
      .fused = {
          &op::rmsprop_update, {number(o.rho), number(o.momentum), number(o.epsilon)}, {o.centered, o.momentum > 0}}};
}

template <typename Options>
Formula adam_formula(const Options& o) {
  check_betas(o);
  std::vector<Slot> slots = {{.name = "momentum"}, {.name = "velocity"}};
  if (o.amsgrad) slots.push_back({.name = "velocity_hat", .pass = 1});
  return {
      .slots = like_parameter(slots),
      .fused = {&op::adam_update, {Tensor(), number(o.beta_1), number(o.beta_2), number(o.epsilon)}, {o.amsgrad}}};
}
Formula formula(const AdamOptions& o) { return adam_formula(o); }
Formula formula(const AdamWOptions& o) {
  if (!o.weight_decay)
    throw InvalidArgument(cat("[", o.name, "] weight_decay is none; give AdamW a number, or take Adam"));
  return adam_formula(o);
}

Formula formula(const AdamaxOptions& o) {
  check_betas(o);
  return {.slots = like_parameter({{.name = "momentum"}, {.name = "norm"}}), .update = [o](ParameterUpdate& u) {
            Tensor &m = u.slots[0], &norm = u.slots[1];
            m = towards(m, u.g, u.number(1 - o.beta_1));
            norm = maximum(u.number(o.beta_2) * norm, abs(u.g));
            const Tensor correction = u.number(1) - pow(u.number(o.beta_1), u.step);
            u.p = u.p - u.rate * m / (correction * (norm + u.number(o.epsilon)));
          }};
}

// Nesterov's momentum grows with the steps; `shared` is the product of its values so far.
Tensor nadam_momentum(const NadamOptions& o, const Tensor& step, DType dtype) {
  auto c = [&](double value) { return constant(value, dtype); };
  return c(o.beta_1) * (c(1) - c(0.5) * pow(c(0.96), cast(step, dtype)));
}
Formula formula(const NadamOptions& o) {
  check_betas(o);
  auto update = [o](ParameterUpdate& u) {
    Tensor &m = u.slots[0], &v = u.slots[1];
    const DType dtype = u.p.dtype();
    const Tensor one = u.number(1), beta_1 = u.number(o.beta_1), beta_2 = u.number(o.beta_2);
    const Tensor now = nadam_momentum(o, u.iterations + constant(1, i64), dtype);
    const Tensor next = nadam_momentum(o, u.iterations + constant(2, i64), dtype);
    const Tensor product = cast(u.shared, dtype);
    m = towards(m, u.g, one - beta_1);
    v = towards(v, square(u.g), one - beta_2);
    const Tensor m_hat = next * m / (one - product * next) + (one - now) * u.g / (one - product);
    const Tensor v_hat = v / (one - pow(beta_2, u.step));
    u.p = u.p - m_hat * u.rate / (sqrt(v_hat) + u.number(o.epsilon));
  };
  auto advance = [o](const Tensor& product, const Tensor& iterations) {
    return product * nadam_momentum(o, iterations + constant(1, i64), product.dtype());
  };
  return {.slots = like_parameter({{.name = "momentum"}, {.name = "velocity"}}),
          .update = update,
          .shared = Slot{.name = "u_product", .initial = 1},
          .advance = advance};
}

Formula formula(const AdagradOptions& o) {
  check_not_negative(o.name, "initial_accumulator_value", o.initial_accumulator_value);
  return {.slots = like_parameter({{.name = "accumulator", .initial = o.initial_accumulator_value}}),
          .update = [o](ParameterUpdate& u) {
            u.slots[0] = u.slots[0] + square(u.g);
            u.p = u.p - u.rate * u.g / sqrt(u.slots[0] + u.number(o.epsilon));
          }};
}

Formula formula(const AdadeltaOptions& o) {
  check_share(o.name, "rho", o.rho);
  return {.slots = like_parameter({{.name = "accumulated_grad"}, {.name = "accumulated_delta_var"}}),
          .update = [o](ParameterUpdate& u) {
            Tensor &gradients = u.slots[0], &deltas = u.slots[1];
            const Tensor rho = u.number(o.rho), rest = u.number(1 - o.rho), epsilon = u.number(o.epsilon);
            gradients = rho * gradients + rest * square(u.g);
            const Tensor delta = -(sqrt(deltas + epsilon) * u.g / sqrt(gradients + epsilon));
            deltas = rho * deltas + rest * square(delta);
            u.p = u.p + u.rate * delta;
          }};
}

Formula formula(const FtrlOptions& o) {
  check_not_negative(o.name, "initial_accumulator_value", o.initial_accumulator_value);
  check_not_negative(o.name, "l1_regularization_strength", o.l1_regularization_strength);
  check_not_negative(o.name, "l2_regularization_strength", o.l2_regularization_strength);
  check_not_negative(o.name, "l2_shrinkage_regularization_strength", o.l2_shrinkage_regularization_strength);
  if (!(o.learning_rate_power <= 0))
    throw InvalidArgument(cat("[", o.name, "] learning_rate_power is ", o.learning_rate_power, "; it must be ≤ 0"));
  auto update = [o](ParameterUpdate& u) {
    Tensor &accumulator = u.slots[0], &linear = u.slots[1];
    auto power = [&](const Tensor& x) {
      return o.learning_rate_power == -0.5 ? sqrt(x) : pow(x, u.number(-o.learning_rate_power));
    };
    const Tensor l1 = u.number(o.l1_regularization_strength);
    const Tensor l2 = u.number(o.l2_regularization_strength) + u.number(o.beta) / (u.number(2) * u.rate);
    const Tensor g = u.g + u.number(2 * o.l2_shrinkage_regularization_strength) * u.p;
    const Tensor next = accumulator + square(u.g), root = power(next);
    linear = linear + (g - (root - power(accumulator)) / u.rate * u.p);
    u.p = (clip_by_value(linear, -l1, l1) - linear) / (root / u.rate + u.number(2) * l2);
    accumulator = next;
  };
  return {
      .slots = like_parameter({{.name = "accumulator", .initial = o.initial_accumulator_value}, {.name = "linear"}}),
      .update = update};
}

Formula formula(const LionOptions& o) {
  check_betas(o);
  if (o.beta_1 == 0)
    throw InvalidArgument(cat("[", o.name, "] beta_1 is 0, which makes it sign descent; give it more"));
  return {.slots = like_parameter({{.name = "momentum"}}), .update = [o](ParameterUpdate& u) {
            Tensor& m = u.slots[0];
            const Tensor one = u.number(1), beta_1 = u.number(o.beta_1), beta_2 = u.number(o.beta_2);
            u.p = u.p - u.rate * sign(m * beta_1 + u.g * (one - beta_1));
            m = m * beta_2 + u.g * (one - beta_2);
          }};
}

}  // namespace

SGD::SGD(const LearningRate& rate, SGDOptions o) : Optimizer(make_rule("SGD", rate, o, formula(o))) {}
RMSprop::RMSprop(const LearningRate& rate, RMSpropOptions o) : Optimizer(make_rule("RMSprop", rate, o, formula(o))) {}
Adam::Adam(const LearningRate& rate, AdamOptions o) : Optimizer(make_rule("Adam", rate, o, formula(o))) {}
AdamW::AdamW(const LearningRate& rate, AdamWOptions o) : Optimizer(make_rule("AdamW", rate, o, formula(o))) {}
Adamax::Adamax(const LearningRate& rate, AdamaxOptions o) : Optimizer(make_rule("Adamax", rate, o, formula(o))) {}
Nadam::Nadam(const LearningRate& rate, NadamOptions o) : Optimizer(make_rule("Nadam", rate, o, formula(o))) {}
Adagrad::Adagrad(const LearningRate& rate, AdagradOptions o) : Optimizer(make_rule("Adagrad", rate, o, formula(o))) {}
Adadelta::Adadelta(const LearningRate& rate, AdadeltaOptions o)
    : Optimizer(make_rule("Adadelta", rate, o, formula(o))) {}
Ftrl::Ftrl(const LearningRate& rate, FtrlOptions o) : Optimizer(make_rule("Ftrl", rate, o, formula(o))) {}
Lion::Lion(const LearningRate& rate, LionOptions o) : Optimizer(make_rule("Lion", rate, o, formula(o))) {}

}  // namespace brio::nn
