// BRIO_EXPLAIN=word,word: what plans say of themselves as they are made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brio/runtime/backend.h"

namespace brio {

enum class Explain : uint8_t { kernels, plans, placement };
// Was it asked for? The first call warns of words that mean nothing.
bool explains(Explain what);
// What is wrong with such a setting, naming the words there are; empty: nothing.
std::string unknown_words(std::string_view setting);

// What ops cost that ran on the host for a device which has no kernel for them.
struct FallbackCount {
  std::string device, op;
  uint64_t runs, bytes, nanoseconds;  // bytes: copied there and back; the time is that of copies, waiting and the op
};
std::vector<FallbackCount> fallback_counts();

struct TrafficCount {
  std::string device;
  uint64_t copies_in, bytes_in, copies_out, bytes_out, fallbacks;
};
std::vector<TrafficCount> traffic_counts();  // of each device but the host
void reset_device_counts();

std::string placement_report();  // both, for people; empty where nothing was copied

namespace detail {
// One for each device and op, as long as the process lives.
struct FallbackRow {
  const Device* device;
  const OpDef* op;
  std::atomic<uint64_t> runs{0}, bytes{0}, nanoseconds{0};
};
FallbackRow& fallback_row(const Device& device, const OpDef& op);
}  // namespace detail

}  // namespace brio
