// Gradients that the user gives.
#include <gtest/gtest.h>

#include "brio/autodiff/exact_gradient.h"
#include "brio/brio.h"

namespace brio {
namespace {

// x², with 3x in place of its derivative 2x.
const auto odd_square = custom_gradient([](const std::vector<Tensor>& in) {
  const Tensor x = in[0];
  return CustomResult{square(x), [x](const Tensor& c) { return std::vector<Tensor>{c * x * 3.f}; }};
});

TEST(CustomGradient, ReplacesTheOneOfTheOps) {
  const Tensor x({1, 2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = odd_square({x});
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 4}));
  EXPECT_EQ(tape.gradient(y * 10.f, {x})[0].to_vector<float>(), (std::vector<float>{30, 60}));
}

TEST(CustomGradient, HasTheGradientOfWhatItComputes) {
  const Tensor x({1, 2});
  GradientTape outer;
  outer.watch(x);
  GradientTape tape;
  tape.watch(x);
  const Tensor slope = tape.gradient(odd_square({x}), {x})[0];
  EXPECT_EQ(outer.gradient(slope, {x})[0].to_vector<float>(), (std::vector<float>{3, 3}));
}

TEST(CustomGradient, MayBeNoneForAnArgument) {
  const auto first = custom_gradient([](const std::vector<Tensor>& in) {
    return CustomResult{in[0] * in[1], [](const Tensor& c) { return std::vector<Tensor>{c, Tensor()}; }};
  });
  const Tensor a({2}), b({3});
  GradientTape tape;
  tape.watch(a);
  tape.watch(b);
  const auto gradients = tape.gradient(first({a, b}), {a, b});
  EXPECT_EQ(gradients[0].to_vector<float>(), std::vector<float>{1});
  EXPECT_FALSE(gradients[1].defined());
}

TEST(CustomGradient, WorksInsideAFunction) {
  auto f = function([](const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    return tape.gradient(odd_square({x}), {x})[0];
  });
  EXPECT_EQ(f(Tensor({1, 2})).to_vector<float>(), (std::vector<float>{3, 6}));
  EXPECT_EQ(f(Tensor({3, 4})).to_vector<float>(), (std::vector<float>{9, 12}));
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(CustomGradient, OfAnotherNumberOfArgumentsIsRefused) {
  const auto wrong = custom_gradient([](const std::vector<Tensor>& in) {
    return CustomResult{in[0] * in[1], [](const Tensor& c) { return std::vector<Tensor>{c}; }};
  });
  const Tensor x({2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = wrong({x, x});
  EXPECT_EQ(error_of([&] { tape.gradient(y, {x}); }),
            "[custom_gradient] the gradient function returned 1 gradients for 2 arguments");
}

TEST(CustomGradient, InABodyIsRefusedWhenItIsDifferentiated) {
  const Tensor x({1, 2});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = cond(
      Tensor(Literal(true), boolean), [&] { return odd_square({x}); }, [&] { return x * 2.f; });
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 4}));
  EXPECT_EQ(
      error_of([&] { tape.gradient(y, {x}); }),
      "[custom_gradient] has no gradient inside a branch or loop body, nor when it was loaded; put it outside, or "
      "write the body without it");
}

TEST(CustomGradient, ThatIsExactIsDoneWithoutItsFunction) {
  const auto cube = exact_gradient([](const std::vector<Tensor>& in) {
    return CustomResult{in[0] * in[0] * in[0],
                        [x = in[0]](const Tensor& g) { return std::vector<Tensor>{g * 3.f * x * x}; }};
  });
  const Tensor x({1, 2});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  EXPECT_EQ(tape.gradient(cube({x}), {x})[0].to_vector<float>(), (std::vector<float>{3, 12}));
  const Tensor y = cond(
      Tensor(Literal(true), boolean), [&] { return cube({x}); }, [&] { return x * 2.f; });
  EXPECT_EQ(tape.gradient(y, {x})[0].to_vector<float>(), (std::vector<float>{3, 12}));
}

}  // namespace
}  // namespace brio
