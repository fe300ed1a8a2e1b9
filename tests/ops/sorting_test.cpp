#include "brio/ops/indexing/sorting.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

// Integers of a few values, so that there are ties; floats with NaN and infinities, except where they are
// differentiated.
Input with_ties(const Shape& shape, DType dtype, bool plain) {
  return {{shape, dtype}, -2, 2, is_floating(dtype) && !plain ? Fill::special : Fill::uniform};
}

OpTest arg_test(const OpDef& op) {
  return {.op = &op,
          .dtypes = kAll,
          .make =
              [](Rng& rng, DType dtype, int i) {
                Shape shape = random_shape(rng, std::max(1, i % 9));
                const int64_t axis = rng.range(0, shape.rank() - 1);
                if (shape[static_cast<int>(axis)] == 0) shape.set(static_cast<int>(axis), 2);
                return Case{{with_ties(shape, dtype, i % 2 == 0)}, {axis, static_cast<int64_t>(i % 2 ? i32 : i64)}};
              },
          .large =
              [](DType dtype) {
                return Case{{{{Shape{2048, 1000}, dtype}}}, {1, static_cast<int64_t>(i64)}};
              },
          .exact = true};
}

std::vector<OpTest> tests() {
  return {
      arg_test(op::argmax),
      arg_test(op::argmin),
      {.op = &op::top_k,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Shape shape = random_shape(rng, std::max(1, i % 9));
             const int64_t n = shape[shape.rank() - 1];
             return Case{{with_ties(shape, dtype, dtype == f64)}, {i % 2, 1, i % 3 == 0 ? n : rng.range(0, n)}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{256, 4096}, dtype}, -100, 100}}, {0, 1, 10}};
           },
       .exact = true},
      {.op = &op::searchsorted,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Shape shape = random_shape(rng, std::max(1, i % 9));
             Shape values = shape;
             values.set(shape.rank() - 1, rng.range(0, 5));
             return Case{{with_ties(shape, dtype, false), with_ties(values, dtype, false)},
                         {i % 2, static_cast<int64_t>(i % 3 ? i32 : i64)}};
           },
       .large =
           [](DType dtype) {
             return Case{{{{Shape{4096}, dtype}}, {{Shape{1 << 18}, dtype}}}, {0, static_cast<int64_t>(i32)}};
           },
       .exact = true},
  };
}

std::vector<Invalid> invalid() {
  return {
      {&op::argmax, "an axis", [] { argmax(tensor({2}), 1); }, {"axis 1", "rank 1"}},
      {&op::argmax, "a scalar", [] { argmax(tensor({})); }, {"axis 0", "rank 0"}},
      {&op::argmax,
       "nothing",
       [] {
         argmax(tensor({0, 3}));
       },
       {"axis 0", "(0, 3)", "empty"}},
      {&op::argmax, "float positions", [] { argmax(tensor({2}), 0, f32); }, {"int32 or int64", "float32"}},
      {&op::argmax,
       "no dtype",
       [] {
         call(op::argmax, {tensor({2})}, {0, 99});
       },
       {"99"}},
      {&op::argmin,
       "an axis in the attributes",
       [] {
         call(op::argmin, {tensor({2})}, {1, 7});
       },
       {"axis 1", "(2,)"}},
      {&op::argmin, "none", [] { argmin(Tensor()); }, {"none"}},
      {&op::top_k,
       "too many",
       [] {
         top_k(tensor({2, 3}), 4);
       },
       {"k is 4", "(2, 3)", "3 elements"}},
      {&op::top_k, "a negative number", [] { top_k(tensor({3}), -1); }, {"k is -1"}},
      {&op::top_k,
       "two numbers",
       [] {
         call(op::top_k, {tensor({3})}, {0, 2, 1, 1});
       },
       {"(3,)"}},
      {&op::top_k, "bools", [] { top_k(tensor({3}, boolean)); }, {"bool", "cast"}},
      {&op::top_k, "a scalar", [] { top_k(tensor({})); }, {"scalar"}},
      {&op::top_k, "none", [] { top_k(Tensor()); }, {"none"}},
      {&op::top_k,
       "an axis past int32",
       [] {
         top_k(tensor({0, int64_t{1} << 32}), 0);
       },
       {"(0, 4294967296)", "int32"}},
      {&op::searchsorted,
       "bools",
       [] { searchsorted(tensor({2}, boolean), tensor({2}, boolean)); },
       {"bool", "cast"}},
      {&op::searchsorted,
       "dtypes",
       [] { searchsorted(tensor({2}), tensor({2}, i32)); },
       {"float32", "int32", "cast"}},
      {&op::searchsorted,
       "shapes",
       [] {
         searchsorted(tensor({2, 3}), tensor({3, 3}));
       },
       {"(2, 3)", "(3, 3)"}},
      {&op::searchsorted, "ranks", [] { searchsorted(tensor({2}), tensor({})); }, {"(2,)", "()"}},
      {&op::searchsorted, "positions", [] { searchsorted(tensor({2}), tensor({2}), Side::left, u8); }, {"uint8"}},
  };
}

const AddOpTests add_tests(tests, invalid);

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

TEST(Sorting, ArgPassesNaNOver) {  // as TensorFlow
  EXPECT_EQ(argmax(Tensor({kNaN, 1, 3, kNaN})).item<int64_t>(), 2);
  EXPECT_EQ(argmin(Tensor({1, kNaN, 0, kNaN})).item<int64_t>(), 2);
  EXPECT_EQ(argmax(Tensor({kNaN, kNaN})).item<int64_t>(), 0);
  EXPECT_EQ(argmax(Tensor({-kInf, -kInf})).item<int64_t>(), 0);
  EXPECT_EQ(argmax(Tensor({false, true}, boolean), 0, i32).item<int32_t>(), 1);
}

TEST(Sorting, NaNIsTheLargest) {
  EXPECT_EQ(argsort(Tensor({2, kNaN, 3, kNaN, 1})).to_vector<int32_t>(), (std::vector<int32_t>{4, 0, 2, 1, 3}));
  EXPECT_EQ(argsort(Tensor({2, kNaN, 3, kNaN, 1}), 0, Direction::descending).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 3, 2, 0, 4}));
  EXPECT_EQ(top_k(Tensor({1, kNaN, 3, 2}), 2).indices.to_vector<int32_t>(), (std::vector<int32_t>{1, 2}));
}

TEST(Sorting, SearchWithNaN) {  // as TensorFlow
  const Tensor sorted({1, 3, 3, 9});
  EXPECT_EQ(searchsorted(sorted, Tensor({kNaN})).item<int32_t>(), 0);
  EXPECT_EQ(searchsorted(sorted, Tensor({kNaN}), Side::right).item<int32_t>(), 4);
}

TEST(Sorting, NothingInTopKOfRowsThatAreNotFinite) {
  const Tensor targets({2, 2}, i32), rows({{kNaN, 1, 2}, {0, 1, 2}});
  EXPECT_EQ(in_top_k(targets, rows, 1).to_vector<bool>(), (std::vector<bool>{false, true}));
}

TEST(Sorting, Refusals) {
  refuses("sort", {"axis 1", "rank 1"}, [] { sort(tensor({2}), 1); });
  refuses("argsort", {"none"}, [] { argsort(Tensor()); });
  refuses("in_top_k", {"float32", "cast"}, [] { in_top_k(tensor({2}), tensor({2, 3}), 1); });
  refuses("in_top_k", {"(3,)", "(2, 3)"}, [] { in_top_k(tensor({3}, i32), tensor({2, 3}), 1); });
}

}  // namespace
}  // namespace brio::testing
