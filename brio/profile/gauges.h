// What the process used over time: memory by owner, processor time, page faults, and what its control group held
// back. A sample is taken twice a second while steps are run, and more often at first; when the table is full, every
// second one goes and samples come half as often.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brio::profile {

inline constexpr size_t kMostGauges = 16;
inline constexpr std::string_view kPlanCount = "plan count";  // a gauge that does not count bytes

struct Sample {
  uint64_t at = 0;  // ticks
  uint64_t step = 0;
  int64_t rss = 0;
  double cpu = 0;         // seconds of all threads
  double waited_cpu = 0;  // seconds that the thread that trains could have run and got no processor
  double throttled = 0;   // seconds, by the control group
  int64_t minor_faults = 0, major_faults = 0;
  int64_t involuntary = 0;  // switches of the context
  int64_t read_bytes = 0;   // from disk
  int64_t swap = 0;
  std::array<int64_t, kMostGauges> gauges{};
};

// Something to be sampled, in bytes or counts: "plans", "parameters".
void add_gauge(std::string_view name, int64_t (*read)());
std::vector<std::string> gauge_names();

void sample_now(uint64_t step);                  // by any thread, for a report
void maybe_sample(uint64_t now, uint64_t step);  // by the thread that trains, after a step; cheap when it is not time

std::vector<Sample> samples();
size_t gauges_bytes();

}  // namespace brio::profile
