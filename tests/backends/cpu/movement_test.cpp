#include "brio/backends/cpu/kernels/movement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "brio/base/error.h"
#include "brio/base/thread_pool.h"

namespace brio::cpu {
namespace {

using Dims = std::vector<int64_t>;

Dims dense_strides(const Dims& sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0; step *= sizes[d]) strides[d] = step;
  return strides;
}
int64_t product(const Dims& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

// Elements that an array needs which is reached by these strides from its lowest address, and where position 0 lies.
struct Extent {
  int64_t elements = 1, origin = 0;
};
Extent extent_of(const Dims& sizes, const Dims& strides) {
  Extent extent;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return {0, 0};
    extent.elements += (sizes[d] - 1) * std::abs(strides[d]);
    if (strides[d] < 0) extent.origin -= (sizes[d] - 1) * strides[d];
  }
  return extent;
}

template <typename F>
void for_each_position(const Dims& sizes, F&& f) {
  Dims at(sizes.size(), 0);
  for (int64_t count = product(sizes); count > 0; --count) {
    f(at);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
}
int64_t dot(const Dims& a, const Dims& b) { return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0}); }

template <typename T>
void check_copy(const Dims& sizes, const Dims& in_strides, const Dims& out_strides) {
  const Extent in_extent = extent_of(sizes, in_strides), out_extent = extent_of(sizes, out_strides);
  std::vector<T> in(static_cast<size_t>(in_extent.elements)), out(static_cast<size_t>(out_extent.elements), T{7});
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i * 2654435761u + 1);
  std::vector<T> expected = out;
  for_each_position(sizes, [&](const Dims& at) {
    expected[static_cast<size_t>(out_extent.origin + dot(at, out_strides))] =
        in[static_cast<size_t>(in_extent.origin + dot(at, in_strides))];
  });
  const StridedCopy copy(sizeof(T), sizes, in_strides, out_strides);
  copy.run(in.data() + in_extent.origin, out.data() + out_extent.origin);
  ASSERT_EQ(out, expected) << copy.kernel() << " " << testing::PrintToString(sizes) << " "
                           << testing::PrintToString(in_strides) << " " << testing::PrintToString(out_strides);
}

void check_copy_all_sizes(const Dims& sizes, const Dims& in_strides, const Dims& out_strides) {
  ASSERT_NO_FATAL_FAILURE(check_copy<uint8_t>(sizes, in_strides, out_strides));
  ASSERT_NO_FATAL_FAILURE(check_copy<uint16_t>(sizes, in_strides, out_strides));
  ASSERT_NO_FATAL_FAILURE(check_copy<uint32_t>(sizes, in_strides, out_strides));
  ASSERT_NO_FATAL_FAILURE(check_copy<uint64_t>(sizes, in_strides, out_strides));
}

TEST(StridedCopy, EveryPermutation) {
  for (const Dims& sizes :
       {Dims{7}, Dims{3, 5}, Dims{33, 70}, Dims{4, 1, 6}, Dims{5, 17, 36}, Dims{2, 3, 9, 20}, Dims{2, 1, 3, 4, 5}}) {
    Dims order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      // `sizes` are those of the output; the input is dense in the permuted order.
      Dims in_sizes(sizes.size()), in_strides(sizes.size());
      for (size_t d = 0; d < sizes.size(); ++d) in_sizes[d] = sizes[static_cast<size_t>(order[d])];
      const Dims dense = dense_strides(in_sizes);
      for (size_t d = 0; d < sizes.size(); ++d) in_strides[static_cast<size_t>(order[d])] = dense[d];
      ASSERT_NO_FATAL_FAILURE(check_copy_all_sizes(sizes, in_strides, dense_strides(sizes)));
      ASSERT_NO_FATAL_FAILURE(check_copy_all_sizes(sizes, dense_strides(sizes), in_strides));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(StridedCopy, RandomStrides) {
  std::mt19937 generator(5);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(generator() % static_cast<uint32_t>(high - low + 1));
  };
  for (int round = 0; round < 400; ++round) {
    const size_t rank = static_cast<size_t>(pick(0, 5));
    Dims sizes(rank), in_strides(rank), out_strides(rank);
    for (int64_t& size : sizes) size = pick(1, 6);
    int64_t step = pick(1, 3);  // nested with gaps, so that no two positions share an element of `out`
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), generator);
    for (size_t d : order) {
      out_strides[d] = pick(0, 3) ? step : -step;
      step = step * sizes[d] + pick(0, 2);
      in_strides[d] = pick(-4, 9);
    }
    ASSERT_NO_FATAL_FAILURE(check_copy_all_sizes(sizes, in_strides, out_strides));
  }
}

