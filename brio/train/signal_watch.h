// SignalWatch: while it lives, SIGINT and SIGTERM are noted instead of ending the process, so fit can finish its
// step. A second signal of a kind ends it at once. A handler that the program has set stays.
#pragma once

#include <csignal>
#include <vector>

namespace brio::train {

class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch() { stop(); }
  SignalWatch(const SignalWatch&) = delete;

  static int caught();  // 0: none
  void stop();          // restores the handlers from before

 private:
  struct Before {
    int signal;
    struct sigaction action;
  };
  std::vector<Before> before_;
  bool stopped_ = false;
};

}  // namespace brio::train
