// Rows that are longer than the harness makes them: kernels that work in lanes, chunks and digits take other ways
// there.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "brio/ir/recording.h"
#include "brio/ops/control/scan_ops.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/network/row_norm.h"
#include "brio/ops/random/random.h"
#include "brio/runtime/interpret.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

// Few different numbers, so that there are ties; with both zeros, infinities and NaN where `special`.
std::vector<float> some_numbers(size_t n, bool special) {
  std::vector<float> values;
  for (float u : random::uniform({static_cast<int64_t>(n)}, {.high = 90, .seed = n}).to_vector<float>()) {
    const float x = std::floor(u) - 45;
    values.push_back(!special   ? x
                     : x == -45 ? kNan
                     : x == -44 ? kInfinity
                     : x == -43 ? -kInfinity
                     : x == -42 ? -0.f
                                : x);
  }
  return values;
}

// Rows that fit into the registers of a warp, of a block, of a large one, or of none; and those that no vector
// divides.
TEST(LongRows, AreNormalisedAsShortOnes) {
  for (const int64_t n : {768, 1000, 4096, 5001, 20000, 50304, 120000}) {
    for (const DType dtype : {f32, f16, bf16}) {
      Rng rng(static_cast<uint64_t>(n));
      const Aval rows{Shape{3, n}, dtype}, row{Shape{n}, f32}, labels{Shape{3}, i64}, losses{Shape{3}, f32};
      struct Called {
        const OpDef* op;
        std::vector<Input> inputs;
        std::vector<int64_t> attrs;
      };
      const std::vector<int64_t> norm = {1, std::bit_cast<int64_t>(1e-3)};
      const Input x{rows, -3, 3}, weight{row, -2, 2}, g{rows, -1, 1}, label{labels, 0, static_cast<double>(n - 1)};
      const std::vector<Called> calls = {{&op::softmax, {x}, {}},
                                         {&op::log_softmax, {x}, {}},
                                         {&op::row_norm, {x, weight, weight}, norm},
                                         {&op::row_norm_grad, {x, weight, g}, norm},
                                         {&op::softmax_xent, {x, label}, {1}},
                                         {&op::softmax_xent_grad, {x, label, {losses, -1, 1}}, {1}},
                                         {&op::softmax_xent_value_and_grad, {x, label, {losses, -1, 1}}, {1}}};
      for (const Called& called : calls) {
        Graph graph;
        std::vector<ValueId> in;
        std::vector<Array> arrays;
        std::vector<Tensor> tensors;
        std::vector<TensorImpl*> impls;
        for (const Input& input : called.inputs) {
          in.push_back(graph.add_input(input.aval));
          arrays.push_back(make_array(rng, input));
          tensors.push_back(Tensor::from_bytes(arrays.back().data(), input.aval));
        }
        for (const Tensor& t : tensors) impls.push_back(t.impl());
        graph.outputs = graph.add(*called.op, in, called.attrs).out;
        const std::vector<Array> expected = interpret(graph, arrays);
        const std::vector<Tensor> actual = record_many(*called.op, impls, called.attrs);
        for (size_t i = 0; i < actual.size(); ++i)
          EXPECT_EQ(difference(actual[i].array(), expected[i]), "")
              << called.op->name << ", output " << i << ", " << dtype << ", rows of " << n;
      }
    }
  }
}

TEST(LongRows, SortByDigits) {
  constexpr int64_t rows = 3, n = 1000;
  const auto values = some_numbers(rows * n, true);
  const Tensor x = Tensor::from(values, {rows, n});
  for (const auto direction : {Direction::ascending, Direction::descending}) {
    const bool up = direction == Direction::ascending;
    std::vector<int32_t> expected;
    for (int64_t r = 0; r < rows; ++r) {
      std::vector<int32_t> order(n);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
        return sorts_before(values[static_cast<size_t>(r * n + a)], values[static_cast<size_t>(r * n + b)], up);
      });
      expected.insert(expected.end(), order.begin(), order.end());
    }
    EXPECT_EQ(argsort(x, -1, direction).to_vector<int32_t>(), expected);
    for (DType dtype : {f64, f16, bf16})
      EXPECT_EQ(argsort(cast(x, dtype), -1, direction).to_vector<int32_t>(), expected) << dtype;
  }
  const Tensor whole = Tensor::from(some_numbers(rows * n, false), {rows, n});
  const auto order = argsort(whole).to_vector<int32_t>();
  for (DType dtype : {i8, i16, i32, i64}) EXPECT_EQ(argsort(cast(whole, dtype)).to_vector<int32_t>(), order) << dtype;
  for (DType dtype : {u8, u16, u32, u64})
    EXPECT_EQ(argsort(cast(whole + constant(45, f32), dtype)).to_vector<int32_t>(), order) << dtype;
}

TEST(LongRows, LargestInLanes) {
  for (int64_t n : {1, 15, 16, 17, 100, 1000}) {
    auto values = some_numbers(static_cast<size_t>(3 * n), true);
    std::fill_n(values.begin() + n, n, kNan);            // nothing but NaN
    std::fill_n(values.begin() + 2 * n, n, -kInfinity);  // nothing above the lowest
    if (n > 20) values[static_cast<size_t>(2 * n + 20)] = std::numeric_limits<float>::lowest();
    const Tensor x = Tensor::from(values, {3, n});
    const auto at = argmax(x, 1).to_vector<int64_t>(), low = argmin(x, 1).to_vector<int64_t>();
    for (int64_t r = 0; r < 3; ++r) {
      int64_t most = 0, least = 0;
      const auto value = [&](int64_t i) { return values[static_cast<size_t>(r * n + i)]; };
      for (int64_t i = 1; i < n; ++i) {
        if (value(i) > value(most) || (std::isnan(value(most)) && !std::isnan(value(i)))) most = i;
        if (value(i) < value(least) || (std::isnan(value(least)) && !std::isnan(value(i)))) least = i;
      }
      EXPECT_EQ(at[static_cast<size_t>(r)], most) << n << " row " << r;
      EXPECT_EQ(low[static_cast<size_t>(r)], least) << n << " row " << r;
    }
  }
}

TEST(LongRows, SumsInChunks) {
  for (int64_t rows : {1, 4, 9})
    for (int64_t n : {127, 128, 129, 500})
      for (const bool exclusive : {false, true})
        for (const bool reverse : {false, true}) {
          const auto values = some_numbers(static_cast<size_t>(rows * n), false);
          std::vector<float> expected(values.size());
          for (int64_t r = 0; r < rows; ++r) {
            float sum = 0;  // of whole numbers: exact
            for (int64_t step = 0; step < n; ++step) {
              const auto i = static_cast<size_t>(r * n + (reverse ? n - 1 - step : step));
              expected[i] = exclusive ? sum : sum + values[i];
              sum += values[i];
            }
          }
          const Tensor x = Tensor::from(values, {rows, n});
          EXPECT_EQ(cumsum(x, 1, {.exclusive = exclusive, .reverse = reverse}).to_vector<float>(), expected)
              << rows << " rows of " << n << (exclusive ? " exclusive" : "") << (reverse ? " reverse" : "");
        }
}

}  // namespace
}  // namespace brio::testing
