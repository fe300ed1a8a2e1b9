#include "brio/ops/control/scan_ops.h"

#include <gtest/gtest.h>

#include <limits>

#include "brio/autodiff/tape.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

OpTest scan_test(const OpDef& op, std::vector<DType> dtypes, double low = -2, double high = 2) {
  return {.op = &op,
          .dtypes = std::move(dtypes),
          .make =
              [low, high](Rng& rng, DType dtype, int i) {
                const Shape shape = random_shape(rng, std::max(1, i % 9));
                const int64_t axis = rng.range(0, shape.rank() - 1);
                return Case{{{{shape, dtype}, low, high, is_floating(dtype) ? Fill::uniform : Fill::bits}},
                            {axis, i / 9 == 1, rng.range(0, 1)}};
              },
          .large =
              [low, high](DType dtype) {
                return Case{{{{Shape{2048, 2048}, dtype}, low, high}}, {1, 0, 0}};
              }};
}

std::vector<OpTest> tests() {
  return {scan_test(op::cumsum, kNumbers), scan_test(op::cumprod, kNumbers, 0.7, 1.4),
          scan_test(op::cumulative_logsumexp, kFloats)};
}

std::vector<Invalid> invalid() {
  return {
      {&op::cumsum, "bools", [] { cumsum(tensor({2}, boolean)); }, {"bool", "cast"}},
      {&op::cumsum,
       "an axis",
       [] {
         cumsum(tensor({2, 3}), 2);
       },
       {"axis 2", "rank 2", "[-2, 2)"}},
      {&op::cumsum, "a scalar", [] { cumsum(tensor({})); }, {"axis 0", "rank 0"}},
      {&op::cumsum,
       "an axis in the attributes",
       [] {
         call(op::cumsum, {tensor({2})}, {-1, 0, 0});
       },
       {"axis -1", "(2,)"}},
      {&op::cumprod, "none", [] { cumprod(Tensor()); }, {"none"}},
      {&op::cumulative_logsumexp,
       "integers",
       [] { cumulative_logsumexp(tensor({2}, i32)); },
       {"floating-point", "int32", "cast"}},
  };
}

const AddOpTests add_tests(tests, invalid);

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> gradient_of(Tensor (*f)(const Tensor&, int, CumulativeOptions), std::vector<float> values,
                               CumulativeOptions options = {}) {
  const Tensor x = Tensor::from(values, {static_cast<int64_t>(values.size())});
  GradientTape tape;
  tape.watch(x);
  return tape.gradient(f(x, 0, options), {x})[0].to_vector<float>();
}

TEST(ScanOps, InfinitiesDoNotBecomeNaN) {
  EXPECT_EQ(cumulative_logsumexp(Tensor({0, 0}), 0, {.exclusive = true}).to_vector<float>(),
            (std::vector<float>{-kInf, 0}));
  EXPECT_EQ(cumulative_logsumexp(Tensor({-kInf, -kInf, 2})).to_vector<float>(),
            (std::vector<float>{-kInf, -kInf, 2}));
  EXPECT_EQ(cumulative_logsumexp(Tensor({1, kInf, 2})).to_vector<float>()[2], kInf);
  EXPECT_EQ(gradient_of(cumulative_logsumexp, {0, 0}, {.exclusive = true}), (std::vector<float>{1, 0}));
}

// Where TensorFlow's gradient divides by 0.
TEST(ScanOps, ProductsWithZerosHaveGradients) {
  EXPECT_EQ(gradient_of(cumprod, {2, 0, 3, 0}), (std::vector<float>{1, 2 + 6, 0, 0}));
  EXPECT_EQ(gradient_of(cumprod, {2, 0, 3}, {.reverse = true}), (std::vector<float>{0, 3 + 6, 1}));
  EXPECT_EQ(gradient_of(cumprod, {2, 0, 3}, {.exclusive = true}), (std::vector<float>{1, 2, 0}));
}

TEST(ScanOps, LongSumsKeepTheirDigits) {
  const Tensor ones = Tensor::from(std::vector<float>(100000, 0.1f), {100000});
  EXPECT_NEAR(cumsum(ones).to_vector<float>().back(), 10000, 0.01);
}

}  // namespace
}  // namespace brio::testing
