#include "brio/data/engine/read_costs.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <vector>

#include "brio/base/philox.h"

namespace brio::data {
namespace {

constexpr size_t kFewest = 3, kMost = 7;
constexpr double kSeconds = 5e-3;  // after which the fewest must do

// The middle one of some reads of so many bytes, each at a place that chance chose.
double read_seconds(const StoredElements& elements, size_t bytes, const RandomStream& places,
                    const ReadClock& clock) {
  std::vector<double> took;
  const double began = clock();
  for (uint64_t k = 0; k < kMost && (k < kFewest || clock() - began < kSeconds); ++k) {
    const auto place = static_cast<int64_t>(places.u64(k) % static_cast<uint64_t>(elements.stored()));
    const double start = clock();
    elements.read_stored(place, bytes);
    took.push_back(clock() - start);
  }
  std::ranges::nth_element(took, took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2));
  return took[took.size() / 2];
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ReadCosts measure_reads(const StoredElements& elements, const ReadClock& clock) {
  if (elements.stored() <= 0) return {};
  const auto each =
      static_cast<size_t>(std::max<uint64_t>(1, elements.stored_bytes() / static_cast<uint64_t>(elements.stored())));
  // Other places every time: what was read before is in memory.
  const auto seed = std::bit_cast<uint64_t>(clock());
  ReadCosts costs;
  costs.alone = read_seconds(elements, each, {seed, 0}, clock);
  if (costs.alone < ReadCosts::kSlow) return costs;
  const size_t piece = std::max(each, kPieceBytes);
  costs.in_piece =
      read_seconds(elements, piece, {seed, 1}, clock) * static_cast<double>(each) / static_cast<double>(piece);
  return costs;
}

std::string ReadCosts::str() const {
  char text[96];
  if (in_piece)
    std::snprintf(text, sizeof text, "an element takes %.3g ms to read alone, %.3g ms in a piece of 1 MB",
                  alone * 1e3, *in_piece * 1e3);
  else std::snprintf(text, sizeof text, "an element takes %.3g ms to read alone", alone * 1e3);
  return text;
}

}  // namespace brio::data
