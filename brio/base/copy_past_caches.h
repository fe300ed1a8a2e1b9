// A copy into memory that a device reads next, and no core: it takes no room in caches, and does not read what it
// overwrites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace brio {

inline void copy_past_caches(void* to, const void* from, size_t bytes) {
#if defined(__SSE2__)
  constexpr size_t kVector = sizeof(__m128i), kLine = 64;
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  if (const size_t odd = reinterpret_cast<uintptr_t>(out) % kLine; odd != 0 && bytes >= kLine) {
    const size_t first = kLine - odd;
    std::memcpy(out, in, first);
    out += first;
    in += first;
    bytes -= first;
  }
  if (bytes >= kLine) {
    for (; bytes >= kLine; bytes -= kLine, in += kLine, out += kLine)
      for (size_t i = 0; i < kLine; i += kVector)
        _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
    _mm_sfence();
  }
  std::memcpy(out, in, bytes);
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace brio
