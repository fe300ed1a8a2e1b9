#include "brio/base/interrupt.h"

#include <atomic>

namespace brio {
namespace {

std::atomic<InterruptCheck> current{nullptr};

}  // namespace

void set_interrupt_check(InterruptCheck check) { current.store(check, std::memory_order_release); }

void check_interrupt() {
  if (const InterruptCheck check = current.load(std::memory_order_acquire)) check();
}

}  // namespace brio
