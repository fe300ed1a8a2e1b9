// Counts every operator new of a test program, and lets one of them fail. Include it in one source of the program
// only.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace counting_new {

inline std::atomic<uint64_t> count{0};
inline std::atomic<int64_t> fail_in{0};  // n: the n-th from now fails, on any thread; 0: none

inline void* allocate(size_t bytes, size_t alignment) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (fail_in.load(std::memory_order_relaxed) > 0 && fail_in.fetch_sub(1) == 1) throw std::bad_alloc();
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(bytes ? bytes : 1)
                : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace counting_new

// Not inlined: gcc sees through one of a pair and takes malloc and free for a mismatch. The nothrow form is replaced
// too, since its memory is given back through the same delete.
#define OUT_OF_LINE __attribute__((noinline))
OUT_OF_LINE void* operator new(size_t bytes) { return counting_new::allocate(bytes, 1); }
OUT_OF_LINE void* operator new(size_t bytes, std::align_val_t alignment) {
  return counting_new::allocate(bytes, static_cast<size_t>(alignment));
}
OUT_OF_LINE void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return counting_new::allocate(bytes, 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
OUT_OF_LINE void operator delete(void* p) noexcept { std::free(p); }
OUT_OF_LINE void operator delete(void* p, size_t) noexcept { std::free(p); }
OUT_OF_LINE void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
OUT_OF_LINE void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
OUT_OF_LINE void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
#undef OUT_OF_LINE
