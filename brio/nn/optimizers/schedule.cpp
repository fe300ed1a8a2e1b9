#include "brio/nn/optimizers/schedule.h"

#include <cmath>
#include <numbers>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/names.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/elementwise/elementwise.h"

namespace brio::nn {
namespace {

Tensor f(double value) { return constant(value, f32); }
Tensor f(const Tensor& step) { return cast(step, f32); }

void check_steps(const char* schedule, const char* what, int64_t steps) {
  if (steps <= 0) throw InvalidArgument(cat("[", schedule, "] ", what, " is ", steps, "; it must be above 0"));
}
double given(const char* schedule, const char* what, const std::optional<double>& value) {
  if (!value) throw InvalidArgument(cat("[", schedule, "] there is no ", what, "; give a number"));
  return *value;
}

Tensor half_cosine(const Tensor& fraction) { return f(0.5) * (f(1) + cos(f(std::numbers::pi) * fraction)); }

// ---- the formulas

Schedule::Formula formula(const ExponentialDecayOptions& o) {
  const char* const name = "ExponentialDecay";
  check_steps(name, "decay_steps", o.decay_steps);
  return [o, initial = given(name, "initial_learning_rate", o.initial_learning_rate),
          decay_rate = given(name, "decay_rate", o.decay_rate)](const Tensor& step) {
    Tensor p = f(step) / f(static_cast<double>(o.decay_steps));
    if (o.staircase) p = floor(p);
    return f(initial) * pow(f(decay_rate), p);
  };
}

Schedule::Formula formula(const PiecewiseConstantDecayOptions& o) {
  if (o.boundaries.size() + 1 != o.values.size() || o.boundaries.empty())
    throw InvalidArgument(cat("[PiecewiseConstantDecay] there are ", o.boundaries.size(), " boundaries and ",
                              o.values.size(), " values; give at least one boundary, and one value more"));
  for (size_t i = 1; i < o.boundaries.size(); ++i)
    if (o.boundaries[i] <= o.boundaries[i - 1])
      throw InvalidArgument(cat("[PiecewiseConstantDecay] boundary ", o.boundaries[i], " follows ",
                                o.boundaries[i - 1], "; boundaries must increase"));
  return [o](const Tensor& step) {
    Tensor rate = f(o.values.back());
    for (size_t i = o.boundaries.size(); i-- > 0;)
      rate = select(cast(step, i64) <= constant(o.boundaries[i], i64), f(o.values[i]), rate);
    return rate;
  };
}

Schedule::Formula formula(const PolynomialDecayOptions& o) {
  const char* const name = "PolynomialDecay";
  check_steps(name, "decay_steps", o.decay_steps);
  return [o, initial = given(name, "initial_learning_rate", o.initial_learning_rate)](const Tensor& at) {
    Tensor step = f(at), steps = f(static_cast<double>(o.decay_steps));
    if (o.cycle) steps = steps * select(equal(step, f(0)), f(1), ceil(step / steps));
    else step = minimum(step, steps);
    const Tensor end = f(o.end_learning_rate);
    return (f(initial) - end) * pow(f(1) - step / steps, f(o.power)) + end;
  };
}

Schedule::Formula formula(const InverseTimeDecayOptions& o) {
  const char* const name = "InverseTimeDecay";
  check_steps(name, "decay_steps", o.decay_steps);
  return [o, initial = given(name, "initial_learning_rate", o.initial_learning_rate),
          decay_rate = given(name, "decay_rate", o.decay_rate)](const Tensor& step) {
    Tensor p = f(step) / f(static_cast<double>(o.decay_steps));
    if (o.staircase) p = floor(p);
    return f(initial) / (f(1) + f(decay_rate) * p);
  };
}

Schedule::Formula formula(const CosineDecayOptions& o) {
  const char* const name = "CosineDecay";
  check_steps(name, "decay_steps", o.decay_steps);
  if (o.warmup_steps < 0)
    throw InvalidArgument(cat("[CosineDecay] warmup_steps is ", o.warmup_steps, "; it must be 0 or more"));
  return [o, initial = given(name, "initial_learning_rate", o.initial_learning_rate)](const Tensor& at) {
    const Tensor steps = f(static_cast<double>(o.decay_steps));
    auto decayed = [&](const Tensor& step, double from) {
      return f(from) * (f(1 - o.alpha) * half_cosine(step / steps) + f(o.alpha));
    };
    if (!o.warmup_target) return decayed(minimum(f(at), steps), initial);
    const Tensor warmup = f(static_cast<double>(o.warmup_steps)), step = minimum(f(at), steps + warmup);
    const Tensor rising = (f(*o.warmup_target) - f(initial)) * (step / warmup) + f(initial);
    return select(step < warmup, rising, decayed(step - warmup, *o.warmup_target));
  };
}

Schedule::Formula formula(const CosineDecayRestartsOptions& o) {
  const char* const name = "CosineDecayRestarts";
  check_steps(name, "first_decay_steps", o.first_decay_steps);
  if (!(o.t_mul > 0)) throw InvalidArgument(cat("[CosineDecayRestarts] t_mul is ", o.t_mul, "; it must be above 0"));
  return [o, initial = given(name, "initial_learning_rate", o.initial_learning_rate)](const Tensor& step) {
    Tensor fraction = f(step) / f(static_cast<double>(o.first_decay_steps)), restarts;
    if (o.t_mul == 1) {
      restarts = floor(fraction);
      fraction = fraction - restarts;
    } else {  // restart i comes after 1 + t + … + t^(i-1) first periods
      const Tensor t = f(o.t_mul), one = f(1);
      restarts = floor(log(one - fraction * (one - t)) / log(t));
      const Tensor power = pow(t, restarts);
      fraction = (fraction - (one - power) / (one - t)) / power;
    }
    const Tensor cosine = pow(f(o.m_mul), restarts) * half_cosine(fraction);
    return f(initial) * ((f(1) - f(o.alpha)) * cosine + f(o.alpha));
  };
}

template <typename Kind, typename Options>
Schedule made(const Settings& settings) {
  return Kind(options_of<Options>(settings));
}

struct Row {
  std::string_view name;
  Schedule (*make)(const Settings&);
};
constexpr Row kSchedules[] = {
#define BRIO_SCHEDULE(Class) {#Class, made<Class, Class##Options>},
#include "brio/nn/optimizers/schedule_kinds.h"
};

}  // namespace

Schedule::Schedule(Formula formula, Settings settings)
    : formula_(std::move(formula)), settings_(std::move(settings)) {
  if (!formula_) throw InvalidArgument("[Schedule] the formula is none; give it a function of the step");
}

Tensor Schedule::operator()(const Tensor& step) const {
  if (!step.defined()) throw InvalidArgument("[Schedule] the step is none; give it a number");
  Tensor rate = formula_(step);
  if (!rate.defined() || rate.rank() > step.rank() || !is_floating(rate.dtype()))
    throw InvalidArgument(
        cat("[Schedule] the formula must return a floating-point number for each step, but returned ",
            rate.defined() ? cat(rate.dtype(), " of shape ", rate.shape()) : "none"));
  return rate;
}

double Schedule::operator()(int64_t step) const {
  return cast((*this)(host_scalar(static_cast<uint64_t>(step), i64)), f64).item<double>();
}

#define BRIO_SCHEDULE(Class) \
  Class::Class(Class##Options options) : Schedule(formula(options), settings_of(#Class, options)) {}
#include "brio/nn/optimizers/schedule_kinds.h"

Schedule Schedule::from(const Settings& settings) {
  return row_named("schedule", settings.class_name, kSchedules).make(settings);
}

}  // namespace brio::nn
