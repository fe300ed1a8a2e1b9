// Learning-rate schedules, with Keras 3's formulas, defaults and names: functions from the step to the rate.
//
//   nn::Adam adam(nn::CosineDecay({.initial_learning_rate = 1e-3, .decay_steps = 10'000}));
//   double rate = nn::PiecewiseConstantDecay({.boundaries = {1000}, .values = {0.1, 0.01}})(2000);  // on the host
//   nn::Schedule mine([](const Tensor& step) { return 0.1 / sqrt(cast(step, f32) + 1.f); });
//
// A schedule is ops, in float32 as in Keras: inside a training step it is part of the plan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "brio/ir/tensor.h"
#include "brio/nn/settings.h"

namespace brio::nn {

class Schedule {
 public:
  using Formula = std::function<Tensor(const Tensor& step)>;
  // `settings`: its arguments, for its config; empty for a user's formula.
  explicit Schedule(Formula formula, Settings settings = {});
  static Schedule from(const Settings& settings);

  Tensor operator()(const Tensor& step) const;  // a step, or several → a rate for each
  double operator()(int64_t step) const;
  const Settings& settings() const { return settings_; }

 private:
  Formula formula_;
  Settings settings_;
};

// The initial rate, decay_steps and decay_rate must be given.

// initial · decay_rate ^ (step / decay_steps); staircase: the exponent is rounded down.
struct ExponentialDecayOptions {
  std::optional<double> initial_learning_rate = {};
  int64_t decay_steps = 0;
  std::optional<double> decay_rate = {};
  bool staircase = false;
};

// values[0] up to and including step boundaries[0], then values[1] up to boundaries[1], …
struct PiecewiseConstantDecayOptions {
  std::vector<int64_t> boundaries = {};
  std::vector<double> values = {};
};

// From initial to end as (1 - step / decay_steps) ^ power; cycle: decay_steps grows to the next multiple past the
// end.
struct PolynomialDecayOptions {
  std::optional<double> initial_learning_rate = {};
  int64_t decay_steps = 0;
  double end_learning_rate = 0.0001, power = 1;
  bool cycle = false;
};

// initial / (1 + decay_rate · step / decay_steps); staircase: the quotient is rounded down.
struct InverseTimeDecayOptions {
  std::optional<double> initial_learning_rate = {};
  int64_t decay_steps = 0;
  std::optional<double> decay_rate = {};
  bool staircase = false;
};

// Half a cosine from initial down to alpha · initial. With a warmup_target, the rate first rises to it in a straight
// line, and the cosine starts there.
struct CosineDecayOptions {
  std::optional<double> initial_learning_rate = {};
  int64_t decay_steps = 0;
  double alpha = 0;
  std::optional<double> warmup_target = {};
  int64_t warmup_steps = 0;
};

// Half cosines one after another: each t_mul times as long as the one before, and m_mul times as high.
struct CosineDecayRestartsOptions {
  std::optional<double> initial_learning_rate = {};
  int64_t first_decay_steps = 0;
  double t_mul = 2, m_mul = 1, alpha = 0;
};

// class CosineDecay : public Schedule, made by CosineDecay({.decay_steps = 100, …}); and so on.
#define BRIO_SCHEDULE(Class)                \
  class Class : public Schedule {           \
   public:                                  \
    explicit Class(Class##Options options); \
  };
#include "brio/nn/optimizers/schedule_kinds.h"

}  // namespace brio::nn
