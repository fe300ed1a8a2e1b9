// The short functions of device/short_functions.cuh, as the host computes them: all 16-bit numbers through each, with
// the GPU's two instructions as far from the truth as they may be, either way.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "brio/base/special_functions.h"
#include "brio/tensor/dtype.h"

namespace brio {
namespace {

using f32 = float;
double exp2_error = 0, reciprocal_error = 0;  // of the instructions, as parts of their results

f32 flushed(double x) { return std::fabs(x) < std::numeric_limits<f32>::min() ? 0 : static_cast<f32>(x); }
f32 quick_exp2(f32 x) { return flushed(std::exp2(double{x}) * (1 + exp2_error)); }
f32 quick_reciprocal(f32 x) { return flushed(1 / double{x} * (1 + reciprocal_error)); }
#define DEVICE inline
#include "brio/backends/cuda/device/short_functions.cuh"
#undef DEVICE

using Function = f32 (*)(f32);
using Exact = double (*)(double);

template <typename Number>
void expect_exact_enough(Function function, Exact exact) {
  constexpr double kOneInstruction = 0x1p-22;
  for (const double first : {-kOneInstruction, 0.0, kOneInstruction})
    for (const double second : {-kOneInstruction, 0.0, kOneInstruction}) {
      exp2_error = first;
      reciprocal_error = second;
      size_t numbers = 0, other = 0;
      for (uint32_t bits = 0; bits < 65536; ++bits) {
        const float x = static_cast<float>(std::bit_cast<Number>(static_cast<uint16_t>(bits)));
        const float y = function(x);
        const double want = exact(x);
        if (std::isnan(x)) {
          ASSERT_TRUE(std::isnan(y));
          continue;
        }
        if (std::isinf(static_cast<float>(want))) {
          ASSERT_EQ(y, static_cast<float>(want)) << x;
          continue;
        }
        ASSERT_LE(std::fabs(y - want), 0x1p-16 * std::fabs(want) + std::numeric_limits<float>::min()) << x;
        // Once rounded, few differ, and these by one step.
        const auto rounded = std::bit_cast<uint16_t>(Number(y));
        const auto wanted = std::bit_cast<uint16_t>(Number(static_cast<float>(want)));
        const bool tiny = std::fabs(want) < 2 * std::numeric_limits<float>::min();  // may be flushed to 0
        if (!tiny) {
          ASSERT_LE(std::abs(int{rounded} - int{wanted}), 1) << x;
        }
        ++numbers;
        other += rounded != wanted && !tiny;
      }
      EXPECT_GT(numbers, 40000u);
      EXPECT_LT(static_cast<double>(other), 0.002 * static_cast<double>(numbers));
    }
}

void expect_exact_enough_in_both(Function function, Exact exact) {
  expect_exact_enough<Half>(function, exact);
  expect_exact_enough<BFloat16>(function, exact);
}

TEST(ShortFunctions, Exp) {
  expect_exact_enough_in_both(short_exp, [](double x) { return std::exp(x); });
}
TEST(ShortFunctions, Sigmoid) {
  expect_exact_enough_in_both(short_sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
}
TEST(ShortFunctions, NormalDistribution) { expect_exact_enough_in_both(short_ndtr, special::ndtr); }

}  // namespace
}  // namespace brio
