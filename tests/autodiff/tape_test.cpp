#include "brio/autodiff/tape.h"

#include <gtest/gtest.h>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"

namespace brio {
namespace {

TEST(Tape, APersistentOneFollowsItsOwnGradients) {
  const Tensor x({1.0f, 2.0f});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = square(square(x));
  const Tensor first = tape.gradient(y, {x})[0], second = tape.gradient(first, {x})[0];
  EXPECT_EQ(first.to_vector<float>(), (std::vector<float>{4, 32}));
  EXPECT_EQ(second.to_vector<float>(), (std::vector<float>{12, 48}));
  EXPECT_EQ(tape.gradient(second * x, {x})[0].to_vector<float>(), (std::vector<float>{36, 144}));
}

TEST(Tape, APausedOneDoesNot) {
  const Tensor x({1.0f, 2.0f});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = square(x);
  const auto pause = tape.stop_recording();
  const Tensor first = tape.gradient(y, {x})[0];
  EXPECT_EQ(first.to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_FALSE(tape.gradient(first, {x})[0].defined());
}

}  // namespace
}  // namespace brio
