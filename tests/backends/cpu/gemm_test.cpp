#include "brio/backends/cpu/gemm/gemm.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "tests/backends/cpu/every_isa.h"

namespace brio::cpu {
namespace {

// How a matrix of rows × columns lies in memory; batches follow each other.
enum class Layout { dense, transposed, gaps, gaps_transposed, spread };
constexpr Layout kLayouts[] = {Layout::dense, Layout::transposed, Layout::gaps, Layout::gaps_transposed,
                               Layout::spread};

struct Strides2 {
  int64_t row, column, elements;  // elements: just enough to hold the last one, so that over-reads show under ASan
};
Strides2 strides_of(Layout layout, int64_t rows, int64_t columns) {
  int64_t row = columns, column = 1;
  switch (layout) {
    case Layout::dense: break;
    case Layout::transposed: row = 1, column = rows; break;
    case Layout::gaps: row = columns + 3; break;
    case Layout::gaps_transposed: row = 1, column = rows + 5; break;
    case Layout::spread: row = columns * 2 + 1, column = 2; break;
  }
  return {row, column, rows && columns ? (rows - 1) * row + (columns - 1) * column + 1 : 0};
}

struct Case {
  DType dtype = f32;
  int64_t m = 1, n = 1, k = 1;
  Layout a = Layout::dense, b = Layout::dense;
  bool bias = false;
  Epilogue epilogue = Epilogue::none;
  std::vector<int64_t> batch = {};
  int64_t a_repeats = 0, b_repeats = 0;  // bit i: batch dimension i repeats the operand

  std::string str() const {
    return cat(dtype, " m=", m, " n=", n, " k=", k, " layouts ", int(a), int(b), bias ? " bias" : "", " epilogue ",
               int(epilogue), " batch rank ", batch.size());
  }
};

void square_f32(void* out, const void* a, const void*, const void*, size_t n) {
  for (size_t i = 0; i < n; ++i)
    static_cast<float*>(out)[i] = static_cast<const float*>(a)[i] * static_cast<const float*>(a)[i];
}

template <typename T>
std::vector<T> random_values(size_t n, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) value = static_cast<T>(generator());
    else value = T(static_cast<float>(static_cast<int>(generator() % 2001) - 1000) / 500.0f);
  }
  values.shrink_to_fit();
  return values;
}

template <typename T>
double tolerance(int64_t k) {
  if (std::is_same_v<T, double>) return 1e-14 * static_cast<double>(k + 4);
  if (std::is_same_v<T, float>) return 4e-6 * std::sqrt(static_cast<double>(k + 4)) * 2;
  if (std::is_same_v<T, Half>) return 2e-3 * std::sqrt(static_cast<double>(k + 4)) * 4;
  return 2e-2 * std::sqrt(static_cast<double>(k + 4)) * 4;
}

template <typename T>
struct Operands {
  GemmSpec spec;
  std::vector<T> a, b, bias;
  int64_t batch_count = 1;

  explicit Operands(const Case& c) {
    const Strides2 sa = strides_of(c.a, c.m, c.k), sb = strides_of(c.b, c.k, c.n);
    spec = {.dtype = c.dtype,
            .m = c.m,
            .n = c.n,
            .k = c.k,
            .a_row = sa.row,
            .a_col = sa.column,
            .b_row = sb.row,
            .b_col = sb.column,
            .batch = c.batch,
            .bias = c.bias,
            .epilogue = c.epilogue};
    if (c.epilogue > Epilogue::relu) spec.activation = square_f32;
    spec.a_batch.resize(c.batch.size());
    spec.b_batch.resize(c.batch.size());
    int64_t a_count = 1, b_count = 1;
    for (size_t i = c.batch.size(); i-- > 0;) {
      batch_count *= c.batch[i];
      if (!(c.a_repeats >> i & 1)) spec.a_batch[i] = a_count * sa.elements, a_count *= c.batch[i];
      if (!(c.b_repeats >> i & 1)) spec.b_batch[i] = b_count * sb.elements, b_count *= c.batch[i];
    }
    a = random_values<T>(static_cast<size_t>(a_count * sa.elements), 1);
    b = random_values<T>(static_cast<size_t>(b_count * sb.elements), 2);
    bias = random_values<T>(c.bias ? static_cast<size_t>(c.n) : 0, 3);
  }

  std::vector<T> run(const Gemm& gemm) const {
    std::vector<T> c(static_cast<size_t>(batch_count * spec.m * spec.n));
    if constexpr (!std::is_integral_v<T>)
      std::fill(c.begin(), c.end(), T(NAN));  // whatever was there must not matter
    void* scratch = ::operator new(gemm.scratch_bytes() + 1, std::align_val_t(64));
    gemm.run(a.data(), b.data(), spec.bias ? bias.data() : nullptr, c.data(), scratch);
    ::operator delete(scratch, std::align_val_t(64));
    return c;
  }

