// Finds whether a series rises steadily, by medians: a few outliers change nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace brio::profile {

double median_of(std::vector<double> list);  // 0 for an empty list

struct Rise {
  double slope = 0;            // of y per unit of x
  double since = 0;            // x at its beginning
  double first = 0, last = 0;  // y at that point and now
  double by() const { return last - first; }
};

// The longest part at the end of the series in which y rises steadily, by at least `least`, and does not level off.
// None if there are fewer than `fewest` readings.
std::optional<Rise> steady_rise(std::span<const double> x, std::span<const double> y, double least, size_t fewest);

}  // namespace brio::profile
