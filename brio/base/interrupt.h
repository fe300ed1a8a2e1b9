// Waits that may be long, and loops that may find nothing, ask now and then whether to go on: from Python, whether
// somebody has pressed Ctrl-C.
#pragma once

#include <exception>

namespace brio {

// Ends what a thread is doing. It is no error of that, so whoever takes errors for results lets it pass.
class Interrupted : public std::exception {
 public:
  Interrupted() = default;
  explicit Interrupted(std::exception_ptr why) : why_(std::move(why)) {}
  const char* what() const noexcept override { return "interrupted"; }
  const std::exception_ptr& why() const { return why_; }  // what the check threw; null for a thread that is stopped

 private:
  std::exception_ptr why_;
};

using InterruptCheck = void (*)();  // throws what the wait is to end with
void set_interrupt_check(InterruptCheck check);
void check_interrupt();  // throws Interrupted

}  // namespace brio
