#include "brio/base/light_lock.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace brio {

void LightLock::wait() noexcept {
  constexpr auto kLongestNap = std::chrono::microseconds(500);
  auto nap = std::chrono::microseconds(1);
  for (int tries = 0;; ++tries) {
    // Looking costs the holder less than trying.
    if (!held_.load(std::memory_order_relaxed) && try_lock()) return;
    if (tries < 64) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(nap);
      nap = std::min(2 * nap, kLongestNap);
    }
  }
}

}  // namespace brio
