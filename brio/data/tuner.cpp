#include "brio/data/tuner.h"

#include <algorithm>

#include "brio/base/error.h"

namespace brio::data {
namespace {

constexpr double kWorthIt = 0.02;          // waiting below this share of the time is noise
constexpr int64_t kWorthAThread = 30'000;  // ns: handing an element over costs some microseconds
constexpr size_t kLongestLog = 256;

std::string percent(double share) { return cat(static_cast<int>(share * 1000 + 0.5) / 10.0, " %"); }

}  // namespace

void Tuner::note(Decision decision) {
  if (log_.size() < kLongestLog) log_.push_back(std::move(decision));
}

TunerSetting Tuner::decide(const TunerWindow& window, const TunerSetting& now, const TunerLimits& limits,
                           double seconds, const std::string& stage) {
  TunerSetting next = now;
  if (window.elements == 0 || window.wall_ns <= 0) return next;
  const double wall = static_cast<double>(window.wall_ns);
  const double an_element = wall / static_cast<double>(window.elements);
  const double waiting = static_cast<double>(window.waited_ns) / wall;
  if (awaits_measure_ && !log_.empty()) {
    log_.back().measured = 1 - an_element / last_ns_an_element_;
    awaits_measure_ = false;
  }
  last_ns_an_element_ = an_element;
  auto change = [&](const char* what, int64_t& value, int64_t to, double predicted, std::string why) {
    if (to == value) return;
    note({seconds, stage, what, value, to, std::move(why), predicted, -1});
    value = to;
    awaits_measure_ = true;
  };

  if (now.workers > 0 && limits.may_change_workers && window.cheapest_ns < kWorthAThread / 4) {
    change("threads", next.workers, 0, 0, "handing an element over costs more than making it");
  } else if (waiting > kWorthIt && window.cheapest_ns > kWorthAThread) {
    // The reader waits. Where threads were idle as the ring was full, its elements come unevenly: a longer ring
    // helps; otherwise there are too few threads.
    const bool uneven = now.workers > 0 && window.found_full > 0;
    if (uneven && limits.may_change_depth && now.depth < limits.depth) {
      change("read-ahead", next.depth, std::min(limits.depth, now.depth * 2), waiting,
             cat("the reader waited ", percent(waiting), " of the time though the ring was full at others"));
    } else if (limits.may_change_workers && now.workers < limits.workers) {
      // All that the budget has at first; then one by one.
      const int64_t to = now.workers == 0 ? limits.workers : now.workers + 1;
      const double before = static_cast<double>(std::max<int64_t>(1, now.workers));
      change("threads", next.workers, to, waiting * (1 - before / static_cast<double>(to)),
             cat("the reader waited ", percent(waiting), " of the time"));
    }
  } else if (limits.may_change_workers && now.workers > 1 && waiting <= kWorthIt) {
    // Threads that the work does not need are the model's.
    const double busy = static_cast<double>(window.computed_ns) / wall;
    if (busy < static_cast<double>(now.workers - 1) * 0.6)
      change("threads", next.workers, now.workers - 1, 0,
             cat("the reader never waited and the threads were busy ",
                 percent(busy / static_cast<double>(now.workers)), " of the time"));
  }
  // Enough elements in the ring for every thread to hold one, and one to be read.
  if (limits.may_change_depth && next.workers > 0 && next.depth < next.workers + 1)
    change("read-ahead", next.depth, std::min(limits.depth, next.workers + 1), 0, "one element for each thread");
  return next;
}

}  // namespace brio::data
