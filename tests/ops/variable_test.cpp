#include "brio/ops/control/variable.h"

#include <gtest/gtest.h>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Variable, NeedsAValue) {
  EXPECT_EQ(error_of([] { Variable v{Tensor()}; }), "[variable] the initial value is none; give it a tensor");
  const std::string none = "[variable] this variable is none: it was made without a value";
  EXPECT_EQ(error_of([] { (void)Variable().value(); }), none);
  EXPECT_EQ(error_of([] { Variable().assign(tensor({2})); }), none);
}

TEST(Variable, KeepsItsShapeAndDtype) {
  Variable v(tensor({2}), {.name = "bias"});
  EXPECT_EQ(error_of([&] { v.assign(Tensor()); }), "[assign] variable 'bias' cannot become none");
  for (const Tensor& other : {tensor({3}), tensor({2}, f64)}) {
    const std::string error = error_of([&] { v.assign(other); });
    EXPECT_NE(error.find("'bias' is float32 of shape (2,), but the value is"), std::string::npos) << error;
  }
  v.assign(Tensor({1, 2}));
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(Variable, NoneRefusesToBeAskedAnything) {
  const Variable none;
  EXPECT_THROW((void)none.name(), InvalidArgument);
  EXPECT_THROW((void)none.shape(), InvalidArgument);
  EXPECT_THROW((void)none.dtype(), InvalidArgument);
  EXPECT_THROW((void)none.trainable(), InvalidArgument);
  EXPECT_THROW((void)none.value(), InvalidArgument);
}

TEST(Variable, IsFollowedWhereATapeWasToldTo) {
  Variable watched(Tensor(2)), other(Tensor(3));
  GradientTape tape({.persistent = false, .watch_accessed_variables = false});
  tape.watch(watched);
  const Tensor product = watched.value() * other.value();
  const auto gradients = tape.gradient(product, {watched, other});
  EXPECT_EQ(gradients[0].item<float>(), 3);
  EXPECT_FALSE(gradients[1].defined());
}

TEST(Variable, IsFollowedAnewAfterATapesReset) {
  Variable v(Tensor(2));
  GradientTape tape;
  const Tensor before = v.value() * v.value();
  tape.reset();
  const Tensor after = v.value() * v.value() * v.value();
  EXPECT_EQ(tape.gradient(after, {v})[0].item<float>(), 12);
}

}  // namespace
}  // namespace brio::testing
