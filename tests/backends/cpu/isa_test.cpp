#include "brio/base/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <hwy/highway.h>

#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/error.h"

namespace brio::cpu {
namespace {

// Under the cap, kernels are those of `target`, also after asking for the name. The cap is read once per
// process, so each case is a process of its own.
int kernels_under(const char* cap, int64_t target) {
  setenv("BRIO_ISA", cap, 1);
  const TileFn first = find_tile_fn("exp", f32, f32);
  const bool named = isa_name() == cap;
  const TileFn second = find_tile_fn("exp", f32, f32);
  hwy::SetSupportedTargetsForTest(target);
  const TileFn wanted = find_tile_fn("exp", f32, f32);
  return named && first == wanted && second == wanted ? 0 : 1;
}

TEST(IsaDeathTest, CapIsApplied) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(kernels_under("portable", HWY_SCALAR)), testing::ExitedWithCode(0), "");
  if (__builtin_cpu_supports("sse4.2")) {
    EXPECT_EXIT(std::exit(kernels_under("sse4", HWY_SSE4)), testing::ExitedWithCode(0), "");
  }
  if (__builtin_cpu_supports("avx2")) {
    EXPECT_EXIT(std::exit(kernels_under("avx2", HWY_AVX2)), testing::ExitedWithCode(0), "");
  }
}

TEST(IsaDeathTest, NameIsThatOfTheKernels) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (__builtin_cpu_supports("avx512bw")) {
    EXPECT_EXIT(std::exit(kernels_under("avx512", HWY_AVX3)), testing::ExitedWithCode(0), "");
  }
}

TEST(IsaDeathTest, UnknownNameIsAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("BRIO_ISA", "mmx", 1);
        try {
          apply_isa_cap();
        } catch (const InvalidArgument& e) {
          std::exit(std::string(e.what()).find("'mmx'; use portable, sse4, avx2 or avx512") != std::string::npos ? 0
                                                                                                                 : 1);
        }
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace brio::cpu
