#include "brio/ops/reductions/statistics.h"

#include <gtest/gtest.h>

#include <limits>

#include "brio/ops/elementwise/complex.h"
#include "brio/ops/indexing/segment_ops.h"
#include "brio/ops/strings/strings.h"
#include "brio/runtime/function.h"
#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

TEST(Statistics, LogSumExpOfInfinities) {  // as TensorFlow
  EXPECT_EQ(logsumexp(Tensor({-kInf, -kInf})).item<float>(), -kInf);
  EXPECT_EQ(logsumexp(Tensor({kInf, 1})).item<float>(), kInf);
  EXPECT_EQ(logsumexp(tensor({0})).item<float>(), -kInf);
  EXPECT_EQ(logsumexp(Tensor({{0, 0}}), 1, true).shape(), (Shape{1, 1}));
}

TEST(Statistics, OverNoAxis) {
  const Tensor x({{1, -2}});
  EXPECT_EQ(sum(x, Axes(std::vector<int>{})).to_vector<float>(), (std::vector<float>{1, -2}));
  EXPECT_EQ(variance(x, Axes(std::vector<int>{})).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(euclidean_norm(x, Axes(std::vector<int>{})).to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(Statistics, NarrowFloatsAreSummedWide) {
  const Moments both = moments(Tensor({1, 2, 4}, f16));
  EXPECT_EQ(static_cast<float>(both.mean.item<Half>()), 2.333984375f);
  EXPECT_EQ(static_cast<float>(both.variance.item<Half>()), 1.5556640625f);
}

TEST(Statistics, Counts) {
  EXPECT_EQ(count_nonzero(Tensor({0, kNaN, -0.0f})).item<int64_t>(), 1);
  EXPECT_EQ(count_nonzero(Tensor({true, false}, boolean), {}, true, i32).to_vector<int32_t>(),
            (std::vector<int32_t>{1}));
  EXPECT_EQ(histogram_fixed_width(Tensor({kNaN, 1, -kInf, kInf}), 0, 5, 5).to_vector<int32_t>(),
            (std::vector<int32_t>{1, 1, 0, 0, 1}));
  EXPECT_EQ(histogram_fixed_width(Tensor({1, 2, 3, 9, 10, -4}, i32), 0, 10, 5).to_vector<int32_t>(),
            (std::vector<int32_t>{2, 2, 0, 0, 2}));
  const Tensor matrix({{1, 1}, {2, 0}}, u8);
  EXPECT_EQ(bincount(matrix).to_vector<int32_t>(), (std::vector<int32_t>{1, 2, 1}));
  auto counted = function([](Tensor x) { return bincount(x, {.minlength = 2, .maxlength = 2, .dtype = i64}); });
  EXPECT_EQ(counted(matrix).to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
}

TEST(Statistics, SegmentsWithoutRows) {
  const Tensor none = tensor({0, 2}), ids = tensor({0}, i32);
  EXPECT_EQ(segment_sum(none, ids).shape(), (Shape{0, 2}));
  EXPECT_EQ(unsorted_segment_max(none, ids, 1).to_vector<float>()[0], std::numeric_limits<float>::lowest());
  EXPECT_EQ(unsorted_segment_min(tensor({0}, i8), ids, 1).item<int8_t>(), 127);
  EXPECT_EQ(static_cast<float>(unsorted_segment_max(tensor({0}, f16), ids, 1).item<Half>()), -65504);
  EXPECT_EQ(static_cast<float>(unsorted_segment_min(tensor({0}, bf16), ids, 1).item<BFloat16>()), 0x1.fep127f);
  EXPECT_EQ(unsorted_segment_prod(tensor({0}, f64), ids, 1).item<double>(), 1);
}

TEST(Statistics, Refusals) {
  refuses("logsumexp", {"int32", "cast"}, [] { logsumexp(tensor({2}, i32)); });
  refuses("variance", {"int32"}, [] { variance(tensor({2}, i32)); });
  refuses("standard_deviation", {"none"}, [] { standard_deviation(Tensor()); });
  refuses("euclidean_norm", {"bool"}, [] { euclidean_norm(tensor({2}, boolean)); });
  refuses("norm", {"order is 0"}, [] { norm(tensor({2}), 0); });
  refuses("norm", {"axis 1", "rank 1"}, [] { norm(tensor({2}), 2, 1); });
  refuses("matrix_norm", {"axes 0 and -2"}, [] { matrix_norm(tensor({2, 2}), MatrixNorm::one, 0, -2); });
  refuses("matrix_norm", {"axis -2", "rank 1"}, [] { matrix_norm(tensor({2}), MatrixNorm::one); });
  refuses("matrix_norm", {"int32"}, [] { matrix_norm(tensor({2, 2}, i32), MatrixNorm::one); });
  refuses("moments", {"int8"}, [] { moments(tensor({2}, i8)); });
  refuses("count_nonzero", {"none"}, [] { count_nonzero(Tensor()); });
  refuses("bincount", {"float32", "cast"}, [] { bincount(tensor({2})); });
  refuses("bincount", {"(3,)", "(2,)"}, [] { bincount(tensor({2}, i32), {.weights = tensor({3})}); });
  refuses("bincount", {"minlength -1"}, [] { bincount(tensor({2}, i32), {.minlength = -1}); });
  refuses("bincount", {"maxlength -1"}, [] { bincount(tensor({2}, i32), {.maxlength = -1}); });
  refuses("bincount", {"one is -1"}, [] { bincount(Tensor({std::numeric_limits<int32_t>::max(), -1}, i32)); });
  refuses("tensor_scatter_add", {"(-1)"}, [] {
    bincount(Tensor({1, -1}, i32), {.minlength = 2, .maxlength = 2}).array();
  });
  refuses("bincount", {"minlength and maxlength the same"},
          [] { function([](Tensor x) { return bincount(x); })(tensor({2}, i32)); });
  refuses("histogram_fixed_width", {"[1, 1]"}, [] { histogram_fixed_width(tensor({2}), 1, 1); });
  refuses("histogram_fixed_width", {"0 bins"}, [] { histogram_fixed_width(tensor({2}), 0, 1, 0); });
  const Tensor rows = tensor({2, 3}), ids = tensor({2}, i32);
  refuses("unsorted_segment_sum", {"(3,)", "(2, 3)"}, [&] { unsorted_segment_sum(rows, tensor({3}, i32), 2); });
  refuses("unsorted_segment_sum", {"num_segments is -1"}, [&] { unsorted_segment_sum(rows, ids, -1); });
  refuses("unsorted_segment_sum", {"bool"}, [&] { unsorted_segment_sum(tensor({2}, boolean), ids, 2); });
  refuses("unsorted_segment_sum", {"string"}, [&] { unsorted_segment_sum(string_tensor({"a", "b"}), ids, 2); });
  refuses("unsorted_segment_max", {"complex64", "order"},
          [&] { unsorted_segment_max(complex(tensor({2}), tensor({2})), ids, 2); });
  refuses("tensor_scatter_add", {"float32"}, [&] { unsorted_segment_sum(rows, tensor({2}), 2); });
  refuses("tensor_scatter_max", {"position 0", "(0)"}, [&] { unsorted_segment_max(rows, ids, 0).array(); });
  refuses("unsorted_segment_mean", {"int32", "cast"}, [&] { unsorted_segment_mean(tensor({2}, i32), ids, 2); });
  refuses("segment_sum", {"id 0 at position 1", "unsorted_segment_sum"}, [&] {
    segment_sum(rows, Tensor({1, 0}, i32));
  });
  refuses("segment_max", {"id -1 at position 0"}, [&] { segment_max(rows, Tensor({-1, 0}, i32)); });
  refuses("segment_min", {"vector", "(2, 3)"}, [&] { segment_min(rows, tensor({2, 3}, i32)); });
  refuses("segment_prod", {"unsorted_segment_prod", "outside"},
          [&] { function([&](Tensor x) { return segment_prod(rows, x); })(ids); });
}

}  // namespace
}  // namespace brio::testing
