// The number of threads and the read-ahead of a Parallel: decided from recent measurements, and written down. A
// decision is a pure function of the windows so far and of the current setting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brio::data {

// What happened since the last decision.
struct TunerWindow {
  int64_t elements = 0;  // read
  int64_t wall_ns = 0;
  int64_t waited_ns = 0;            // by the reader, for an element that was not ready (including its help)
  int64_t cheapest_ns = INT64_MAX;  // to compute an element: its cost when nothing else uses the CPU
  int64_t computed_ns = 0;          // by all threads, including the reader
  int64_t claimed_ns = 0;           // part of it, by one thread at a time: more threads do not shorten it
  int64_t found_empty = 0;          // reads that had to wait
  int64_t found_ahead = 0;          // elements that were ready, summed over all reads
  int64_t found_full = 0;           // times that a thread had no work because the ring was full
};

struct TunerSetting {
  int64_t workers = 0, depth = 1;
};

struct Decision {
  double seconds = 0;  // since the pipeline was opened
  std::string stage, what;
  int64_t from = 0, to = 0;
  std::string why;
  double predicted = 0;  // share of the wall time that it should save
  double measured = -1;  // share that it saved; below 0: not known yet
};

struct TunerLimits {
  int64_t workers = 1;  // CPU budget
  int64_t depth = 1;    // what the RAM budget holds
  bool may_change_workers = true, may_change_depth = true;
};

class Tuner {
 public:
  // The setting for the next window. Decisions are appended to the log.
  TunerSetting decide(const TunerWindow& window, const TunerSetting& now, const TunerLimits& limits, double seconds,
                      const std::string& stage);
  const std::vector<Decision>& log() const { return log_; }

 private:
  void note(Decision decision);

  std::vector<Decision> log_;
  double last_ns_an_element_ = 0;
  size_t measured_ = 0;        // decisions whose effect is known
  double alone_wait_ns_ = 0;   // for an element, without threads
  int64_t slow_elements_ = 0;  // consecutive elements that were worth a thread,
  int64_t proof_ = 2;          // and how many are enough
};

// What a Parallel has done.
struct ParallelReport {
  std::string stage;
  int64_t elements = 0, waited_ns = 0, computed_ns = 0, wall_ns = 0;
  int64_t workers = 0, depth = 0, filled = 0, bytes = 0;     // now; bytes of an element
  int64_t found_ahead = 0, found_empty = 0, found_full = 0;  // as in the window
  bool fixed_workers = false, fixed_depth = false;           // set by the author of the pipeline
  double waited() const { return wall_ns > 0 ? static_cast<double>(waited_ns) / static_cast<double>(wall_ns) : 0; }
  double mean_filled() const {
    return elements > 0 ? static_cast<double>(found_ahead) / static_cast<double>(elements) : 0;
  }
  std::vector<Decision> decisions;
};

}  // namespace brio::data
