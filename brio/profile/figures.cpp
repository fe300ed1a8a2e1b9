#include "brio/profile/figures.h"

#include <cstdio>

namespace brio::profile {
namespace {

std::string with_unit(double value, const char* unit) {
  char text[48];
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit);
  return text;
}

}  // namespace

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

std::string duration(double seconds) {
  if (seconds >= 3600) return with_unit(seconds / 3600, "h");
  if (seconds >= 120) return with_unit(seconds / 60, "min");
  if (seconds >= 1) return with_unit(seconds, "s");
  if (seconds >= 1e-3) return with_unit(seconds * 1e3, "ms");
  return with_unit(seconds * 1e6, "us");
}

std::string size_text(double bytes) {
  if (bytes >= 1e9) return with_unit(bytes / 1e9, "GB");
  if (bytes >= 1e6) return with_unit(bytes / 1e6, "MB");
  return with_unit(bytes / 1e3, "kB");
}

}  // namespace brio::profile
