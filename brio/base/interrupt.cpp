#include "brio/base/interrupt.h"

#include <atomic>

namespace brio {
namespace {

std::atomic<InterruptCheck> current{nullptr};

}  // namespace

void set_interrupt_check(InterruptCheck check) { current.store(check, std::memory_order_release); }

void check_interrupt() {
  const InterruptCheck check = current.load(std::memory_order_acquire);
  if (!check) return;
  try {
    check();
  } catch (...) {
    throw Interrupted(std::current_exception());
  }
}

void InterruptPoll::look() {
  rounds_ = 0;
  const Clock::time_point now = Clock::now();
  if (now - looked_ < std::chrono::milliseconds(1)) stride_ = stride_ < 4096 ? 2 * stride_ : stride_;
  else if (stride_ > 1) stride_ /= 2;
  looked_ = now;
  if (now - asked_ < std::chrono::milliseconds(50)) return;
  asked_ = now;
  check_interrupt();
}

}  // namespace brio
