// Waits that may be long, and loops that may find nothing, ask now and then whether to go on: from Python, whether
// somebody has pressed Ctrl-C.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>

namespace brio {

// Ends what a thread is doing. Code that turns the errors of an element into results must let it pass.
class Interrupted : public std::exception {
 public:
  Interrupted() = default;
  // clang-tidy takes the pointer that is kept for an error that is not thrown.
  explicit Interrupted(std::exception_ptr why) : why_(std::move(why)) {}  // NOLINT(bugprone-throw-keyword-missing)
  const char* what() const noexcept override { return "interrupted"; }
  const std::exception_ptr& why() const { return why_; }  // what the check threw; null for a thread that is stopped

 private:
  std::exception_ptr why_;
};

using InterruptCheck = void (*)();  // throws what the wait is to end with
void set_interrupt_check(InterruptCheck check);
void check_interrupt();  // throws Interrupted

// For a loop whose rounds may be short or long: call it in each. It asks some twenty times a second.
class InterruptPoll {
 public:
  void operator()() {
    if (++rounds_ >= stride_) [[unlikely]]
      look();
  }

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  uint32_t rounds_ = 0, stride_ = 1;  // the clock is read once for so many rounds
  Clock::time_point looked_ = Clock::now(), asked_ = looked_;
};

}  // namespace brio
