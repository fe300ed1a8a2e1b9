#include "brio/doctor/finding.h"

#include <algorithm>
#include <cstdio>

namespace brio::doctor {

Gain gain_of(double before, double after, double at_worst, double at_best, How how) {
  const auto factor = [&](double seconds) { return std::max(1.0, before / std::max(seconds, 1e-9)); };
  Gain gain{factor(after), factor(at_worst), factor(at_best), how};
  gain.low = std::min(gain.low, gain.factor);
  gain.high = std::max(gain.high, gain.factor);
  return gain;
}

std::string factor_text(double factor) {
  char text[32];
  std::snprintf(text, sizeof text, factor >= 10 ? "%.0f" : "%.2f", factor);
  return text;
}

}  // namespace brio::doctor