TEST(StridedCopy, EverySecond) {
  for (int64_t n = 1; n < 140; ++n) {
    ASSERT_NO_FATAL_FAILURE(check_copy_all_sizes({n}, {2}, {1}));
    ASSERT_NO_FATAL_FAILURE(check_copy_all_sizes({3, n}, {4 * n + 1, 2}, {n, 1}));
  }
}

TEST(StridedCopy, LargeOnesOnSeveralThreads) {
  const int before = thread_count();
  for (int threads : {1, 3}) {
    set_thread_count(threads);
    check_copy<uint32_t>({1000, 1100}, {1, 1000}, {1100, 1});  // transpose
    check_copy<uint8_t>({2000, 900}, {1, 2000}, {900, 1});
    check_copy<uint64_t>({3, 500, 400}, {200000, 1, 500}, {200000, 400, 1});  // a batch of few transposes
    check_copy<uint32_t>({900, 1000}, {1000, 1}, {1300, 1});                  // into a part of a wider array
    check_copy<uint32_t>({1000000}, {-1}, {1});                               // reverse
    check_copy<uint32_t>({50, 1237, 3}, {3711, -3, 1}, {3711, 3, 1});         // … in groups
    check_copy<uint64_t>({50, 1237, 3}, {3711, -3, 1}, {3711, 3, 1});
    check_copy<uint32_t>({1000, 1000}, {0, 1}, {1000, 1});  // broadcast
    check_copy<uint32_t>({1000, 1000}, {1, 0}, {1000, 1});
    check_copy<uint64_t>({2, 300000}, {300000, 1}, {400000, 1});
    check_copy<uint64_t>({2200000}, {1}, {1});  // large enough to stream
  }
  set_thread_count(before);
}

TEST(StridedCopy, NothingToDo) {
  StridedCopy(4, Dims{3, 0, 2}, Dims{1, 1, 1}, Dims{1, 1, 1}).run(nullptr, nullptr);
  check_copy<uint32_t>({}, {}, {});
}

TEST(StridedCopy, FindsTheFastKernels) {
  EXPECT_STREQ(StridedCopy(4, Dims{4, 5, 6}, Dims{30, 6, 1}, Dims{30, 6, 1}).kernel(), "copy");
  EXPECT_STREQ(StridedCopy(4, Dims{4, 5, 6}, Dims{6, 24, 1}, Dims{30, 6, 1}).kernel(), "runs");
  EXPECT_STREQ(StridedCopy(4, Dims{40, 50}, Dims{1, 40}, Dims{50, 1}).kernel(), "transpose");
  EXPECT_STREQ(StridedCopy(4, Dims{8, 40, 50}, Dims{2000, 1, 40}, Dims{2000, 50, 1}).kernel(), "transpose");
  EXPECT_STREQ(StridedCopy(4, Dims{40}, Dims{2}, Dims{1}).kernel(), "elements");
}

TEST(StridedFill, WritesMarginsOnly) {
  std::vector<uint16_t> out(6 * 8, 1);
  const uint16_t value = 9;
  strided_fill(2, Dims{4, 3}, Dims{8, 1}, &value, out.data() + 8 + 2);
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 8; ++j)
      EXPECT_EQ(out[static_cast<size_t>(i * 8 + j)], i >= 1 && i < 5 && j >= 2 && j < 5 ? 9 : 1);
}

template <typename T, typename Index>
void check_gather(int64_t outer, int64_t axis, int64_t inner, int64_t count) {
  std::mt19937 generator(3);
  std::vector<T> in(static_cast<size_t>(outer * axis * inner)), out(static_cast<size_t>(outer * count * inner));
  std::vector<Index> indices(static_cast<size_t>(count));
  for (T& value : in) value = static_cast<T>(generator());
  for (Index& index : indices) index = static_cast<Index>(generator() % static_cast<uint32_t>(axis));
  ASSERT_EQ(gather(sizeof(T), outer, axis, inner, dtype_of<Index>, indices.data(), count, in.data(), out.data()), -1);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t x = 0; x < inner; ++x)
        ASSERT_EQ(
            out[static_cast<size_t>((o * count + i) * inner + x)],
            in[static_cast<size_t>((o * axis + static_cast<int64_t>(indices[static_cast<size_t>(i)])) * inner + x)]);
}

TEST(Gather, RowsOfEverySize) {
  for (int64_t outer : {1, 3})
    for (int64_t inner : {1, 2, 5, 64})
      for (int64_t count : {0, 1, 17}) {
        check_gather<uint8_t, int32_t>(outer, 9, inner, count);
        check_gather<uint16_t, int64_t>(outer, 9, inner, count);
        check_gather<uint32_t, int32_t>(outer, 9, inner, count);
        check_gather<uint64_t, int64_t>(outer, 9, inner, count);
      }
  check_gather<uint32_t, int64_t>(2, 1000, 300, 2000);
}

