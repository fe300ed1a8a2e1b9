#include "brio/doctor/finding.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace brio::doctor {
namespace {

std::string number(double value, const char* unit) {
  char text[48];
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit);
  return text;
}

}  // namespace

Gain gain_of(double before, double after, double at_worst, double at_best, How how) {
  const auto factor = [&](double seconds) { return std::max(1.0, before / std::max(seconds, 1e-9)); };
  Gain gain{factor(after), factor(at_worst), factor(at_best), how};
  gain.low = std::min(gain.low, gain.factor);
  gain.high = std::max(gain.high, gain.factor);
  return gain;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

std::string factor_text(double factor) {
  char text[32];
  std::snprintf(text, sizeof text, factor >= 10 ? "%.0f" : "%.2f", factor);
  return text;
}

std::string duration(double seconds) {
  if (seconds >= 3600) return number(seconds / 3600, "h");
  if (seconds >= 120) return number(seconds / 60, "min");
  if (seconds >= 1) return number(seconds, "s");
  if (seconds >= 1e-3) return number(seconds * 1e3, "ms");
  return number(seconds * 1e6, "us");
}

std::string size_text(double bytes) {
  if (bytes >= 1e9) return number(bytes / 1e9, "GB");
  if (bytes >= 1e6) return number(bytes / 1e6, "MB");
  return number(bytes / 1e3, "kB");
}

}  // namespace brio::doctor
