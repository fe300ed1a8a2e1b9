// Schedules against Keras' values, on the host and in plans; how optimizers use them.
#include "brio/nn/optimizers/schedule.h"

#include "tests/nn/golden_optimizers.h"

namespace brio {
namespace {

nn::Schedule make_schedule(const golden::Case& c) {
  const std::string& kind = c.text("schedule");
  if (kind == "PiecewiseConstantDecay") {
    const std::vector<double>& ends = c.input("boundaries").data;
    return nn::PiecewiseConstantDecay({.boundaries = {ends.begin(), ends.end()}, .values = c.input("values").data});
  }
  const double initial = c.number("initial");
  const int64_t steps = golden::count(c, "decay_steps").value_or(0);
  const bool staircase = c.number("staircase", 0) != 0;
  if (kind == "ExponentialDecay")
    return nn::ExponentialDecay({.initial_learning_rate = initial,
                                 .decay_steps = steps,
                                 .decay_rate = c.number("decay_rate"),
                                 .staircase = staircase});
  if (kind == "InverseTimeDecay")
    return nn::InverseTimeDecay({.initial_learning_rate = initial,
                                 .decay_steps = steps,
                                 .decay_rate = c.number("decay_rate"),
                                 .staircase = staircase});
  if (kind == "PolynomialDecay")
    return nn::PolynomialDecay({.initial_learning_rate = initial,
                                .decay_steps = steps,
                                .end_learning_rate = c.number("end_learning_rate", 0.0001),
                                .power = c.number("power", 1),
                                .cycle = c.number("cycle", 0) != 0});
  if (kind == "CosineDecay")
    return nn::CosineDecay({.initial_learning_rate = initial,
                            .decay_steps = steps,
                            .alpha = c.number("alpha", 0),
                            .warmup_target = golden::option(c, "warmup_target"),
                            .warmup_steps = golden::count(c, "warmup_steps").value_or(0)});
  return nn::CosineDecayRestarts({.initial_learning_rate = initial,
                                  .first_decay_steps = *golden::count(c, "first_decay_steps"),
                                  .t_mul = c.number("t_mul", 2),
                                  .m_mul = c.number("m_mul", 1),
                                  .alpha = c.number("alpha", 0)});
}

TEST(Schedule, AgreesWithKeras) {
  for (const golden::Case& c : golden::load("schedules.json")) {
    const nn::Schedule schedule = make_schedule(c);
    auto traced = function([&](const Tensor& step) { return schedule(step); });
    for (size_t i = 0; i < 10; ++i) {
      const auto step = static_cast<int64_t>(c.input("steps").data[i]);
      const double expected = c.output("rate").data[i];
      // A cosine near its end is the difference of two numbers near 1.
      const double near = 1e-5 * std::abs(expected) + 1e-7;
      EXPECT_NEAR(schedule(step), expected, near) << c.name << " at " << step;
      EXPECT_NEAR(traced(Tensor::from(&step, Shape())).item<float>(), expected, near) << c.name << " at " << step;
    }
  }
}

TEST(Schedule, IsPartOfThePlan) {
  const nn::SGD sgd(nn::ExponentialDecay({.initial_learning_rate = 1, .decay_steps = 1, .decay_rate = 0.5}));
  Variable v(Tensor({0}));
  auto step = function([&] { sgd.apply_gradients({ones({1})}, {v}); });
  for (double rate : {1, 2, 4}) {
    EXPECT_EQ(sgd.learning_rate().item<double>(), 1 / rate);
    step();
  }
  EXPECT_EQ(step.traces(), 1u);
  EXPECT_EQ(v.value().item<float>(), -1.75f);
  sgd.apply_gradients({ones({1})}, {v});
  EXPECT_EQ(v.value().item<float>(), -1.875f);
  EXPECT_EQ(sgd.variables().size(), 1u);  // there is no learning rate to keep
}

TEST(Schedule, ReplacesANumberButNotTheOtherWay) {
  const nn::SGD sgd(0.5);
  EXPECT_EQ(sgd.variables().size(), 2u);
  sgd.set_learning_rate(nn::PiecewiseConstantDecay({.boundaries = {0}, .values = {0.25, 0.125}}));
  EXPECT_EQ(sgd.learning_rate().item<double>(), 0.25);
  EXPECT_EQ(sgd.variables().size(), 1u);
  EXPECT_SAYS(golden::invalid([&] { sgd.set_learning_rate(0.1); }), "comes from a schedule and cannot be set to 0.1");
}

TEST(Schedule, OfYourOwn) {
  const nn::Schedule mine([](const Tensor& step) { return 1 / (cast(step, f64) + 1); });
  EXPECT_EQ(mine(3), 0.25);
  const nn::SGD sgd(mine);
  EXPECT_EQ(sgd.learning_rate().item<double>(), 1);
}

TEST(Schedule, SaysWhatIsWrong) {
  EXPECT_SAYS(
      golden::invalid([] { nn::ExponentialDecay({.initial_learning_rate = 1, .decay_steps = 0, .decay_rate = 1}); }),
      "[ExponentialDecay] decay_steps is 0");
  EXPECT_SAYS(
      golden::invalid([] { nn::InverseTimeDecay({.initial_learning_rate = 1, .decay_steps = -1, .decay_rate = 1}); }),
      "[InverseTimeDecay] decay_steps is -1");
  EXPECT_SAYS(golden::invalid([] { nn::PolynomialDecay({.initial_learning_rate = 1}); }),
              "[PolynomialDecay] decay_steps is 0");
  EXPECT_SAYS(golden::invalid([] { nn::CosineDecay({.initial_learning_rate = 1}); }),
              "[CosineDecay] decay_steps is 0");
  EXPECT_SAYS(
      golden::invalid([] { nn::CosineDecay({.initial_learning_rate = 1, .decay_steps = 1, .warmup_steps = -1}); }),
      "warmup_steps is -1");
  EXPECT_SAYS(golden::invalid([] { nn::CosineDecayRestarts({.initial_learning_rate = 1}); }),
              "first_decay_steps is 0");
  EXPECT_SAYS(golden::invalid(
                  [] { nn::CosineDecayRestarts({.initial_learning_rate = 1, .first_decay_steps = 1, .t_mul = 0}); }),
              "t_mul is 0");
  EXPECT_SAYS(golden::invalid([] {
                nn::PiecewiseConstantDecay({.boundaries = {1, 2}, .values = {1, 2}});
              }),
              "2 boundaries and 2 values");
  EXPECT_SAYS(golden::invalid([] { nn::PiecewiseConstantDecay({}); }), "0 boundaries and 0 values");
  EXPECT_SAYS(golden::invalid([] {
                nn::PiecewiseConstantDecay({.boundaries = {2, 2}, .values = {1, 2, 3}});
              }),
              "boundaries must increase");
  EXPECT_SAYS(golden::invalid([] { nn::CosineDecay({.decay_steps = 1}); }),
              "[CosineDecay] there is no initial_learning_rate");
  EXPECT_SAYS(golden::invalid([] { nn::InverseTimeDecay({.initial_learning_rate = 1, .decay_steps = 1}); }),
              "[InverseTimeDecay] there is no decay_rate");
  EXPECT_SAYS(golden::invalid([] { nn::Schedule(nullptr); }), "the formula is none");
  const nn::Schedule sums([](const Tensor& step) { return step; });
  EXPECT_SAYS(golden::invalid([&] { sums(1); }),
              "must return a floating-point number for each step, but returned int64");
  const nn::Schedule none([](const Tensor&) { return Tensor(); });
  EXPECT_SAYS(golden::invalid([&] { none(1); }), "but returned none");
  EXPECT_EQ(sums(ones({200})).shape(), Shape({200}));  // one rate for each step
  EXPECT_SAYS(golden::invalid([&] { sums(Tensor()); }), "the step is none");
}

}  // namespace
}  // namespace brio
