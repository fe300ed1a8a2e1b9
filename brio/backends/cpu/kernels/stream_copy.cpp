#include "brio/backends/cpu/kernels/stream_copy.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/stream_copy.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/cache_control.h>

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

void stream_copy(void* out_, const void* source_, size_t bytes) {
#if HWY_TARGET == HWY_SCALAR
  std::memcpy(out_, source_, bytes);
#else
  const hn::ScalableTag<uint8_t> d;
  const size_t step = hn::Lanes(d);
  uint8_t* out = static_cast<uint8_t*>(out_);
  const uint8_t* source = static_cast<const uint8_t*>(source_);
  const size_t head = std::min(bytes, (64 - reinterpret_cast<uintptr_t>(out) % 64) % 64);
  std::memcpy(out, source, head);
  size_t i = head;
  for (; i + 64 <= bytes; i += 64)  // whole lines, so that each leaves the write-combining buffer at once
    for (size_t j = 0; j < 64; j += step) hn::Stream(hn::LoadU(d, source + i + j), d, out + i + j);
  std::memcpy(out + i, source + i, bytes - i);
#endif
}

}  // namespace

StreamCopy find_stream_copy_here() { return stream_copy; }

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_stream_copy_here);

StreamCopy find_stream_copy() {
  apply_isa_cap();
  return HWY_DYNAMIC_DISPATCH(find_stream_copy_here)();
}

void finish_streaming() { hwy::FlushStream(); }

size_t streaming_threshold() {
  // Virtual machines report the cache of the whole socket; no more than 32 MiB of it is ever ours.
  static const size_t threshold = [] {
    const long reported = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const size_t cache = reported > 0 ? static_cast<size_t>(reported) : size_t{8} << 20;
    return std::min(cache, size_t{32} << 20) / 2;
  }();
  return threshold;
}

}  // namespace brio::cpu
#endif
