#include "brio/ops/random/random.h"

#include <gtest/gtest.h>

#include <cmath>

#include "brio/runtime/function.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

OpTest draw(const OpDef& op, std::vector<DType> dtypes, bool exact) {
  return {
      .op = &op,
      .dtypes = std::move(dtypes),
      .make =
          [](Rng& rng, DType dtype, int i) {
            const Shape shape = random_shape(rng, i % 9);
            Case made{{{{Shape(), u64}, 0, 0, Fill::bits}, {{Shape(), u64}, 0, 0, Fill::bits}},
                      {static_cast<int64_t>(dtype), rng.range(0, 5), shape.rank()}};
            made.attrs.insert(made.attrs.end(), shape.begin(), shape.end());
            return made;
          },
      .large =
          [](DType dtype) {
            return Case{{{{Shape(), u64}}, {{Shape(), u64}}}, {static_cast<int64_t>(dtype), 0, 1, int64_t{1} << 22}};
          },
      .exact = exact};
}

std::vector<OpTest> tests() {
  return {draw(op::random_uniform, kFloats, true), draw(op::random_normal, kFloats, false),
          draw(op::random_bits, {u32, u64}, true)};
}

std::vector<Invalid> invalid() {
  const auto f = static_cast<int64_t>(f32);
  return {
      {&op::random_uniform,
       "a seed of another dtype",
       [=] {
         call(op::random_uniform, {tensor({}, i64), tensor({}, u64)}, {f, 0, 0});
       },
       {"seed", "uint64 scalar", "int64"}},
      {&op::random_uniform,
       "a counter of rank 1",
       [=] {
         call(op::random_uniform, {tensor({}, u64), tensor({1}, u64)}, {f, 0, 0});
       },
       {"counter", "(1,)"}},
      {&op::random_bits,
       "a seed of another dtype",
       [] {
         call(op::random_bits, {tensor({}, f32), tensor({}, u64)}, {static_cast<int64_t>(u32), 0, 0});
       },
       {"seed", "float32"}},
      {&op::random_bits,
       "no dtype",
       [] {
         call(op::random_bits, {tensor({}, u64), tensor({}, u64)}, {-1, 0, 0});
       },
       {"-1"}},
      {&op::random_bits,
       "a shape",
       [] {
         call(op::random_bits, {tensor({}, u64), tensor({}, u64)}, {static_cast<int64_t>(u32), 0, 1, -1});
       },
       {"-1"}},
      {&op::random_normal,
       "no dtype",
       [] {
         call(op::random_normal, {tensor({}, u64), tensor({}, u64)}, {99, 0, 0});
       },
       {"99"}},
      {&op::random_normal,
       "an integer dtype",
       [] { random::normal({2}, {.dtype = i32}); },
       {"floating-point", "int32", "cast"}},
      {&op::random_bits, "a float dtype", [] { random::bits({2}, {.dtype = f32}); }, {"uint32 or uint64", "float32"}},
      {&op::random_uniform,
       "a shape",
       [=] {
         call(op::random_uniform, {tensor({}, u64), tensor({}, u64)}, {f, 0, 1, -1});
       },
       {"-1"}},
      {&op::random_uniform,
       "an empty range",
       [] { random::uniform({2}, {.low = 1, .high = 0}); },
       {"low is 1", "high, 0"}},
      {&op::random_normal, "a negative deviation", [] { random::normal({2}, {.stddev = -1}); }, {"stddev is -1"}},
  };
}

const AddOpTests add_tests(tests, invalid);

TEST(Random, AnExplicitSeedGivesTheSameNumbers) {
  const auto a = random::uniform({3, 5}, {.seed = 1}).to_vector<float>(),
             b = random::uniform({15}, {.seed = 1}).to_vector<float>();
  EXPECT_EQ(a, b);
  EXPECT_NE(a, random::uniform({15}, {.seed = 2}).to_vector<float>());
  EXPECT_EQ(a[7], (RandomStream{1, 0}).uniform_f32(7));
}

TEST(Random, TheGeneratorMovesOn) {
  random::set_seed(7);
  const Generator::State start = random::generator().state();
  EXPECT_EQ(start, (Generator::State{7, 0}));
  const auto a = random::normal({8}).to_vector<float>(), b = random::normal({8}).to_vector<float>();
  EXPECT_NE(a, b);
  EXPECT_EQ(random::generator().state(), (Generator::State{7, 2}));
  random::generator().restore({7, 1});
  EXPECT_EQ(random::normal({8}).to_vector<float>(), b);
}

TEST(Random, AFunctionDrawsAnewAtEachCall) {
  auto two = function([] {
    return std::vector{random::uniform({4}), random::normal({4}), random::uniform({4}, {.seed = 3})};
  });
  random::set_seed(7);
  const std::vector<Tensor> a = two(), b = two();
  EXPECT_EQ(random::generator().state(), (Generator::State{7, 4}));
  EXPECT_NE(a[0].to_vector<float>(), b[0].to_vector<float>());
  EXPECT_EQ(a[2].to_vector<float>(), b[2].to_vector<float>());  // an explicit seed is frozen
  random::set_seed(7);                                          // as eager code draws
  EXPECT_EQ(a[0].to_vector<float>(), random::uniform({4}).to_vector<float>());
  EXPECT_EQ(a[1].to_vector<float>(), random::normal({4}).to_vector<float>());
  EXPECT_EQ(b[0].to_vector<float>(), random::uniform({4}).to_vector<float>());
}

TEST(Random, MomentsAndRange) {
  const auto u = random::uniform({100000}, {.low = -2, .high = 6, .seed = 5}).to_vector<float>();
  double mean = 0, least = 9, most = -9;
  for (float x : u) {
    mean += x / 1e5;
    least = std::min<double>(least, x);
    most = std::max<double>(most, x);
  }
  EXPECT_NEAR(mean, 2, 0.03);
  EXPECT_GE(least, -2);
  EXPECT_LT(most, 6);
  const auto z = random::normal({100000}, {.mean = 3, .stddev = 0.5, .dtype = f64, .seed = 5}).to_vector<double>();
  double sum = 0, squares = 0;
  for (double x : z) {
    sum += x / 1e5;
    squares += (x - 3) * (x - 3) / 1e5;
  }
  EXPECT_NEAR(sum, 3, 0.01);
  EXPECT_NEAR(std::sqrt(squares), 0.5, 0.01);
}

TEST(Random, NarrowUniformsStayBelowOne) {
  for (Half x : random::uniform({100000}, {.dtype = f16, .seed = 1}).to_vector<Half>())
    ASSERT_LT(static_cast<float>(x), 1);
  for (BFloat16 x : random::uniform({100000}, {.dtype = bf16, .seed = 1}).to_vector<BFloat16>())
    ASSERT_LT(static_cast<float>(x), 1);
}

}  // namespace
}  // namespace brio::testing
