// Optimizers made from the parameters of golden cases.
#pragma once

#include "tests/nn/golden_values.h"

namespace golden {

inline std::optional<double> option(const Case& c, const char* name) {
  return c.has(name) ? std::optional(c.number(name)) : std::nullopt;
}
inline std::optional<int64_t> count(const Case& c, const char* name) {
  return c.has(name) ? std::optional(static_cast<int64_t>(c.number(name))) : std::nullopt;
}

// Options with the shared ones of the case.
template <typename Options>
Options with_shared(const Case& c, Options o = {}) {
  o.clipnorm = option(c, "clipnorm");
  o.clipvalue = option(c, "clipvalue");
  o.global_clipnorm = option(c, "global_clipnorm");
  if (c.has("weight_decay")) o.weight_decay = c.number("weight_decay");
  o.use_ema = c.number("use_ema", 0) != 0;
  o.ema_momentum = c.number("ema_momentum", o.ema_momentum);
  o.ema_overwrite_frequency = count(c, "ema_overwrite_frequency");
  o.loss_scale_factor = option(c, "loss_scale_factor");
  o.gradient_accumulation_steps = count(c, "gradient_accumulation_steps");
  return o;
}
template <typename Options>
Options with_betas(const Case& c, Options o = {}) {
  o.beta_1 = c.number("beta_1", o.beta_1);
  o.beta_2 = c.number("beta_2", o.beta_2);
  if constexpr (requires { o.epsilon; }) o.epsilon = c.number("epsilon", o.epsilon);
  if constexpr (requires { o.amsgrad; }) o.amsgrad = c.number("amsgrad", 0) != 0;
  return with_shared(c, std::move(o));
}

inline brio::nn::Optimizer optimizer(const Case& c) {
  namespace nn = brio::nn;
  const std::string& kind = c.text("optimizer");
  const double number = c.number("learning_rate");
  const nn::LearningRate rate = c.has("schedule")
                                    ? nn::LearningRate(nn::ExponentialDecay(
                                          {.initial_learning_rate = number, .decay_steps = 2, .decay_rate = 0.5}))
                                    : nn::LearningRate(number);
  auto value = [&](double& into, const char* name) { into = c.number(name, into); };
  if (kind == "sgd")
    return nn::SGD(rate, with_shared<nn::SGDOptions>(
                             c, {.momentum = c.number("momentum", 0), .nesterov = c.number("nesterov", 0) != 0}));
  if (kind == "rmsprop") {
    nn::RMSpropOptions o{.centered = c.number("centered", 0) != 0};
    value(o.rho, "rho"), value(o.momentum, "momentum"), value(o.epsilon, "epsilon");
    return nn::RMSprop(rate, with_shared(c, o));
  }
  if (kind == "adam") return nn::Adam(rate, with_betas<nn::AdamOptions>(c));
  if (kind == "adamw") return nn::AdamW(rate, with_betas<nn::AdamWOptions>(c));
  if (kind == "adamax") return nn::Adamax(rate, with_betas<nn::AdamaxOptions>(c));
  if (kind == "nadam") return nn::Nadam(rate, with_betas<nn::NadamOptions>(c));
  if (kind == "lion") return nn::Lion(rate, with_betas<nn::LionOptions>(c));
  if (kind == "lamb") return nn::Lamb(rate, with_betas<nn::LambOptions>(c));
  if (kind == "adagrad") {
    nn::AdagradOptions o;
    value(o.initial_accumulator_value, "initial_accumulator_value"), value(o.epsilon, "epsilon");
    return nn::Adagrad(rate, with_shared(c, o));
  }
  if (kind == "adadelta") {
    nn::AdadeltaOptions o;
    value(o.rho, "rho"), value(o.epsilon, "epsilon");
    return nn::Adadelta(rate, with_shared(c, o));
  }
  if (kind == "adafactor") {
    nn::AdafactorOptions o{.relative_step = c.number("relative_step", 1) != 0};
    value(o.beta_2_decay, "beta_2_decay"), value(o.epsilon_1, "epsilon_1");
    value(o.epsilon_2, "epsilon_2"), value(o.clip_threshold, "clip_threshold");
    return nn::Adafactor(rate, with_shared(c, o));
  }
  if (kind == "ftrl") {
    nn::FtrlOptions o;
    value(o.learning_rate_power, "learning_rate_power"), value(o.beta, "beta");
    value(o.initial_accumulator_value, "initial_accumulator_value");
    value(o.l1_regularization_strength, "l1_regularization_strength");
    value(o.l2_regularization_strength, "l2_regularization_strength");
    value(o.l2_shrinkage_regularization_strength, "l2_shrinkage_regularization_strength");
    return nn::Ftrl(rate, with_shared(c, o));
  }
  if (kind != "muon") throw std::runtime_error("no optimizer " + kind);
  nn::MuonOptions o;
  value(o.adam_beta_1, "adam_beta_1"), value(o.adam_beta_2, "adam_beta_2"), value(o.epsilon, "epsilon");
  value(o.muon_a, "muon_a"), value(o.muon_b, "muon_b"), value(o.muon_c, "muon_c");
  value(o.adam_lr_ratio, "adam_lr_ratio"), value(o.momentum, "momentum");
  o.adam_weight_decay = c.number("adam_weight_decay", *o.adam_weight_decay);
  o.ns_steps = count(c, "ns_steps").value_or(o.ns_steps);
  o.nesterov = c.number("nesterov", 1) != 0;
  if (c.has("rms_rate")) o.rms_rate.reset();
  if (c.has("exclude_layers")) o.exclude_layers = {c.text("exclude_layers")};
  return nn::Muon(rate, with_shared(c, o));
}

// Item `step` along the first axis.
inline Array step_of(const Array& all, size_t step) {
  Array one{{all.shape.begin() + 1, all.shape.end()}, {}};
  const size_t n = all.data.size() / static_cast<size_t>(all.shape[0]);
  one.data.assign(all.data.begin() + static_cast<std::ptrdiff_t>(step * n),
                  all.data.begin() + static_cast<std::ptrdiff_t>((step + 1) * n));
  return one;
}

inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// Within `rtol` of each number, plus a millionth of the largest one of the tensor.
inline void expect_close(const brio::Tensor& found, const Array& expected, double rtol, const std::string& what) {
  ASSERT_EQ(found.shape(), shape_of(expected)) << what;
  const std::vector<double> values = brio::cast(found, brio::f64).to_vector<double>();
  double scale = 0;
  for (double x : expected.data) scale = std::max(scale, std::abs(x));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected.data[i], rtol * std::abs(expected.data[i]) + rtol / 10 * scale)
        << what << ", element " << i;
}

// The state of an optimizer in Keras' order, with its names but for the optimizer's own.
inline void expect_state(const Case& c, const brio::nn::Optimizer& optimizer, double rtol) {
  const std::vector<std::string> names = split(c.text("variables"));
  std::vector<brio::Variable> state = optimizer.variables();
  // Behind a loss scale Keras forgets to list Nadam's product.
  if (state.size() == names.size() + 1 && state.back().name().ends_with("u_product")) state.pop_back();
  ASSERT_EQ(state.size(), names.size()) << c.name;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string found = state[i].name().substr(state[i].name().rfind('/') + 1);
    // Keras gives that one no name of its own, and numbers it.
    EXPECT_TRUE(found == names[i] || (found == "u_product" && names[i].starts_with("variable"))) << c.name << found;
    expect_close(state[i], c.output("state_" + std::to_string(i)), rtol, c.name + " " + found);
  }
}

}  // namespace golden
