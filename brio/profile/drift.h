// Watches a run for growth: memory by owner, recorded ops, plans, swap, the time of a step and of waiting for input.
// It is asked after a sample, a few times a second at most, and reports once for each run and cause what grows, since
// which step and by how much.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "brio/profile/gauges.h"

namespace brio::profile {

struct MemoryGrowth {
  std::string owner;  // the name of a gauge, or kOutside
  double bytes = 0, a_step = 0;
  uint64_t since = 0;  // step
};
inline constexpr std::string_view kOutside = "memory outside of Brio's ledger";

// What grew steadily in the samples of one run, by at least so many bytes; the largest growth first.
std::vector<MemoryGrowth> grown_memory(std::span<const Sample> samples, std::span<const std::string> gauges,
                                       double least, size_t fewest);

enum class Grows : uint8_t { graph, slots, variables, tensors, plans, outside, swap, input, steps };

struct Drift {
  Grows what{};
  std::string text;
};

struct DriftFacts {
  std::vector<Sample> samples;  // of one run
  std::vector<std::string> gauges;
  double seconds_per_tick = 1e-9;
  std::string line;         // of the program's loop: "train.py:12"; empty: unknown
  std::string why_planned;  // the newest plan of eager code
  bool from_python = false;
  bool in_fit = false;  // the loop is fit()'s
};

inline constexpr size_t kFewestSamples = 12;  // some seconds: fewer samples show no trend

// What grows; a cause comes before its consequences.
std::vector<Drift> drifts(const DriftFacts& facts);

void watch_drift(uint64_t run);  // called by the training thread; throws nothing
// Sets the function that returns this thread's current line in a program of another language than C++.
void set_user_line(std::string (*line)());

}  // namespace brio::profile