TEST(Gather, ABadIndexIsFoundAndNothingWritten) {
  std::vector<int32_t> indices(1000, 2);
  std::vector<float> in(10, 1), out(1000, 5);
  for (const auto& [position, value] : std::vector<std::pair<size_t, int32_t>>{{0, 10}, {700, -1}, {999, 1 << 30}}) {
    indices[position] = value;
    EXPECT_EQ(gather(4, 1, 10, 1, i32, indices.data(), 1000, in.data(), out.data()), static_cast<int64_t>(position));
    EXPECT_EQ(out, std::vector<float>(1000, 5));
    indices[position] = 2;
  }
  const std::vector<int64_t> wide = {0, int64_t{1} << 33};
  EXPECT_EQ(first_bad_index(i64, wide.data(), 2, 5), 1);
  EXPECT_EQ(first_bad_index(i64, wide.data(), 2, int64_t{1} << 34), -1);
  EXPECT_EQ(first_bad_index(i32, indices.data(), 1000, int64_t{1} << 34), -1);
  EXPECT_EQ(first_bad_index(i32, indices.data(), 1000, 0), 0);
  EXPECT_EQ(first_bad_index(i32, indices.data(), 0, 0), -1);
}

template <typename T>
void check_scatter(int64_t outer, int64_t axis, int64_t inner, int64_t count) {
  std::mt19937 generator(4);
  auto values = [&](int64_t n) {
    std::vector<T> v(static_cast<size_t>(n));
    for (T& value : v) value = T(static_cast<float>(generator() % 50) / (std::is_integral_v<T> ? 1.0f : 7.0f));
    return v;
  };
  const std::vector<T> base = values(outer * axis * inner), updates = values(outer * count * inner);
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (int64_t& index : indices) index = static_cast<int64_t>(generator() % static_cast<uint32_t>(axis));
  std::vector<T> expected = base;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t x = 0; x < inner; ++x) {
        T& value = expected[static_cast<size_t>((o * axis + indices[static_cast<size_t>(i)]) * inner + x)];
        value = static_cast<T>(value + updates[static_cast<size_t>((o * count + i) * inner + x)]);
      }
  const int before = thread_count();
  for (int threads : {1, 2, 7}) {
    set_thread_count(threads);
    std::vector<T> out(base.size()), in_place = base;
    ASSERT_EQ(scatter_add(dtype_of<T>, outer, axis, inner, i64, indices.data(), count, updates.data(), base.data(),
                          out.data()),
              -1);
    ASSERT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(T)), 0);
    ASSERT_EQ(scatter_add(dtype_of<T>, outer, axis, inner, i64, indices.data(), count, updates.data(),
                          in_place.data(), in_place.data()),
              -1);
    ASSERT_EQ(std::memcmp(in_place.data(), expected.data(), out.size() * sizeof(T)), 0);
  }
  set_thread_count(before);
}

TEST(ScatterAdd, EveryDTypeInOrderForAnyThreads) {
  for (int dtype = 0; dtype < kRealDTypeCount; ++dtype)
    visit(static_cast<DType>(dtype), [](auto t) {
      using T = decltype(t);
      if constexpr (!std::is_same_v<T, bool>) {
        check_scatter<T>(1, 5, 1, 40);
        check_scatter<T>(3, 7, 9, 50);
      }
    });
  check_scatter<float>(2, 100, 700, 800);  // large enough for threads
  check_scatter<BFloat16>(1, 100, 1000, 900);
}

TEST(ScatterAdd, ABadIndexIsFoundAndNothingWritten) {
  const std::vector<int32_t> indices = {0, 3};
  const std::vector<float> updates = {1, 1}, base = {5, 6, 7};
  std::vector<float> out = {0, 0, 0};
  EXPECT_EQ(scatter_add(f32, 1, 3, 1, i32, indices.data(), 2, updates.data(), base.data(), out.data()), 1);
  EXPECT_EQ(out, (std::vector<float>{0, 0, 0}));
}

TEST(OneHot, AnyAxisAndOutOfRangeIsZero) {
  const std::vector<int32_t> indices = {0, 2, -1, 3, 1, 0};
  const float on = 5;
  for (const auto& [outer, inner] : {std::pair<int64_t, int64_t>{6, 1}, {1, 6}, {2, 3}}) {
    std::vector<float> out(18, -1);
    one_hot(4, outer, 3, inner, i32, indices.data(), &on, out.data());
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t d = 0; d < 3; ++d)
        for (int64_t i = 0; i < inner; ++i)
          EXPECT_EQ(out[static_cast<size_t>((o * 3 + d) * inner + i)],
                    indices[static_cast<size_t>(o * inner + i)] == d ? on : 0);
  }
  std::vector<int64_t> many(5000, 77);
  std::vector<uint8_t> out(5000 * 100);
  const uint8_t one = 1;
  one_hot(1, 5000, 100, 1, i64, many.data(), &one, out.data());
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0), 5000);
}

}  // namespace
}  // namespace brio::cpu
