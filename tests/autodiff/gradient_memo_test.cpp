// A gradient that is asked for again is copied from the last time: rules run once, and what differs is told apart.
#include "brio/autodiff/gradient_memo.h"

#include <gtest/gtest.h>

#include <functional>

#include "brio/autodiff/tape.h"
#include "brio/ir/grad.h"
#include "brio/ops/control/control.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

// An op that counts how often its rule runs. It has no kernel: nobody may read it.
int rule_runs = 0;
const OpDef probe{.name = "probe",
                  .summary = "counts",
                  .kind = OpKind::elementwise,
                  .min_inputs = 1,
                  .max_inputs = 1,
                  .infer = [](const OpCall& call, std::vector<Aval>& out) { out.push_back(*call.in[0]); },
                  .grad =
                      [](GradContext& c) {
                        ++rule_runs;
                        c.set(0, c.cotangent() * 3 + c.cotangent());
                      },
                  .grad_needs = kNeedsNothing};

Tensor memo_gradient_of(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  GradientTape tape;
  tape.watch(x);
  return tape.gradient(f(x), {x})[0];
}

class GradientMemos : public testing::Test {
 protected:
  void SetUp() override {
    flush();
    rule_runs = 0;
  }
};

TEST_F(GradientMemos, RunTheRulesOnce) {
  for (int round = 0; round < 5; ++round) {
    const Tensor x({1.0f + static_cast<float>(round), 2});
    const Tensor gradient = memo_gradient_of([](const Tensor& t) { return sum(record(probe, {}, square(t))); }, x);
    EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{8.0f + 8 * static_cast<float>(round), 16}));
  }
  EXPECT_EQ(rule_runs, 1);
}

TEST_F(GradientMemos, LeaveOutTheUsersRulesAndOutputGradients) {
  const auto doubled = custom_gradient([](const std::vector<Tensor>& in) {
    return CustomResult{in[0] * 2, [](const Tensor& dy) -> std::vector<Tensor> {
                          ++rule_runs;
                          return {dy * 2};
                        }};
  });
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(memo_gradient_of([&](const Tensor& t) { return sum(doubled({t})); }, Tensor({1, 2})).to_vector<float>(),
              (std::vector<float>{2, 2}));
  EXPECT_EQ(rule_runs, 3);
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    const Tensor x({1, 2}), seed({static_cast<float>(round), 1});
    tape.watch(x);
    Tensor y = record(probe, {}, x);
    const std::vector<GradientTape::Source> sources{x};
    const Tensor gradient = tape.gradient(std::span(&y, 1), sources, std::span(&seed, 1))[0];
    y.reset();
    EXPECT_EQ(gradient.to_vector<float>(), (std::vector<float>{4 * static_cast<float>(round), 4}));
  }
  EXPECT_EQ(rule_runs, 6);
}

TEST_F(GradientMemos, LeaveOutBranches) {
  for (const bool which : {true, false, true, false}) {
    const Tensor gradient = memo_gradient_of(
        [&](const Tensor& t) {
          return sum(cond(
              constant(which, boolean), [&] { return square(t); }, [&] { return t * 3; }));
        },
        Tensor({1, 2}));
    EXPECT_EQ(gradient.to_vector<float>(), which ? (std::vector<float>{2, 4}) : (std::vector<float>{3, 3}));
  }
}

