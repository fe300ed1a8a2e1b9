// Functions whose trace is followed by tapes.
#include "brio/runtime/function.h"

#include <gtest/gtest.h>

#include "brio/autodiff/tape.h"
#include "brio/ops/control/control.h"
#include "brio/ops/control/effects.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

TEST(FunctionUnderTape, GivesTheGradientsOfItsOps) {
  Variable w(Tensor({2, 3}));
  int calls = 0;
  const auto f = function([&](const Tensor& x) {
    ++calls;
    return sum(square(w.value() * x));
  });
  const Tensor x({1, 4});
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = f(x);
    const std::vector<Tensor> gradients = tape.gradient(y, {w, x});
    EXPECT_EQ(y.item<float>(), 4 + 144);
    EXPECT_EQ(gradients[0].to_vector<float>(), (std::vector<float>{4, 96}));
    EXPECT_EQ(gradients[1].to_vector<float>(), (std::vector<float>{8, 72}));
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(f(x).item<float>(), 148);  // the same trace serves without a tape
  EXPECT_EQ(calls, 1);
}

TEST(FunctionUnderTape, SecondGradientsGoThrough) {
  const auto cube = function([](const Tensor& x) { return x * x * x; });
  const Tensor x = constant(2, f32);
  GradientTape outer;
  outer.watch(x);
  Tensor first;
  {
    GradientTape inner;
    inner.watch(x);
    const Tensor y = cube(x);
    first = inner.gradient(y, {x})[0];
  }
  EXPECT_EQ(first.item<float>(), 12);
  EXPECT_EQ(outer.gradient(first, {x})[0].item<float>(), 12);
}

TEST(FunctionUnderTape, AssignsAndDraws) {
  Variable count(zeros({})), w(ones({}));
  const auto f = function([&](const Tensor& x) {
    count.assign_add(constant(1, f32));
    return w.value() * x + random::uniform({}) * 0.f + random::uniform({});
  });
  const Tensor x = constant(3, f32);
  std::vector<float> results;
  for (int round = 0; round < 4; ++round) {
    if (round % 2 == 0) {
      results.push_back(f(x).item<float>());
      continue;
    }
    GradientTape tape;
    const Tensor y = f(x);
    EXPECT_EQ(tape.gradient(y, {w})[0].item<float>(), 3);
    results.push_back(y.item<float>());
  }
  EXPECT_EQ(count.value().item<float>(), 4);
  for (size_t i = 1; i < results.size(); ++i) EXPECT_NE(results[i], results[i - 1]);  // numbers move on
}

TEST(FunctionUnderTape, KeepsAGradientOfOnesOwn) {
  const auto doubled = custom_gradient([](const std::vector<Tensor>& in) {
    return CustomResult{in[0] * 2.f, [](const Tensor& g) { return std::vector{g * 100.f}; }};
  });
  const auto f = function([&](const Tensor& x) { return doubled({x}); });
  const Tensor x = constant(1, f32);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = f(x);
  EXPECT_EQ(y.item<float>(), 2);
  EXPECT_EQ(tape.gradient(y, {x})[0].item<float>(), 100);
}

TEST(FunctionUnderTape, LoopsAndBranches) {
  Variable w(constant(2, f32));
  const auto f = function([&](const Tensor& x) {
    const Tensor y = cond(
        x > 0.f, [&] { return x * w.value(); }, [&] { return x; });
    return while_loop([](const std::vector<Tensor>& s) { return s[0] < 3.f; },
                      [&](const std::vector<Tensor>& s) {
                        return std::vector{s[0] + 1.f, s[1] * w.value()};
                      },
                      {constant(0, f32), y})[1];
  });
  const Tensor x = constant(1, f32);
  GradientTape tape;
  const Tensor y = f(x);  // w⁴
  EXPECT_EQ(y.item<float>(), 16);
  EXPECT_EQ(tape.gradient(y, {w})[0].item<float>(), 32);
}

}  // namespace
}  // namespace brio
