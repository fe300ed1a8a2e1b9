#include "brio/backends/cpu/kernels/random_fill.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cmath>
#include <vector>

#include "brio/base/thread_pool.h"
#include "tests/backends/cpu/every_isa.h"

namespace brio::cpu {
namespace {

constexpr RandomStream kStream{0x0123456789abcdef, 0x8877665544332211};
constexpr uint64_t kFirst[] = {0, 1, 2, 3, 5, 16, 131, (1ull << 34) - 7};  // the last crosses a carry of the counter
constexpr size_t kLength[] = {0, 1, 2, 3, 7, 64, 65, 200};

TEST(RandomFill, WordsAndUniformsHaveTheBitsOfTheDefinition) {
  for_each_target([] {
    for (uint64_t first : kFirst)
      for (size_t n : kLength) {
        std::vector<uint32_t> a(n);
        std::vector<uint64_t> b(n);
        std::vector<float> c(n);
        std::vector<double> d(n);
        fill_random_u32(a.data(), n, kStream, first);
        fill_random_u64(b.data(), n, kStream, first);
        fill_uniform_f32(c.data(), n, kStream, first);
        fill_uniform_f64(d.data(), n, kStream, first);
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(a[i], kStream.u32(first + i)) << first << " " << i;
          ASSERT_EQ(b[i], kStream.u64(first + i)) << first << " " << i;
          ASSERT_EQ(c[i], kStream.uniform_f32(first + i)) << first << " " << i;
          ASSERT_EQ(d[i], kStream.uniform_f64(first + i)) << first << " " << i;
        }
      }
  });
}

TEST(RandomFill, NormalsAreCloseToTheDefinitionAndIndependentOfTheCut) {
  for_each_target([] {
    constexpr size_t n = 1000;
    std::vector<float> f(n), f_part(n);
    std::vector<double> d(n), d_part(n);
    fill_normal_f32(f.data(), n, kStream, 0);
    fill_normal_f64(d.data(), n, kStream, 0);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(f[i], kStream.normal_f32(i), 1e-5) << i;
      EXPECT_NEAR(d[i], kStream.normal_f64(i), 1e-13) << i;
    }
    for (size_t cut : {1, 2, 3, 17, 63, 500}) {
      fill_normal_f32(f_part.data(), cut, kStream, 0);
      fill_normal_f32(f_part.data() + cut, n - cut, kStream, cut);
      fill_normal_f64(d_part.data(), cut, kStream, 0);
      fill_normal_f64(d_part.data() + cut, n - cut, kStream, cut);
      EXPECT_EQ(f, f_part);
      EXPECT_EQ(d, d_part);
    }
  });
}

TEST(RandomFill, SameBitsForAnyNumberOfThreads) {
  const int before = thread_count();
  std::vector<std::vector<float>> results;
  for (int threads : {1, 2, 7}) {
    set_thread_count(threads);
    results.emplace_back(300001);
    fill_normal_f32(results.back().data(), results.back().size(), kStream, 9);
  }
  set_thread_count(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace brio::cpu
