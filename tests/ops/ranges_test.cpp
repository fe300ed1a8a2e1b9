#include "brio/ops/shapes/ranges.h"

#include <gtest/gtest.h>

#include "brio/runtime/function.h"
#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

std::vector<OpTest> tests() {
  return {
      {.op = &op::iota,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const int64_t size = i % 9 == 0 ? 0 : i % 9 == 8 ? 70000 : rng.range(1, 300);
             return Case{{}, {static_cast<int64_t>(dtype), 1, dtype == f16 ? std::min<int64_t>(size, 60000) : size}};
           },
       .large =
           [](DType dtype) {
             return Case{{}, {static_cast<int64_t>(dtype), 1, 1 << 22}};
           },
       .exact = true},
      {.op = &op::size,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int) {
             return Case{{}, {static_cast<int64_t>(dtype), 1, rng.range(0, 120)}};
           },
       .exact = true}};
}

std::vector<Invalid> invalid() {
  return {
      {&op::iota, "bools", [] { iota(3, boolean); }, {"not bool"}},
      {&op::iota, "a negative size", [] { iota(-1); }, {"-1"}},
      {&op::iota,
       "no dtype",
       [] {
         call(op::iota, {}, {99, 1, 2});
       },
       {"99"}},
      {&op::iota,
       "two sizes",
       [] {
         call(op::iota, {}, {7, 2, 2, 3});
       },
       {"one size", "got 2"}},
      {&op::size,
       "two sizes",
       [] {
         call(op::size, {}, {7, 2, 2, 3});
       },
       {"one size", "got 2"}},
  };
}

const AddOpTests add_tests(tests, invalid);

TEST(Ranges, KnownValues) {
  EXPECT_EQ(range(5).to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(range(2.5).to_vector<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(range(0, 5, 2, f64).to_vector<double>(), (std::vector<double>{0, 2, 4}));
  EXPECT_EQ(range(5, 0, -2, i64).to_vector<int64_t>(), (std::vector<int64_t>{5, 3, 1}));
  EXPECT_EQ(linspace(0.0, 1.0, 5).to_vector<float>(), (std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1}));
  EXPECT_EQ(eye(2, -1, boolean).to_vector<bool>(), (std::vector<bool>{true, false, false, true}));
  EXPECT_TRUE(meshgrid({}).empty());
  EXPECT_EQ(meshgrid({Tensor(7)})[0].shape(), (Shape{1}));
  EXPECT_EQ(meshgrid({tensor({2, 2}), tensor({3})})[0].shape(), (Shape{3, 4}));  // a matrix is taken as its elements
}

TEST(Ranges, Refusals) {
  refuses("range", {"step must not be 0"}, [] { range(0, 5, 0); });
  refuses("range", {"from 5 to 0 by 1", "change its sign"}, [] { range(5, 0); });
  refuses("range", {"0.5", "int32"}, [] { range(0, 0.5, 1, i32); });
  refuses("range", {"finite"}, [] { range(0, 1e30, 1e-30); });
  refuses("linspace", {"num is -1"}, [] { linspace(0., 1., -1); });
  refuses("linspace", {"int32", "cast"}, [] { linspace(tensor({}, i32), tensor({}, i32), 3); });
  refuses("linspace", {"axis 3"}, [] { linspace(tensor({2}), tensor({2}), 3, 3); });
  refuses("linspace", {"none"}, [] { linspace(Tensor(), tensor({2}), 3); });
  refuses("meshgrid", {"'zz'"}, [] { meshgrid({}, "zz"); });
  refuses("eye", {"-3"}, [] { eye(-3); });
  refuses("sequence_mask", {"maxlen is -1"}, [] { sequence_mask(tensor({2}, i32), -1); });
  refuses("sequence_mask", {"float32", "cast"}, [] { sequence_mask(tensor({2}), 3); });
  refuses("sequence_mask", {"(2,)", "give it maxlen"},
          [] { function([](Tensor x) { return sequence_mask(x); })(tensor({2}, i32)); });
}

}  // namespace
}  // namespace brio::testing
