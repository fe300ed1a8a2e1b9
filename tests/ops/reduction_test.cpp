#include "brio/ops/reductions/reduction.h"

#include <gtest/gtest.h>

#include "brio/autodiff/tape.h"
#include "tests/ops/complex_dtypes.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

OpTest reduction(const OpDef& op, std::vector<DType> dtypes, double low = -2, double high = 2) {
  return {.op = &op,
          .dtypes = std::move(dtypes),
          .make =
              [low, high](Rng& rng, DType dtype, int i) {
                const Shape shape = random_shape(rng, i % 9);
                std::vector<int64_t> axes;
                for (int axis = 0; axis < shape.rank(); ++axis)
                  if (rng.chance(i < 9 ? 0.5 : i < 18 ? 0.8 : 0.2)) axes.push_back(axis);
                std::vector<int64_t> attrs = {rng.range(0, 1), static_cast<int64_t>(axes.size())};
                attrs.insert(attrs.end(), axes.begin(), axes.end());
                const double part =
                    is_complex(dtype) ? 0.69 : 1;  // so that products of magnitudes neither grow nor shrink
                return Case{
                    {{{shape, dtype}, part * low, part * high, is_floating(dtype) ? Fill::uniform : Fill::bits}},
                    attrs};
              },
          .large =
              [low, high](DType dtype) {
                return Case{{{{Shape{2048, 2048}, dtype}, low, high}}, {0, 1, 1}};
              }};
}

std::vector<OpTest> tests() {
  return {reduction(op::reduce_sum, with_complex(kNumbers)),
          reduction(op::reduce_prod, with_complex(kNumbers), 0.7, 1.4),
          reduction(op::reduce_max, kNumbers),
          reduction(op::reduce_min, kNumbers),
          reduction(op::reduce_any, {boolean}),
          reduction(op::reduce_all, {boolean})};
}

std::vector<Invalid> invalid() {
  return {
      {&op::reduce_sum, "a bool", [] { sum(tensor({2}, boolean)); }, {"bool", "cast"}},
      {&op::reduce_any, "a number", [] { any(tensor({2})); }, {"float32", "bool"}},
      {&op::reduce_max,
       "an axis past the end",
       [] {
         max(tensor({2, 3}), 2);
       },
       {"axis 2", "(2, 3)", "[-2, 2)"}},
      {&op::reduce_min,
       "an axis before the start",
       [] {
         min(tensor({2, 3}), -3);
       },
       {"axis -3", "(2, 3)"}},
      {&op::reduce_sum,
       "an axis twice",
       [] {
         sum(tensor({2, 3}), {1, -1});
       },
       {"axis -1", "twice", "(2, 3)"}},
      {&op::reduce_prod, "none", [] { prod(Tensor()); }, {"none"}},
      {&op::reduce_sum,
       "an axis in the attributes",
       [] {
         call(op::reduce_sum, {tensor({2})}, {0, 1, 7});
       },
       {"axis 7", "(2,)"}},
      {&op::reduce_all,
       "an axis in the attributes",
       [] {
         call(op::reduce_all, {tensor({2}, boolean)}, {0, 1, -1});
       },
       {"axis -1", "(2,)"}},
      {&op::reduce_sum, "mean of none", [] { mean(Tensor()); }, {"none"}},
  };
}

const AddOpTests add_tests(tests, invalid);

std::vector<float> gradient_of(Tensor (*f)(const Tensor&, const Axes&, bool), std::vector<float> values) {
  const Tensor x = Tensor::from(values, {static_cast<int64_t>(values.size())});
  GradientTape tape;
  tape.watch(x);
  return tape.gradient(f(x, {}, false), {x})[0].to_vector<float>();
}

TEST(Reductions, TiesShareTheGradient) {
  EXPECT_EQ(gradient_of(max, {1, 3, 3, 2}), (std::vector<float>{0, 0.5f, 0.5f, 0}));
  EXPECT_EQ(gradient_of(min, {1, 3, 1, 1}), (std::vector<float>{1.f / 3, 0, 1.f / 3, 1.f / 3}));
}

TEST(Reductions, ProductsWithZerosHaveGradients) {
  EXPECT_EQ(gradient_of(prod, {2, 0, 3}), (std::vector<float>{0, 6, 0}));
  EXPECT_EQ(gradient_of(prod, {0, 0, 3}), (std::vector<float>{0, 0, 0}));
}

TEST(Reductions, OfNothing) {
  const Tensor none = tensor({0, 3});
  EXPECT_EQ(sum(none, 0).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(prod(none, 0).to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(max(none, 0).to_vector<float>()[0], -INFINITY);
  EXPECT_EQ(min(tensor({0}, i32)).item<int32_t>(), INT32_MAX);
  EXPECT_TRUE(all(tensor({0}, boolean)).item<bool>());
  EXPECT_FALSE(any(tensor({0}, boolean)).item<bool>());
  EXPECT_EQ(mean(Tensor({1, 2, 6})).item<float>(), 3);
  EXPECT_EQ(mean(Tensor({1, 2, 7}, i32)).item<int32_t>(), 3);
}

}  // namespace
}  // namespace brio::testing
