#include "brio/nn/optimizers/schedule.h"

#include <cmath>
#include <numbers>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise/elementwise.h"

namespace brio::nn {
namespace {

Tensor f(double value) { return constant(value, f32); }
Tensor f(const Tensor& step) { return cast(step, f32); }

void check_steps(const char* schedule, const char* what, int64_t steps) {
  if (steps <= 0) throw InvalidArgument(cat("[", schedule, "] ", what, " is ", steps, "; it must be above 0"));
}

Tensor half_cosine(const Tensor& fraction) { return f(0.5) * (f(1) + cos(f(std::numbers::pi) * fraction)); }

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

ExponentialDecay::ExponentialDecay(double initial, int64_t decay_steps, double decay_rate,
                                   ExponentialDecayOptions options)
    : Schedule(
          [=](const Tensor& step) {
            Tensor p = f(step) / f(static_cast<double>(decay_steps));
            if (options.staircase) p = floor(p);
            return f(initial) * pow(f(decay_rate), p);
          },
          {"ExponentialDecay",
           {{"initial_learning_rate", initial},
            {"decay_steps", decay_steps},
            {"decay_rate", decay_rate},
            {"staircase", options.staircase}}}) {
  check_steps("ExponentialDecay", "decay_steps", decay_steps);
}

PiecewiseConstantDecay::PiecewiseConstantDecay(std::vector<int64_t> boundaries, std::vector<double> values)
    : Schedule(
          [=](const Tensor& step) {
            Tensor rate = f(values.back());
            for (size_t i = boundaries.size(); i-- > 0;)
              rate = select(cast(step, i64) <= constant(boundaries[i], i64), f(values[i]), rate);
            return rate;
          },
          {"PiecewiseConstantDecay",
           {{"boundaries", std::vector<double>(boundaries.begin(), boundaries.end())}, {"values", values}}}) {
  if (boundaries.size() + 1 != values.size() || boundaries.empty())
    throw InvalidArgument(cat("[PiecewiseConstantDecay] there are ", boundaries.size(), " boundaries and ",
                              values.size(), " values; give at least one boundary, and one value more"));
  for (size_t i = 1; i < boundaries.size(); ++i)
    if (boundaries[i] <= boundaries[i - 1])
      throw InvalidArgument(cat("[PiecewiseConstantDecay] boundary ", boundaries[i], " follows ", boundaries[i - 1],
                                "; boundaries must increase"));
}

PolynomialDecay::PolynomialDecay(double initial, int64_t decay_steps, PolynomialDecayOptions options)
    : Schedule(
          [=](const Tensor& at) {
            Tensor step = f(at), steps = f(static_cast<double>(decay_steps));
            if (options.cycle) steps = steps * select(equal(step, f(0)), f(1), ceil(step / steps));
            else step = minimum(step, steps);
            const Tensor end = f(options.end_learning_rate);
            return (f(initial) - end) * pow(f(1) - step / steps, f(options.power)) + end;
          },
          {"PolynomialDecay",
           {{"initial_learning_rate", initial},
            {"decay_steps", decay_steps},
            {"end_learning_rate", options.end_learning_rate},
            {"power", options.power},
            {"cycle", options.cycle}}}) {
  check_steps("PolynomialDecay", "decay_steps", decay_steps);
}

InverseTimeDecay::InverseTimeDecay(double initial, int64_t decay_steps, double decay_rate,
                                   InverseTimeDecayOptions options)
    : Schedule(
          [=](const Tensor& step) {
            Tensor p = f(step) / f(static_cast<double>(decay_steps));
            if (options.staircase) p = floor(p);
            return f(initial) / (f(1) + f(decay_rate) * p);
          },
          {"InverseTimeDecay",
           {{"initial_learning_rate", initial},
            {"decay_steps", decay_steps},
            {"decay_rate", decay_rate},
            {"staircase", options.staircase}}}) {
  check_steps("InverseTimeDecay", "decay_steps", decay_steps);
}

CosineDecay::CosineDecay(double initial, int64_t decay_steps, CosineDecayOptions options)
    : Schedule(
          [=](const Tensor& at) {
            const Tensor steps = f(static_cast<double>(decay_steps));
            auto decayed = [&](const Tensor& step, double from) {
              return f(from) * (f(1 - options.alpha) * half_cosine(step / steps) + f(options.alpha));
            };
            if (!options.warmup_target) return decayed(minimum(f(at), steps), initial);
            const Tensor warmup = f(static_cast<double>(options.warmup_steps)), step = minimum(f(at), steps + warmup);
            const Tensor rising = (f(*options.warmup_target) - f(initial)) * (step / warmup) + f(initial);
            return select(step < warmup, rising, decayed(step - warmup, *options.warmup_target));
          },
          {"CosineDecay",
           {{"initial_learning_rate", initial},
            {"decay_steps", decay_steps},
            {"alpha", options.alpha},
            {"warmup_target", options.warmup_target ? Setting(*options.warmup_target) : Setting()},
            {"warmup_steps", options.warmup_steps}}}) {
  check_steps("CosineDecay", "decay_steps", decay_steps);
  if (options.warmup_steps < 0)
    throw InvalidArgument(cat("[CosineDecay] warmup_steps is ", options.warmup_steps, "; it must be 0 or more"));
}

CosineDecayRestarts::CosineDecayRestarts(double initial, int64_t first_decay_steps,
                                         CosineDecayRestartsOptions options)
    : Schedule(
          [=](const Tensor& step) {
            Tensor fraction = f(step) / f(static_cast<double>(first_decay_steps)), restarts;
            if (options.t_mul == 1) {
              restarts = floor(fraction);
              fraction = fraction - restarts;
            } else {  // restart i comes after 1 + t + … + t^(i-1) first periods
              const Tensor t = f(options.t_mul), one = f(1);
              restarts = floor(log(one - fraction * (one - t)) / log(t));
              const Tensor power = pow(t, restarts);
              fraction = (fraction - (one - power) / (one - t)) / power;
            }
            const Tensor cosine = pow(f(options.m_mul), restarts) * half_cosine(fraction);
            return f(initial) * ((f(1) - f(options.alpha)) * cosine + f(options.alpha));
          },
          {"CosineDecayRestarts",
           {{"initial_learning_rate", initial},
            {"first_decay_steps", first_decay_steps},
            {"t_mul", options.t_mul},
            {"m_mul", options.m_mul},
            {"alpha", options.alpha}}}) {
  check_steps("CosineDecayRestarts", "first_decay_steps", first_decay_steps);
  if (!(options.t_mul > 0))
    throw InvalidArgument(cat("[CosineDecayRestarts] t_mul is ", options.t_mul, "; it must be above 0"));
}

namespace {

struct Row {
  std::string_view name;
  Schedule (*make)(const Settings&);
};
constexpr Row kSchedules[] = {
    {"ExponentialDecay",
     [](const Settings& s) -> Schedule {
       return ExponentialDecay(s.number("initial_learning_rate", 0), s.integer("decay_steps", 0),
                               s.number("decay_rate", 0), {.staircase = s.truth("staircase", false)});
     }},
    {"PiecewiseConstantDecay",
     [](const Settings& s) -> Schedule {
       const std::vector<double> boundaries = s.list("boundaries");
       return PiecewiseConstantDecay({boundaries.begin(), boundaries.end()}, s.list("values"));
     }},
    {"PolynomialDecay",
     [](const Settings& s) -> Schedule {
       return PolynomialDecay(s.number("initial_learning_rate", 0), s.integer("decay_steps", 0),
                              {.end_learning_rate = s.number("end_learning_rate", 0.0001),
                               .power = s.number("power", 1),
                               .cycle = s.truth("cycle", false)});
     }},
    {"InverseTimeDecay",
     [](const Settings& s) -> Schedule {
       return InverseTimeDecay(s.number("initial_learning_rate", 0), s.integer("decay_steps", 0),
                               s.number("decay_rate", 0), {.staircase = s.truth("staircase", false)});
     }},
    {"CosineDecay",
     [](const Settings& s) -> Schedule {
       CosineDecayOptions o{.alpha = s.number("alpha", 0), .warmup_steps = s.integer("warmup_steps", 0)};
       if (s.find("warmup_target")) o.warmup_target = s.number("warmup_target", 0);
       return CosineDecay(s.number("initial_learning_rate", 0), s.integer("decay_steps", 0), o);
     }},
    {"CosineDecayRestarts",
     [](const Settings& s) -> Schedule {
       return CosineDecayRestarts(
           s.number("initial_learning_rate", 0), s.integer("first_decay_steps", 0),
           {.t_mul = s.number("t_mul", 2), .m_mul = s.number("m_mul", 1), .alpha = s.number("alpha", 0)});
     }},
};

}  // namespace

Schedule Schedule::from(const Settings& settings) {
  return row_named("schedule", settings.class_name, kSchedules).make(settings);
}

}  // namespace brio::nn
