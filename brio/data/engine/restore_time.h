// How long a restore may take. If elements are not numbered, a state is a count of elements to claim again. Only the
// count determines the time, and a corrupt count may take years.
#pragma once

#include <atomic>
#include <cstdint>

namespace brio::data {

class Replay {
 public:
  // While it lives, check() throws after the deadline.
  class Scope {
   public:
    Scope(Replay& replay, double seconds);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { replay_.until_ns_.store(0, std::memory_order_release); }

   private:
    Replay& replay_;
  };

  // Throws InvalidArgument. Code that skips elements calls it now and then.
  void check() const {
    // Read once: the restore may end in the meantime.
    if (const int64_t until = until_ns_.load(std::memory_order_acquire); until != 0) check_clock(until);
  }

 private:
  void check_clock(int64_t until) const;
  std::atomic<int64_t> until_ns_{0};  // 0: no restore is running
  double seconds_ = 0;
};

}  // namespace brio::data
