// A lock for what is nearly always uncontended and taken with every op: taking it is one instruction, letting go a
// plain store, and while the process has a single thread neither is locked. Whoever finds it taken sleeps in short
// naps.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>

namespace brio {

class LightLock {
 public:
  LightLock() = default;
  LightLock(const LightLock&) = delete;
  LightLock& operator=(const LightLock&) = delete;

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() noexcept {
    if (!__libc_single_threaded) return !held_.exchange(true, std::memory_order_acquire);
    if (held_.load(std::memory_order_relaxed)) return false;
    held_.store(true, std::memory_order_relaxed);
    return true;
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  void wait() noexcept;

  std::atomic<bool> held_{false};
};

}  // namespace brio
