// BRIO_EXPLAIN=word,word: what is printed about plans when they are made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brio/runtime/backend.h"

namespace brio {

enum class Explain : uint8_t { kernels, plans, placement };
// Whether it was asked for. The first call warns of unknown words.
bool explains(Explain what);
// An error text for the unknown words of such a setting, with the known words; empty: none.
std::string unknown_words(std::string_view setting);

// The cost of ops that ran on the host because a device has no kernel for them.
struct FallbackCount {
  std::string device, op;
  uint64_t runs, bytes, nanoseconds;  // bytes: copied in both directions; the time is for copies, waiting and the op
};
std::vector<FallbackCount> fallback_counts();

struct TrafficCount {
  std::string device;
  uint64_t copies_in, bytes_in, copies_out, bytes_out, fallbacks;
};
std::vector<TrafficCount> traffic_counts();  // for each device except the host
void reset_device_counts();

std::string placement_report();  // both, as text; empty if nothing was copied

namespace detail {
// One for each device and op; it lives as long as the process.
struct FallbackRow {
  const Device* device;
  const OpDef* op;
  std::atomic<uint64_t> runs{0}, bytes{0}, nanoseconds{0};
};
FallbackRow& fallback_row(const Device& device, const OpDef& op);
}  // namespace detail

}  // namespace brio
