#include "brio/ops/network/row_norm.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "brio/autodiff/tape.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

std::vector<int64_t> attributes(bool centered, double epsilon) { return {centered, std::bit_cast<int64_t>(epsilon)}; }

std::function<Case(Rng&, DType, int)> cases(bool gradient) {
  return [gradient](Rng& rng, DType dtype, int i) {
    Shape x = random_shape(rng, std::max(1, i % 9));
    if (i % 5 == 4) x = Shape{rng.range(60, 140), rng.range(1, 40)};  // more rows than one part
    const Shape row{x[x.rank() - 1]};
    const DType weight = size_of(dtype) == 2 && i % 4 < 3 ? f32 : dtype;
    return Case{
        {{{x, dtype}, -3, 3}, {{row, weight}, -2, 2}, {{gradient ? x : row, gradient ? dtype : weight}, -1, 1}},
        attributes(i % 2, i % 3 ? 1e-3 : 0.5)};
  };
}
std::function<Case(DType)> large(bool gradient) {
  return [gradient](DType dtype) {
    const Shape x{4096, 768}, row{768};
    return Case{{{{x, dtype}}, {{row, dtype}}, {{gradient ? x : row, dtype}}}, attributes(true, 1e-3)};
  };
}

std::vector<OpTest> tests() {
  return {{.op = &op::row_norm, .dtypes = kFloats, .make = cases(false), .large = large(false)},
          {.op = &op::row_norm_grad, .dtypes = kFloats, .make = cases(true), .large = large(true)}};
}

std::vector<Invalid> invalid() {
  const Tensor none;
  return {
      {&op::row_norm,
       "integers",
       [] { row_norm(tensor({2}, i32), tensor({2}, i32), tensor({2}, i32)); },
       {"floating-point", "int32", "cast"}},
      {&op::row_norm, "a scalar", [] { row_norm(tensor({}), tensor({1}), tensor({1})); }, {"rank 1", "scalar"}},
      {&op::row_norm,
       "a scale of another size",
       [] {
         row_norm(tensor({2, 3}), tensor({2}), tensor({3}));
       },
       {"scale", "(2,)", "(3,)"}},
      {&op::row_norm,
       "an offset of another dtype",
       [] {
         row_norm(tensor({2, 3}), tensor({3}), tensor({3}, f64));
       },
       {"offset", "float64", "float32"}},
      {&op::row_norm,
       "a negative epsilon",
       [] {
         row_norm(tensor({2, 3}), tensor({3}), tensor({3}), {.epsilon = -1});
       },
       {"epsilon is -1"}},
      {&op::row_norm,
       "no number",
       [] {
         row_norm(tensor({2, 3}), tensor({3}), tensor({3}), {.epsilon = std::nan("")});
       },
       {"epsilon"}},
      {&op::row_norm, "none", [=] { row_norm(none, tensor({3}), tensor({3})); }, {"none"}},
      {&op::row_norm_grad,
       "a cotangent of another shape",
       [] {
         call(op::row_norm_grad, {tensor({2, 3}), tensor({3}), tensor({3, 2})}, attributes(true, 0));
       },
       {"cotangent", "(3, 2)", "(2, 3)"}},
      {&op::row_norm_grad,
       "a scale of another size",
       [] {
         call(op::row_norm_grad, {tensor({2, 3}), tensor({2}), tensor({2, 3})}, attributes(true, 0));
       },
       {"scale", "(2,)"}},
  };
}

const AddOpTests added(tests, invalid);

TEST(RowNorm, KnownValues) {
  const Tensor x({{1, 2, 3}, {-1, 0, 1}}), scale({1, 2, 1}), offset({0, 0, 10});
  const double deviation = std::sqrt(2.0 / 3);
  const auto y = row_norm(x, scale, offset, {.epsilon = 0}).to_vector<float>();
  EXPECT_NEAR(y[0], -1 / deviation, 1e-6);
  EXPECT_NEAR(y[1], 0, 1e-6);
  EXPECT_NEAR(y[5], 10 + 1 / deviation, 1e-5);
  const auto uncentered = row_norm(x, scale, offset, {.epsilon = 0, .centered = false}).to_vector<float>();
  EXPECT_NEAR(uncentered[1], 2 * 2 / std::sqrt(14.0 / 3), 1e-6);
}

TEST(RowNorm, LongRowsKeepTheirDigits) {
  constexpr int64_t n = 1 << 20;
  const Tensor x = random::normal({1, n}, {.mean = 1000, .seed = 3});
  const std::vector<float> ones(static_cast<size_t>(n), 1), zeros(static_cast<size_t>(n), 0);
  const auto y = row_norm(x, Tensor::from(ones, {n}), Tensor::from(zeros, {n})).to_vector<float>();
  double sum = 0, squares = 0;
  for (float v : y) sum += v, squares += double{v} * double{v};
  EXPECT_NEAR(sum / n, 0, 1e-4);
  EXPECT_NEAR(squares / n, 1, 2e-3);
}

TEST(RowNorm, GradientsDoNotDependOnThreads) {
  const Tensor x = random::normal({3000, 33}, {.seed = 1}), scale = random::normal({33}, {.seed = 2});
  const Tensor offset = random::normal({33}, {.seed = 3}), g = random::normal({3000, 33}, {.seed = 4});
  const auto gradients = [&] {
    GradientTape tape;
    for (const Tensor& t : {x, scale, offset}) tape.watch(t);
    std::vector<float> all;
    for (const Tensor& t : tape.gradient(sum(row_norm(x, scale, offset) * g), {x, scale, offset}))
      for (float v : t.to_vector<float>()) all.push_back(v);
    return all;
  };
  const int before = thread_count();
  set_thread_count(1);
  const auto alone = gradients();
  for (int threads : {2, 5}) {
    set_thread_count(threads);
    EXPECT_EQ(gradients(), alone) << threads << " threads";
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace brio::testing
