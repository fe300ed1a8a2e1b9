// How long a restore may take. Where elements are not numbered, a state is a count of elements to claim again, and
// only the count says how long that takes: one that nobody wrote may ask for years.
#pragma once

#include <atomic>
#include <cstdint>

namespace brio::data {

class Replay {
 public:
  // While it lives, check() refuses what goes on behind the deadline.
  class Scope {
   public:
    Scope(Replay& replay, double seconds);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { replay_.until_ns_.store(0, std::memory_order_release); }

   private:
    Replay& replay_;
  };

  // Throws InvalidArgument. Whoever passes elements over calls it now and then.
  void check() const {
    // Read once: the restore may end meanwhile.
    if (const int64_t until = until_ns_.load(std::memory_order_acquire); until != 0) check_clock(until);
  }

 private:
  void check_clock(int64_t until) const;
  std::atomic<int64_t> until_ns_{0};  // 0: nothing is restored
  double seconds_ = 0;
};

}  // namespace brio::data
