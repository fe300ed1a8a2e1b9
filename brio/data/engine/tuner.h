// How many threads and how much read-ahead a Parallel uses: decided from what the last moments measured, and written
// down. A decision is a pure function of the windows so far and of what is set now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace brio::data {

// What happened since the last decision.
struct TunerWindow {
  int64_t elements = 0;  // read
  int64_t wall_ns = 0;
  int64_t waited_ns = 0;            // the reader, for an element that was not ready (helping included)
  int64_t cheapest_ns = INT64_MAX;  // to compute an element: what it costs when nothing else takes the CPU
  int64_t computed_ns = 0;          // by all threads, the reader included
  int64_t claimed_ns = 0;           // of it, by one thread at a time: more threads make that no shorter
  int64_t found_empty = 0;          // reads that had to wait
  int64_t found_ahead = 0;          // elements that were there already, summed over all reads
  int64_t found_full = 0;           // times that a thread had nothing to do as the ring was full
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
  double measured = -1;  // share that it did; below 0: not known yet
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
  int64_t slow_elements_ = 0;  // in a row that were worth a thread,
  int64_t proof_ = 2;          // and how many are proof enough
};

// What a Parallel has done.
struct ParallelReport {
  std::string stage;
  int64_t elements = 0, waited_ns = 0, computed_ns = 0, wall_ns = 0;
  int64_t workers = 0, depth = 0, filled = 0, bytes = 0;     // now; bytes of an element
  int64_t found_ahead = 0, found_empty = 0, found_full = 0;  // as in the window
  bool fixed_workers = false, fixed_depth = false;           // by whoever wrote the pipeline
  double waited() const { return wall_ns > 0 ? static_cast<double>(waited_ns) / static_cast<double>(wall_ns) : 0; }
  double mean_filled() const {
    return elements > 0 ? static_cast<double>(found_ahead) / static_cast<double>(elements) : 0;
  }
  std::vector<Decision> decisions;
};

}  // namespace brio::data
