// SignalWatch: while it lives, SIGINT and SIGTERM are noted instead of ending the process, so that fit can finish its
// step. The second one of a kind ends it at once. A program that has a handler of its own keeps it.
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
  void stop();          // the handlers are as they were before

 private:
  struct Before {
    int signal;
    struct sigaction action;
  };
  std::vector<Before> before_;
  bool stopped_ = false;
};

}  // namespace brio::train
