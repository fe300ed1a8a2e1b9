#include "brio/train/turns.h"

#include <chrono>

#include "brio/base/interrupt.h"

namespace brio::train {

void Turns::take() {
  const std::thread::id me = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  if (depth_ > 0 && holder_ == me) {
    ++depth_;
    return;
  }
  const auto ticket = waiting_.insert(waiting_.end(), me);
  try {
    while (depth_ > 0 || waiting_.begin() != ticket) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();  // the check may wait for the interpreter, whose holder may want a turn
      check_interrupt();
      lock.lock();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    waiting_.erase(ticket);
    changed_.notify_all();
    throw;
  }
  waiting_.erase(ticket);
  holder_ = me;
  depth_ = 1;
}

void Turns::leave() {
  const std::lock_guard lock(mutex_);
  if (--depth_ == 0) changed_.notify_all();
}

}  // namespace brio::train
