// The stopwatch of the labs: the best of at least three calls, and of 0.3 seconds.
#pragma once

#include <algorithm>
#include <chrono>

namespace brio {

// prepare() is not timed.
template <typename Prepare, typename Work>
double best_microseconds(Prepare prepare, Work work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  const auto start = Clock::now();
  for (int n = 0; n < 3 || Clock::now() - start < std::chrono::milliseconds(300); ++n) {
    prepare();
    const auto before = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - before).count());
  }
  return best;
}

template <typename Work>
double best_microseconds(Work work) {
  return best_microseconds([] {}, work);
}

}  // namespace brio
