// What the process used over time: memory by owner, processor time, page faults, and limits of its control group. A
// sample is taken twice a second while steps run, and more often at first. When the table is full, every second
// sample is dropped and the interval doubles.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brio/profile/recorder.h"

namespace brio::profile {

inline constexpr size_t kMostGauges = 16;

// Gauges that are counts, and gauges whose bytes are part of another gauge, "input". All others are bytes by
// owner.
inline constexpr std::string_view kPlanCount = "plan count", kRecordedOps = "recorded ops", kReadAhead = "read ahead";
inline bool is_owner(std::string_view gauge) {
  return gauge != kPlanCount && gauge != kRecordedOps && gauge != kReadAhead;
}

// The state of a run at the time of a sample; 0: none.
struct RunSoFar {
  uint64_t run = 0, steps = 0;
  PartTicks parts{};
};

struct Sample {
  uint64_t at = 0;  // ticks
  uint64_t run = 0, step = 0;
  PartTicks parts{};
  int64_t rss = 0;
  int64_t rss_of_files = 0;  // part of it: pages of files, which the system may take back
  double cpu = 0;            // seconds of all threads
  double waited_cpu = 0;     // seconds in which the training thread was ready and had no processor
  double throttled = 0;      // seconds, by the control group
  int64_t minor_faults = 0, major_faults = 0;
  int64_t involuntary = 0;  // context switches
  int64_t read_bytes = 0;   // from disk
  int64_t swap = 0;
  std::array<int64_t, kMostGauges> gauges{};
};

// Adds a value to sample, in bytes or counts: "plans", "parameters".
void add_gauge(std::string_view name, int64_t (*read)());
std::vector<std::string> gauge_names();

void sample_now(const RunSoFar& run);  // from any thread, for a report
bool time_to_sample(uint64_t now);
void sample_training(const RunSoFar& run);  // from the training thread, after a step, when it is time
// For tests: sets the interval and drops all samples.
void sample_every(double seconds);

std::vector<Sample> samples();
size_t count_samples(uint64_t run);
std::vector<Sample> samples_of(uint64_t run);
size_t gauges_bytes();

namespace detail {
extern std::atomic<uint64_t> next_sample_at;
}
inline bool time_to_sample(uint64_t now) { return now >= detail::next_sample_at.load(std::memory_order_relaxed); }

}  // namespace brio::profile
