#include "brio/profile/trend.h"

#include <algorithm>
#include <cmath>

namespace brio::profile {
namespace {

constexpr size_t kWindows = 8;

// The median of the slopes between all pairs (Theil and Sen).
double median_slope(std::span<const double> x, std::span<const double> y) {
  std::vector<double> slopes;
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = i + 1; j < x.size(); ++j)
      if (x[j] > x[i]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
  return median_of(std::move(slopes));
}

struct Windows {
  std::vector<double> at, value;
};
Windows medians_of(std::span<const double> x, std::span<const double> y) {
  const size_t n = std::min(kWindows, x.size());
  Windows windows;
  for (size_t w = 0; w < n; ++w) {
    const size_t from = w * x.size() / n, count = (w + 1) * x.size() / n - from;
    const auto part = [&](std::span<const double> of) {
      return median_of(
          {of.begin() + static_cast<std::ptrdiff_t>(from), of.begin() + static_cast<std::ptrdiff_t>(from + count)});
    };
    windows.at.push_back(part(x));
    windows.value.push_back(part(y));
  }
  return windows;
}

// How far readings lie from the line, in the middle.
double scatter(std::span<const double> x, std::span<const double> y, double slope) {
  std::vector<double> offsets;
  for (size_t i = 0; i < x.size(); ++i) offsets.push_back(y[i] - slope * x[i]);
  const double middle = median_of(offsets);
  for (double& offset : offsets) offset = std::abs(offset - middle);
  return median_of(std::move(offsets));
}

// Of all the readings; none where they do not go up from window to window, do so at once,
// level off, or scatter as far as they rise.
std::optional<Rise> rise_of_all(std::span<const double> x, std::span<const double> y) {
  const auto [at, value] = medians_of(x, y);
  const size_t n = at.size(), excused = n < kWindows ? 0 : 1;
  size_t rises = 0;
  double largest = 0;
  for (size_t w = 1; w < n; ++w) {
    rises += value[w] > value[w - 1] ? 1 : 0;
    largest = std::max(largest, value[w] - value[w - 1]);
  }
  if (rises + 1 + excused < n || largest > 0.5 * (value.back() - value.front())) return {};
  const double early = value[n / 2] - value[0], late = value[n - 1] - value[n / 2];
  if (late < 0.4 * early) return {};
  const double slope = median_slope(at, value), by = slope * (at.back() - at.front());
  if (slope <= 0 || by < 6 * scatter(x, y, slope)) return {};
  return Rise{slope, at.back(), value.back() - by, value.back()};
}

}  // namespace

double median_of(std::vector<double> list) {
  if (list.empty()) return 0;
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
  std::ranges::nth_element(list, middle);
  return *middle;
}

std::optional<Rise> steady_rise(std::span<const double> x, std::span<const double> y, double least, size_t fewest) {
  constexpr size_t kFewest = 6;
  struct Part {
    size_t from;
    Rise rise;
  };
  std::vector<Part> parts;  // the longest first
  for (size_t n = x.size(); n >= std::max(fewest, kFewest); n = n * 2 / 3) {
    const size_t from = x.size() - n;
    const std::optional<Rise> rise = rise_of_all(x.subspan(from), y.subspan(from));
    if (rise && rise->by() >= least) parts.push_back({from, *rise});
  }
  if (parts.empty()) return {};
  // A part that begins before the rise does is less steep.
  const double steepest = std::ranges::max_element(parts, {}, [](const Part& p) { return p.rise.slope; })->rise.slope;
  auto [from, rise] = *std::ranges::find_if(parts, [&](const Part& p) { return p.rise.slope > 0.85 * steepest; });
  rise.slope = steepest;
  // Where the line meets what was before.
  rise.first = from == 0 ? y[0] : median_of({y.begin(), y.begin() + static_cast<std::ptrdiff_t>(from)});
  rise.since = std::clamp(rise.since - (rise.last - rise.first) / steepest, x[0], rise.since);
  return rise;
}

}  // namespace brio::profile
