#include "brio/data/engine/tuner.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"

namespace brio::data {
namespace {

constexpr double kWorthIt = 0.02;          // waiting below this share of the time is noise
constexpr int64_t kWorthAThread = 30'000;  // ns: handing an element over costs some microseconds
// A slow element may only have lost its CPU. So several must be slow before threads are started, more of them after
// fast ones, and still more if threads were no help. A time of kNoAccident is too long for a lost CPU.
constexpr int64_t kProof = 2, kProofAfterQuick = 16, kMostProof = 1 << 16;
constexpr int64_t kNoAccident = 20'000'000;  // ns
constexpr double kWorse = 1.1;
constexpr size_t kLongestLog = 256;

std::string percent(double share) { return cat(std::round(share * 1000) / 10, " %"); }

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
  // What was changed at once has one effect.
  for (; measured_ < log_.size(); ++measured_) log_[measured_].measured = 1 - an_element / last_ns_an_element_;
  last_ns_an_element_ = an_element;
  auto change = [&](const char* what, int64_t& value, int64_t to, double predicted, std::string why) {
    if (to == value) return;
    note({seconds, stage, what, value, to, std::move(why), predicted, -1});
    value = to;
  };

  const double wait_each = static_cast<double>(window.waited_ns) / static_cast<double>(window.elements);
  if (now.workers == 0) alone_wait_ns_ = wait_each;
  const bool slow = window.cheapest_ns > kWorthAThread && window.cheapest_ns != INT64_MAX;
  slow_elements_ = slow ? slow_elements_ + window.elements : 0;
  if (window.cheapest_ns < kWorthAThread) proof_ = std::max(proof_, kProofAfterQuick);
  const bool proven =
      now.workers > 0 || slow_elements_ >= proof_ || (proof_ == kProof && window.cheapest_ns > kNoAccident);

  if (now.workers > 0 && limits.may_change_workers && window.cheapest_ns < kWorthAThread / 4) {
    change("threads", next.workers, 0, 0, "handing an element over costs more than making it");
  } else if (now.workers > 0 && limits.may_change_workers && window.elements >= kProofAfterQuick &&
             alone_wait_ns_ > 0 && wait_each > alone_wait_ns_ * kWorse) {
    change("threads", next.workers, 0, 1 - alone_wait_ns_ / wait_each,
           cat("the reader waited ", static_cast<int64_t>(wait_each / 1000), " µs for an element, and ",
               static_cast<int64_t>(alone_wait_ns_ / 1000), " when it made them by itself"));
    proof_ = std::min(proof_ * 4, kMostProof);
    slow_elements_ = 0;
  } else if (waiting > kWorthIt && slow && proven) {
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
      const double computed = static_cast<double>(std::max<int64_t>(1, window.computed_ns));
      const double serial = std::min(1.0, static_cast<double>(window.claimed_ns) / computed);
      change("threads", next.workers, to,
             waiting * std::max(0.0, 1 - std::max(serial, before / static_cast<double>(to))),
             cat("the reader waited ", percent(waiting), " of the time"));
    }
  } else if (limits.may_change_workers && now.workers > 1 && waiting <= kWorthIt && window.cheapest_ns != INT64_MAX) {
    // Threads that the work does not need are the model's. Where none has finished an element, nothing is known of
    // how busy they were.
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
