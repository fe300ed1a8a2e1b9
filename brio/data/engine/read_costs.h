// What it costs to read elements of files one by one, and as parts of larger pieces: a spinning disk or a network
// file system takes milliseconds for each position.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "brio/data/engine/stored_elements.h"

namespace brio::data {

using ReadClock = std::function<double()>;  // seconds
double steady_seconds();

struct ReadCosts {
  static constexpr double kSlow = 1e-3;
  double alone = 0;                     // seconds to read one element by itself; the median of those tried
  std::optional<double> in_piece = {};  // its share of a larger piece; not tried if `alone` is fast
  // False for costs that threads and readahead hide: a solid-state disk, files in memory.
  bool slow_at_random() const { return in_piece && alone >= kSlow && alone >= 4 * *in_piece; }
  std::string str() const;
};

constexpr size_t kPieceBytes = size_t{1} << 20;

// Tries a few places; takes some milliseconds where reads take so long.
ReadCosts measure_reads(const StoredElements& elements, const ReadClock& clock);

}  // namespace brio::data
