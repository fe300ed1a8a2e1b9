#include "brio/ops/shapes/dynamic_sizes.h"

#include <gtest/gtest.h>

#include <limits>

#include "brio/autodiff/tape.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/strings/strings.h"
#include "brio/runtime/function.h"
#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

TEST(DynamicSizes, WhereWithASizeNeedsNoData) {
  const Tensor x({{0, 2, 0}, {1, 0, 3}});
  auto places = [&](int64_t size) { return function([size](Tensor y) { return where(y, size); })(x); };
  EXPECT_EQ(places(3).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1, 0, 1, 2}));
  EXPECT_EQ(places(2).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1, 0}));
  EXPECT_EQ(places(4).to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1, 0, 1, 2, -1, -1}));
  EXPECT_EQ(places(0).shape(), (Shape{0, 2}));
  EXPECT_EQ(where(tensor({0, 3}, boolean), 1).to_vector<int64_t>(), (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(where(tensor({0, 3}, boolean)).shape(), (Shape{0, 2}));
}

// What is computed already is frozen at the trace, as other captured tensors are.
TEST(DynamicSizes, CapturedTensorsAreKnown) {
  const Tensor mask({true, false, true}, boolean);
  auto f = function([&](Tensor x) { return boolean_mask(x, mask) * 2; });
  EXPECT_EQ(f(Tensor({1, 2, 3})).to_vector<float>(), (std::vector<float>{2, 6}));
}

TEST(DynamicSizes, GradientsFlowThroughPendingMasks) {
  const Tensor x({-1, 2, 3});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = square(x);
  const Tensor kept = boolean_mask(y * 3, greater(y, 2));  // reads y under the tape
  EXPECT_EQ(tape.gradient(sum(kept), {x})[0].to_vector<float>(), (std::vector<float>{0, 12, 18}));
}

TEST(DynamicSizes, UniqueOfFloats) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Unique found = unique(Tensor({nan, 0, nan, -0.0f}));  // as TensorFlow
  EXPECT_EQ(found.values.shape(), (Shape{3}));
  EXPECT_EQ(found.indices.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 2, 1}));
  EXPECT_EQ(found.counts.to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 1}));
  EXPECT_EQ(unique(tensor({0}, f16)).values.shape(), (Shape{0}));
}

// More values than a table begins with; neither NaN nor doubles with few bits make it walk.
TEST(DynamicSizes, UniqueOfMany) {
  constexpr int64_t n = 100000;
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i * 7919 % n));
  values.insert(values.end(), values.begin(), values.begin() + n / 2);
  const Unique found = unique(Tensor::from(values, {n + n / 2}));
  EXPECT_EQ(found.values.to_vector<double>(), std::vector<double>(values.begin(), values.begin() + n));
  const auto indices = found.indices.to_vector<int32_t>(), counts = found.counts.to_vector<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(indices[i], static_cast<int32_t>(i % n));
  for (size_t i = 0; i < counts.size(); ++i) ASSERT_EQ(counts[i], i < n / 2 ? 2 : 1);
  const std::vector<float> none(static_cast<size_t>(n), std::nanf(""));
  EXPECT_EQ(unique(Tensor::from(none, {n})).values.size(), n);
}

TEST(DynamicSizes, StitchWithASize) {
  const Tensor at({0, 2}, i32), rows({{1, 2}, {3, 4}});
  auto f = function([](Tensor i, Tensor x) { return dynamic_stitch({i}, {x}, 4); });
  EXPECT_EQ(f(at, rows).to_vector<float>(), (std::vector<float>{1, 2, 0, 0, 3, 4, 0, 0}));
  // Later ones win; rows that nobody gives are 0.
  EXPECT_EQ(dynamic_stitch({at, Tensor(2, i32)}, {rows, Tensor({5, 6})}).to_vector<float>(),
            (std::vector<float>{1, 2, 0, 0, 5, 6}));
}

TEST(DynamicSizes, Refusals) {
  const Tensor x = tensor({2, 3}), mask = tensor({2}, boolean), ids = tensor({2}, i32);
  refuses("where", {"string", "compare"}, [] { where(string_tensor({"a"})); });
  refuses("unique", {"complex64"}, [] { unique(complex(tensor({2}), tensor({2}))); });
  refuses("where", {"(2, 3)", "traced", "give it a size", "outside"},
          [&] { function([](Tensor y) { return where(y); })(x); });
  refuses("boolean_mask", {"(2,)", "where(mask, size)"},
          [&] { function([&](Tensor m) { return boolean_mask(x, m); })(mask); });
  refuses("unique", {"(2,)", "sort"}, [&] { function([](Tensor y) { return unique(y).values; })(ids); });
  refuses("dynamic_partition", {"equal(partitions, i)"},
          [&] { function([&](Tensor p) { return dynamic_partition(x, p, 2); })(ids); });
  refuses("dynamic_stitch", {"give it a size"},
          [&] { function([&](Tensor p) { return dynamic_stitch({p}, {x}); })(ids); });
  refuses("where", {"scalar"}, [] { where(tensor({})); });
  refuses("where", {"size is -1"}, [&] { where(x, -1); });
  refuses("boolean_mask", {"int32"}, [&] { boolean_mask(x, ids); });
  refuses("boolean_mask", {"mask", "(2,)", "axes from 1", "(2, 3)"}, [&] { boolean_mask(x, mask, 1); });
  refuses("boolean_mask", {"scalar"}, [&] { boolean_mask(x, tensor({}, boolean)); });
  refuses("boolean_mask", {"axis 2"}, [&] { boolean_mask(x, mask, 2); });
  refuses("unique", {"(2, 3)", "reshape"}, [&] { unique(x); });
  refuses("dynamic_partition", {"0 partitions"}, [&] { dynamic_partition(x, ids, 0); });
  refuses("dynamic_partition", {"(3,)", "(2, 3)"}, [&] { dynamic_partition(x, tensor({3}, i32), 2); });
  refuses("dynamic_partition", {"partition 5 at position 1", "[0, 2)"}, [&] {
    dynamic_partition(x, Tensor({1, 5}, i32), 2);
  });
  refuses("dynamic_partition", {"float32"}, [&] { dynamic_partition(x, tensor({2}), 2); });
  refuses("dynamic_stitch", {"1 and 0"}, [&] { dynamic_stitch({ids}, {}, 2); });
  refuses("dynamic_stitch", {"indices", "(2,)", "(3,)"}, [&] { dynamic_stitch({ids}, {tensor({3})}); });
  refuses("tensor_scatter_update", {"(-1)"}, [&] { dynamic_stitch({Tensor({-1, 0}, i32)}, {x}).array(); });
}

}  // namespace
}  // namespace brio::testing
