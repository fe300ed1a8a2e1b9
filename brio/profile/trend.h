// Whether a series goes up all the time, judged by medians: some readings that are far off change nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace brio::profile {

double median_of(std::vector<double> list);  // 0 of none

struct Rise {
  double slope = 0;            // of y for one of x
  double since = 0;            // x where it began
  double first = 0, last = 0;  // y then and now
  double by() const { return last - first; }
};

// The longest part up to the end of the series in which y goes up steadily and does not level off, by `least` at
// least. Of fewer than `fewest` readings nothing is said.
std::optional<Rise> steady_rise(std::span<const double> x, std::span<const double> y, double least, size_t fewest);

}  // namespace brio::profile
