// The watch for growth over a run: memory by its owner, recorded ops, plans, swap, the time of a step and of waiting
// for input. It is asked where a sample was taken, some times a second at most, and tells once for each run and cause
// what grows, since which step and by how much.
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

// What grew steadily in samples of one run, by so many bytes at least; most first.
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
  std::string line;         // of the program, in its loop: "train.py:12"; empty: not known
  std::string why_planned;  // the newest plan of eager code
  bool from_python = false;
  bool in_fit = false;  // the loop is ours
};

inline constexpr size_t kFewestSamples = 12;  // some seconds: fewer show no trend

// What grows, the cause before what follows from it.
std::vector<Drift> drifts(const DriftFacts& facts);

void watch_drift(uint64_t run);  // by the thread that trains; throws nothing
// Of the program in another language than C++, where this thread is in it now.
void set_user_line(std::string (*line)());

}  // namespace brio::profile