  // The plain definition: sums in double or modulo 2^64, every step rounded to T as the ops would one by one.
  void check(const std::vector<T>& c, const std::string& what) const {
    for (int64_t index = 0; index < batch_count; ++index) {
      int64_t a_offset = 0, b_offset = 0, rest = index;
      for (size_t i = spec.batch.size(); i-- > 0;) {
        a_offset += rest % spec.batch[i] * spec.a_batch[i];
        b_offset += rest % spec.batch[i] * spec.b_batch[i];
        rest /= spec.batch[i];
      }
      for (int64_t i = 0; i < spec.m; ++i)
        for (int64_t j = 0; j < spec.n; ++j) {
          const T got = c[static_cast<size_t>((index * spec.m + i) * spec.n + j)];
          auto a_at = [&](int64_t p) { return a[static_cast<size_t>(a_offset + i * spec.a_row + p * spec.a_col)]; };
          auto b_at = [&](int64_t p) { return b[static_cast<size_t>(b_offset + p * spec.b_row + j * spec.b_col)]; };
          if constexpr (std::is_integral_v<T>) {
            uint64_t sum = 0;
            for (int64_t p = 0; p < spec.k; ++p)
              sum += static_cast<uint64_t>(a_at(p)) * static_cast<uint64_t>(b_at(p));
            T expected = static_cast<T>(sum);
            if (spec.bias)
              expected = static_cast<T>(static_cast<uint64_t>(expected) +
                                        static_cast<uint64_t>(bias[static_cast<size_t>(j)]));
            if (spec.epilogue == Epilogue::relu && expected < T{}) expected = 0;
            ASSERT_EQ(got, expected) << what << " at " << index << "," << i << "," << j;
          } else {
            double sum = 0;
            for (int64_t p = 0; p < spec.k; ++p) sum += static_cast<double>(a_at(p)) * static_cast<double>(b_at(p));
            if (spec.bias) sum += static_cast<double>(bias[static_cast<size_t>(j)]);
            double scale = 1;
            if (spec.epilogue == Epilogue::relu) sum = std::max(sum, 0.0);
            if (spec.epilogue > Epilogue::relu) scale = 2 * std::abs(sum) + 1, sum *= sum;
            ASSERT_NEAR(static_cast<double>(got), sum, tolerance<T>(spec.k) * scale)
                << what << " at " << index << "," << i << "," << j;
          }
        }
    }
  }
};

void check(const Case& c) {
  visit(c.dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (!std::is_same_v<T, bool>) {
      const Operands<T> operands(c);
      const auto gemm = Gemm::prepare(operands.spec);
      operands.check(operands.run(*gemm), cat(c.str(), " by ", gemm->chosen));
    }
  });
}

constexpr DType kDTypes[] = {f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64};

TEST(Gemm, SmallSizesInEveryLayout) {
  for_each_target([] {
    for (DType dtype : {f32, f64})
      for (Layout a : kLayouts)
        for (Layout b : kLayouts)
          for (int64_t m : {1, 2, 7, 13})
            for (int64_t n : {1, 3, 8, 17, 65})
              for (int64_t k : {1, 2, 9, 33}) {
                ASSERT_NO_FATAL_FAILURE(check({.dtype = dtype, .m = m, .n = n, .k = k, .a = a, .b = b}));
                ASSERT_NO_FATAL_FAILURE(check({.dtype = dtype,
                                               .m = m,
                                               .n = n,
                                               .k = k,
                                               .a = a,
                                               .b = b,
                                               .bias = true,
                                               .epilogue = Epilogue::relu}));
              }
  });
}

TEST(Gemm, EveryTailOfTheMicroKernel) {
  for_each_target([] {
    for (int64_t m = 1; m <= 14; ++m)
      for (int64_t n = 1; n <= 70; ++n) check({.dtype = f32, .m = m, .n = n, .k = 5, .bias = (m + n) % 2 == 0});
  });
}

TEST(Gemm, ThinShapes) {
  for_each_target([] {
    for (DType dtype : {f32, f64})
      for (Layout a : kLayouts)
        for (Layout b : kLayouts)
          for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1000},
                                                                           {1, 300, 77},
                                                                           {300, 1, 77},
                                                                           {3, 2000, 50},
                                                                           {37, 10, 300},
                                                                           {300, 10, 37},
                                                                           {150, 5, 3},
                                                                           {5, 150, 1},
                                                                           {2, 3, 999}})
            for (Epilogue epilogue : {Epilogue::none, Epilogue::relu})
              ASSERT_NO_FATAL_FAILURE(check({.dtype = dtype,
                                             .m = m,
                                             .n = n,
                                             .k = k,
                                             .a = a,
                                             .b = b,
                                             .bias = epilogue == Epilogue::relu,
                                             .epilogue = epilogue}));
  });
}