// What differs in an attribute, a shape, a dtype, a source, a target or a tape is another question.
TEST_F(GradientMemos, TellApartWhatDiffers) {
  const Tensor x({{1, 2}, {3, 4}}), wide({{1, 2, 3}, {4, 5, 6}}), doubles = cast(x, f64);
  auto values = [](const Tensor& t) { return cast(t, f64).to_vector<double>(); };
  struct Case {
    const char* name;
    std::function<Tensor()> gradient;
    std::vector<double> expected;
  };
  auto of = [&](const Tensor& at, std::function<Tensor(const Tensor&)> f) {
    return [at, f = std::move(f)] { return memo_gradient_of(f, at); };
  };
  const std::vector<Case> cases{
      {"rows", of(x, [](const Tensor& t) { return sum(square(sum(t, {0}))); }), {8, 12, 8, 12}},
      {"columns", of(x, [](const Tensor& t) { return sum(square(sum(t, {1}))); }), {6, 6, 14, 14}},
      {"a wider one", of(wide, [](const Tensor& t) { return sum(square(sum(t, {1}))); }), {12, 12, 12, 30, 30, 30}},
      {"doubles", of(doubles, [](const Tensor& t) { return sum(square(sum(t, {1}))); }), {6, 6, 14, 14}},
      {"times two", of(x, [](const Tensor& t) { return sum(t * 2); }), {2, 2, 2, 2}},
      {"times three", of(x, [](const Tensor& t) { return sum(t * 3); }), {3, 3, 3, 3}},
      {"a power", of(x, [](const Tensor& t) { return sum(pow(t, 3)); }), {3, 12, 27, 48}},
      {"another target",
       of(x,
          [](const Tensor& t) {
            const Tensor first = sum(square(sum(t, {0})));
            return square(first) * 0 + sum(t);
          }),
       {1, 1, 1, 1}},
      {"its second source",
       [&] {
         GradientTape tape;
         const Tensor a = x + 0, b = x + 1;
         tape.watch(a);
         tape.watch(b);
         return tape.gradient(sum(a * b), {b})[0];
       },
       {1, 2, 3, 4}},
      {"its first source",
       [&] {
         GradientTape tape;
         const Tensor a = x + 0, b = x + 1;
         tape.watch(a);
         tape.watch(b);
         return tape.gradient(sum(a * b), {a})[0];
       },
       {2, 3, 4, 5}},
      {"of the second order",
       of(x,
          [](const Tensor& t) { return sum(memo_gradient_of([](const Tensor& u) { return sum(pow(u, 3)); }, t)); }),
       {6, 12, 18, 24}},
  };
  for (int round = 0; round < 3; ++round)
    for (const Case& c : cases) EXPECT_EQ(values(c.gradient()), c.expected) << c.name << ", round " << round;
}

TEST_F(GradientMemos, GiveNoneWhereNothingFlows) {
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    const Tensor x({1, 2}), y({3, 4});
    tape.watch(x);
    tape.watch(y);
    const std::vector<Tensor> gradients = tape.gradient(sum(square(x)), {x, y});
    EXPECT_EQ(gradients[0].to_vector<float>(), (std::vector<float>{2, 4}));
    EXPECT_FALSE(gradients[1].defined());
  }
}

TEST_F(GradientMemos, StayRightWhenThereAreMoreThanAreKept) {
  for (int round = 0; round < 2; ++round)
    for (int64_t n = 1; n <= 40; ++n) {
      const Tensor x = range(0, n, 1, f32);
      std::vector<float> expected;
      for (int64_t i = 0; i < n; ++i) expected.push_back(2 * static_cast<float>(i));
      EXPECT_EQ(memo_gradient_of([](const Tensor& t) { return sum(square(t)); }, x).to_vector<float>(), expected);
    }
}

TEST_F(GradientMemos, AnswerAPersistentTapeTwice) {
  for (int round = 0; round < 3; ++round) {
    GradientTape tape({.persistent = true});
    const Tensor x({1, 2});
    tape.watch(x);
    const Tensor y = square(x), z = sum(y * y);
    EXPECT_EQ(tape.gradient(z, {x})[0].to_vector<float>(), (std::vector<float>{4, 32}));
    EXPECT_EQ(tape.gradient(z, {x})[0].to_vector<float>(), (std::vector<float>{4, 32}));
    EXPECT_EQ(tape.gradient(z, {y})[0].to_vector<float>(), (std::vector<float>{2, 8}));
  }
}

}  // namespace
}  // namespace brio
