#include "brio/base/isa.h"

#include <cstdlib>

#include "brio/base/simd_targets.h"  // first

#include <hwy/highway.h>

#include "brio/base/error.h"

namespace brio {
namespace {

constexpr int64_t kAvx512 = HWY_AVX3 | HWY_AVX3_DL;
constexpr int64_t kAvx2 = HWY_AVX2;
constexpr int64_t kSse4 = HWY_SSE4 | HWY_SSSE3;

int64_t targets_above(std::string_view cap) {
  if (cap.empty() || cap == "avx512") return 0;
  if (cap == "avx2") return kAvx512;
  if (cap == "sse4") return kAvx512 | kAvx2;
  if (cap == "portable") return kAvx512 | kAvx2 | kSse4;
  throw InvalidArgument(
      cat("BRIO_ISA: no instruction set is called '", cap, "'; use portable, sse4, avx2 or avx512"));
}

}  // namespace

void apply_isa_cap() {
  // A function-local static: thread-safe, and tried again if the value was bad and the caller went on.
  static const bool applied = [] {
    const char* cap = std::getenv("BRIO_ISA");
    if (const int64_t disabled = targets_above(cap ? cap : "")) {
      hwy::DisableTargets(disabled);
      // Highway 1.0.3: SupportedTargets() by itself makes later calls dispatch to the best instruction set, disabled
      // or not, unless a set of targets has been given. So one is.
      hwy::SetSupportedTargetsForTest(hwy::SupportedTargets());
    }
    return true;
  }();
  (void)applied;
}

size_t isa_in_use() { return hwy::GetChosenTarget().GetIndex(); }

std::string_view isa_name() {
  apply_isa_cap();
  const int64_t supported = hwy::SupportedTargets();
  hwy::GetChosenTarget().Update(supported);  // see above
  if (supported & kAvx512) return "avx512";
  if (supported & kAvx2) return "avx2";
  if (supported & HWY_SSE4) return "sse4";
  return "portable";
}

}  // namespace brio
