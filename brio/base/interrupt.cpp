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

}  // namespace brio
