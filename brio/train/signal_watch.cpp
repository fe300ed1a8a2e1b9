#include "brio/train/signal_watch.h"

#include <atomic>
#include <utility>

namespace brio::train {
namespace {

std::atomic<int> noted{0};
std::atomic<int> watching{0};  // threads may fit at once
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  if (noted.exchange(signal) == 0) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

SignalWatch::SignalWatch() {
  if (watching.fetch_add(1) == 0) noted = 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) != 0) continue;
    if ((present.sa_flags & SA_SIGINFO) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = note;
    sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_RESTART;
    if (sigaction(signal, &ours, nullptr) == 0) before_.push_back({signal, present});
  }
}

int SignalWatch::caught() { return noted.load(); }

void SignalWatch::stop() {
  if (std::exchange(stopped_, true)) return;
  watching.fetch_sub(1);
  for (const Before& each : before_) sigaction(each.signal, &each.action, nullptr);
  before_.clear();
}

}  // namespace brio::train