TEST(Gemm, LargeShapesInEveryLayout) {
  for_each_target([] {
    for (DType dtype : {f32, f64})
      for (Layout a : kLayouts)
        for (Layout b : kLayouts)
          ASSERT_NO_FATAL_FAILURE(check({.dtype = dtype,
                                         .m = 131,
                                         .n = 197,
                                         .k = 301,
                                         .a = a,
                                         .b = b,
                                         .bias = true,
                                         .epilogue = Epilogue::relu}));
  });
}

TEST(Gemm, EveryDType) {
  for_each_target([] {
    for (DType dtype : kDTypes)
      for (Layout layout : kLayouts) {
        for (int64_t size : {2, 20, 67})
          ASSERT_NO_FATAL_FAILURE(check({.dtype = dtype,
                                         .m = size,
                                         .n = size + 3,
                                         .k = size - 1,
                                         .a = layout,
                                         .b = layout,
                                         .bias = true,
                                         .epilogue = Epilogue::relu}));
        ASSERT_NO_FATAL_FAILURE(check({.dtype = dtype, .m = 33, .n = 70, .k = 290, .a = layout}));
      }
  });
}

TEST(Gemm, BatchesWithBroadcast) {
  for (DType dtype : {f32, bf16, i32})
    for (int64_t a_repeats : {0, 1, 2, 3})
      for (int64_t b_repeats : {0, 1, 2, 3})
        for (Layout a : {Layout::dense, Layout::transposed, Layout::gaps})
          for (const auto& [m, n, k] : std::vector<std::array<int64_t, 3>>{
                   {2, 2, 2}, {1, 40, 9}, {40, 1, 90}, {40, 3, 200}, {17, 33, 20}, {1, 1, 3}})
            ASSERT_NO_FATAL_FAILURE(check({.dtype = dtype,
                                           .m = m,
                                           .n = n,
                                           .k = k,
                                           .a = a,
                                           .bias = true,
                                           .epilogue = Epilogue::relu,
                                           .batch = {3, 4},
                                           .a_repeats = a_repeats,
                                           .b_repeats = b_repeats}));
}

TEST(Gemm, ActivationKernelIsApplied) {
  for (const auto& [m, n, k] :
       std::vector<std::array<int64_t, 3>>{{3, 1, 2}, {32, 64, 100}, {1, 500, 300}, {500, 1, 300}, {200, 300, 400}})
    check({.m = m, .n = n, .k = k, .bias = true, .epilogue = Epilogue::tanh});
}

TEST(Gemm, NothingToDo) {
  check({.m = 0, .n = 3, .k = 4});
  check({.m = 3, .n = 0, .k = 4});
  check({.m = 3, .n = 4, .k = 5, .batch = {2, 0}});
  check({.m = 3, .n = 4, .k = 0});
  for (DType dtype : kDTypes)
    check({.dtype = dtype, .m = 3, .n = 4, .k = 0, .bias = true, .epilogue = Epilogue::relu, .batch = {2}});
}

TEST(Gemm, ReluKeepsNaNsAndNegativeZeros) {
  for (int64_t n : {1, 40}) {
    const std::vector<float> a = {NAN, -0.0f, -1, 2}, b(static_cast<size_t>(n), 1.0f);
    std::vector<float> c(static_cast<size_t>(4 * n));
    // k = 1; a sum that begins with +0 makes +0 of −0, as adding does.
    const auto gemm = Gemm::prepare({.dtype = f32,
                                     .m = 4,
                                     .n = n,
                                     .k = 1,
                                     .a_row = 1,
                                     .a_col = 1,
                                     .b_row = n,
                                     .b_col = 1,
                                     .epilogue = Epilogue::relu});
    std::vector<char> scratch(gemm->scratch_bytes() + 64);
    gemm->run(a.data(), b.data(), nullptr, c.data(), scratch.data());
    for (int64_t j = 0; j < n; ++j) {
      EXPECT_TRUE(std::isnan(c[static_cast<size_t>(j)])) << gemm->chosen;
      EXPECT_EQ(c[static_cast<size_t>(n + j)], 0.0f);
      EXPECT_EQ(c[static_cast<size_t>(2 * n + j)], 0.0f);
      EXPECT_EQ(c[static_cast<size_t>(3 * n + j)], 2.0f);
    }
  }
}

