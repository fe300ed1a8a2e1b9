#include "brio/ops/image/resample.h"

#include <gtest/gtest.h>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/shape_ops.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

Case resampled(Rng& rng, DType dtype, int i) {
  const int rank = std::max(1, i % 9);
  Shape x = random_shape(rng, rank);
  const int axis = static_cast<int>(rng.range(0, rank - 1));
  if (x[axis] == 0) x.set(axis, 1);
  if (i % 9 == 3) x = Shape{rng.range(1, 3), rng.range(1, 9), rng.range(1, 70)};  // short and long slices
  const int at = i % 9 == 3 ? 1 : axis;
  const Shape taps{rng.range(1, 4), rng.range(0, 6)};
  return {{{{x, dtype}}, {{taps, i32}, 0, static_cast<double>(x[at] - 1)}, {{taps, dtype}, -1, 1}}, {at}};
}

std::vector<OpTest> tests() {
  return {{.op = &op::resample,
           .dtypes = kFloats,
           .make = resampled,
           .large =
               [](DType dtype) {
                 return Case{
                     {{{Shape{8, 224, 672}, dtype}}, {{Shape{2, 112}, i32}, 0, 223}, {{Shape{2, 112}, dtype}}}, {1}};
               },
           .numbers = {{1, -2}, {2, -2}}}};
}

std::vector<Invalid> invalid() {
  const auto ids = [](std::vector<int32_t> list) {
    const auto n = static_cast<int64_t>(list.size());
    return Tensor::from(list, Shape{1, n});
  };
  return {
      {&op::resample,
       "integers",
       [] {
         resample(tensor({2}, i32), tensor({1, 2}, i32), tensor({1, 2}, i32), 0);
       },
       {"floating-point", "int32", "cast"}},
      {&op::resample,
       "an axis outside",
       [] {
         resample(tensor({2, 3}), tensor({1, 2}, i32), tensor({1, 2}), 2);
       },
       {"axis 2"}},
      {&op::resample,
       "an axis outside, recorded",
       [] {
         call(op::resample, {tensor({2}), tensor({1, 2}, i32), tensor({1, 2})}, {-1});
       },
       {"axis -1", "(2,)"}},
      {&op::resample,
       "long indices",
       [] {
         resample(tensor({2}), tensor({1, 2}, i64), tensor({1, 2}), 0);
       },
       {"int32", "int64"}},
      {&op::resample,
       "a flat index",
       [] { resample(tensor({2}), tensor({2}, i32), tensor({2}), 0); },
       {"(2,)", "(taps, new size)"}},
      {&op::resample,
       "no taps",
       [] {
         resample(tensor({2}), tensor({0, 2}, i32), tensor({0, 2}), 0);
       },
       {"(0, 2)", "a tap or more"}},
      {&op::resample,
       "weights of another shape",
       [] {
         resample(tensor({2}), tensor({1, 2}, i32), tensor({2, 1}), 0);
       },
       {"weights", "(2, 1)", "(1, 2)"}},
      {&op::resample,
       "weights of another dtype",
       [] {
         resample(tensor({2}), tensor({1, 2}, i32), tensor({1, 2}, f64), 0);
       },
       {"weights", "float64", "float32"}},
      {&op::resample,
       "none",
       [] {
         resample(Tensor(), tensor({1, 2}, i32), tensor({1, 2}), 0);
       },
       {"none"}},
      {&op::resample,
       "an index outside",
       [=] {
         resample(tensor({3}), ids({0, 3}), tensor({1, 2}), 0).array();
       },
       {"index 3", "position 1", "[0, 3)"}},
  };
}

const AddOpTests added(tests, invalid);

// As resizing a picture has it: each width of a pixel, whole vectors and tails of slices, pieces for several threads.
TEST(Resample, GivesTheBitsOfItsPlainForm) {
  for (const int64_t inner : {1, 2, 3, 4, 5, 16, 63, 200})
    for (const DType dtype : {f32, f64}) {
      const int64_t outer = 400, from = 37, to = 53, taps = 3;
      const Tensor x = random::normal({outer, from, inner}, {.dtype = dtype, .seed = 1});
      const Tensor index = cast(random::uniform({taps, to}, {.high = double(from), .seed = 2}), i32);
      const Tensor weights = random::normal({taps, to}, {.dtype = dtype, .seed = 3});
      Tensor sum;
      for (int64_t t = 0; t < taps; ++t) {
        const Tensor part = gather(x, reshape(slice(index, {{t, t + 1}}), {to}), 1) *
                            reshape(slice(weights, {{t, t + 1}}), {1, to, 1});
        sum = sum.defined() ? sum + part : part;
      }
      const Tensor y = resample(x, index, weights, 1);
      if (dtype == f32) EXPECT_EQ(y.to_vector<float>(), sum.to_vector<float>()) << inner;
      else EXPECT_EQ(y.to_vector<double>(), sum.to_vector<double>()) << inner;
    }
}

TEST(Resample, NothingFromNothing) {
  const Tensor none = Tensor::from(std::vector<int32_t>{}, {1, 0});
  EXPECT_TRUE(resample(zeros({2, 0, 3}), none, zeros({1, 0}), 1).to_vector<float>().empty());
  EXPECT_TRUE(resample(zeros({2, 4, 0}), zeros({1, 5}, i32), zeros({1, 5}), 1).to_vector<float>().empty());
}

}  // namespace
}  // namespace brio::testing