// The same bits for 1, 2 and 7 threads, and as bias and relu done apart.
TEST(Gemm, BitsDependOnNeitherThreadsNorFusion) {
  const int before = thread_count();
  for (DType dtype : {f32, f64, bf16, f16, i32})
    for (const Case& base : std::vector<Case>{{.m = 256, .n = 300, .k = 200},
                                              {.m = 600, .n = 600, .k = 100, .a = Layout::transposed},
                                              {.m = 100, .n = 900, .k = 300, .b = Layout::transposed},
                                              {.m = 2000, .n = 10, .k = 300},
                                              {.m = 2000, .n = 10, .k = 300, .a = Layout::transposed},
                                              {.m = 1, .n = 3000, .k = 900},
                                              {.m = 3000, .n = 1, .k = 900},
                                              {.m = 40, .n = 40, .k = 40, .batch = {100}}}) {
      Case c = base;
      c.dtype = dtype;
      c.bias = true;
      c.epilogue = Epilogue::relu;
      visit(dtype, [&](auto t) {
        using T = decltype(t);
        if constexpr (!std::is_same_v<T, bool>) {
          const Operands<T> operands(c);
          std::vector<std::vector<T>> results;
          for (int threads : {1, 2, 7}) {
            set_thread_count(threads);
            const auto gemm = Gemm::prepare(operands.spec);
            results.push_back(operands.run(*gemm));
          }
          Operands<T> plain(operands);
          plain.spec.bias = false;
          plain.spec.epilogue = Epilogue::none;
          std::vector<T> apart = plain.run(*Gemm::prepare(plain.spec));
          for (size_t i = 0; i < apart.size(); ++i) {
            const T bias = operands.bias[i % static_cast<size_t>(c.n)];
            T v;
            if constexpr (std::is_integral_v<T>)
              v = static_cast<T>(static_cast<uint64_t>(apart[i]) + static_cast<uint64_t>(bias));
            else v = static_cast<T>(apart[i] + bias);
            apart[i] = v < T{} ? T{} : v;
          }
          for (const auto& result : {results[1], results[2], apart})
            ASSERT_EQ(std::memcmp(results[0].data(), result.data(), result.size() * sizeof(T)), 0) << c.str();
        }
      });
    }
  set_thread_count(before);
}

TEST(Gemm, SeveralThreadsRunOneGemm) {
  const Operands<float> operands({.m = 200, .n = 210, .k = 220, .bias = true});
  const auto gemm = Gemm::prepare(operands.spec);
  const std::vector<float> expected = operands.run(*gemm);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) EXPECT_EQ(operands.run(*gemm), expected);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Gemm, ExplainsItsChoice) {
  const auto gemm =
      Gemm::prepare({.dtype = f32, .m = 512, .n = 512, .k = 512, .a_row = 512, .a_col = 1, .b_row = 512, .b_col = 1});
  EXPECT_FALSE(gemm->chosen.empty());
  EXPECT_FALSE(gemm->skipped.empty());
}

TEST(Gemm, PrimitivesAreSharedAndCounted) {
  const GemmSpec spec{
      .dtype = bf16, .m = 300, .n = 301, .k = 302, .a_row = 302, .a_col = 1, .b_row = 301, .b_col = 1};
  const auto first = Gemm::prepare(spec);
  if (first->chosen.rfind("onednn", 0) != 0) GTEST_SKIP() << "bfloat16 by " << first->chosen << " on this CPU";
  const GemmPrimitiveCacheStats before = gemm_primitive_cache_stats();
  const auto second = Gemm::prepare(spec);
  const GemmPrimitiveCacheStats after = gemm_primitive_cache_stats();
  EXPECT_GT(after.hits, before.hits);
  EXPECT_EQ(after.misses, before.misses);
  EXPECT_EQ(after.entries, before.entries);
  // The cache is bounded, and what it drops lives on in the Gemm that uses it.
  for (int64_t k = 100; k < 420; ++k)
    Gemm::prepare({.dtype = bf16, .m = 80, .n = 80, .k = k, .a_row = k, .a_col = 1, .b_row = 80, .b_col = 1});
  EXPECT_LE(gemm_primitive_cache_stats().entries, 256u);
  const Operands<BFloat16> operands({.dtype = bf16, .m = 300, .n = 301, .k = 302});
  operands.check(operands.run(*first), first->chosen);
}

TEST(Gemm, RefusesWhatMakesNoSense) {
  EXPECT_THROW(Gemm::prepare({.dtype = boolean, .m = 1, .n = 1, .k = 1}), InvalidArgument);
  EXPECT_THROW(Gemm::prepare({.m = -1, .n = 1, .k = 1}), InvalidArgument);
  EXPECT_THROW(Gemm::prepare({.m = 1, .n = 1, .k = 1, .batch = {2}}), InvalidArgument);
  EXPECT_THROW(Gemm::prepare({.m = 1, .n = 1, .k = 1, .epilogue = Epilogue::tanh}), InvalidArgument);
}

}  // namespace
}  // namespace brio::cpu
