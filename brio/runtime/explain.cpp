#include "brio/runtime/explain.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>

#include "brio/base/error.h"
#include "brio/runtime/devices.h"

namespace brio {
namespace {

constexpr std::array<std::string_view, 3> kWords{"kernels", "plans", "placement"};

template <typename Visit>
void for_each_word(std::string_view setting, Visit visit) {
  while (!setting.empty()) {
    const size_t end = std::min(setting.find_first_of(", "), setting.size());
    if (end > 0) visit(setting.substr(0, end));
    setting.remove_prefix(std::min(end + 1, setting.size()));
  }
}

struct FallbackRows {
  std::mutex mutex;
  std::list<detail::FallbackRow> rows;
};
FallbackRows& fallback_rows() {
  static auto* all = new FallbackRows;
  return *all;
}

std::string bytes_text(uint64_t bytes) {
  char text[32];
  if (bytes < 10'000) std::snprintf(text, sizeof(text), "%llu bytes", static_cast<unsigned long long>(bytes));
  else if (bytes < 10'000'000) std::snprintf(text, sizeof(text), "%.0f KB", static_cast<double>(bytes) * 1e-3);
  else std::snprintf(text, sizeof(text), "%.1f MB", static_cast<double>(bytes) * 1e-6);
  return text;
}

void report_at_exit() {
  const std::string text = placement_report();
  if (!text.empty()) std::fputs(text.c_str(), stderr);
}

}  // namespace

std::string unknown_words(std::string_view setting) {
  std::string text;
  for_each_word(setting, [&](std::string_view word) {
    if (std::ranges::find(kWords, word) == kWords.end()) text += cat(text.empty() ? "" : ", ", "'", word, "'");
  });
  if (text.empty()) return {};
  std::string known;
  for (const std::string_view word : kWords) known += cat(known.empty() ? "" : ", ", word);
  return cat("BRIO_EXPLAIN knows no ", text, "; there are: ", known);
}

bool explains(Explain what) {
  static const std::array<bool, kWords.size()> asked = [] {
    std::array<bool, kWords.size()> found{};
    const char* setting = std::getenv("BRIO_EXPLAIN");
    if (!setting) return found;
    for_each_word(setting, [&](std::string_view word) {
      const auto it = std::ranges::find(kWords, word);
      if (it != kWords.end()) found[static_cast<size_t>(it - kWords.begin())] = true;
    });
    if (const std::string wrong = unknown_words(setting); !wrong.empty())
      std::fprintf(stderr, "brio: %s\n", wrong.c_str());
    if (found[static_cast<size_t>(Explain::placement)]) std::atexit(report_at_exit);
    return found;
  }();
  return asked[static_cast<size_t>(what)];
}

detail::FallbackRow& detail::fallback_row(const Device& device, const OpDef& op) {
  FallbackRows& all = fallback_rows();
  const std::lock_guard lock(all.mutex);
  for (FallbackRow& row : all.rows)
    if (row.device == &device && row.op == &op) return row;
  FallbackRow& row = all.rows.emplace_back();
  row.device = &device;
  row.op = &op;
  return row;
}

std::vector<FallbackCount> fallback_counts() {
  std::vector<FallbackCount> counts;
  FallbackRows& all = fallback_rows();
  const std::lock_guard lock(all.mutex);
  for (const detail::FallbackRow& row : all.rows)
    if (row.runs != 0)
      counts.push_back(
          {std::string(row.device->name()), std::string(row.op->name), row.runs, row.bytes, row.nanoseconds});
  std::ranges::sort(counts, std::greater<>(), &FallbackCount::nanoseconds);
  return counts;
}

std::vector<TrafficCount> traffic_counts() {
  std::vector<TrafficCount> counts;
  for (const Device* device : physical_devices()) {
    if (device->is_host()) continue;
    const Traffic& t = device->traffic;
    counts.push_back({std::string(device->name()), t.copies_in, t.bytes_in, t.copies_out, t.bytes_out, t.fallbacks});
  }
  return counts;
}

void reset_device_counts() {
  for (const Device* device : physical_devices()) {
    Traffic& t = device->traffic;
    for (auto* count : {&t.copies_in, &t.bytes_in, &t.copies_out, &t.bytes_out, &t.fallbacks}) *count = 0;
  }
  FallbackRows& all = fallback_rows();
  const std::lock_guard lock(all.mutex);
  for (detail::FallbackRow& row : all.rows) row.runs = row.bytes = row.nanoseconds = 0;
}

std::string placement_report() {
  std::string text;
  for (const TrafficCount& t : traffic_counts())
    if (t.copies_in + t.copies_out != 0)
      text += cat("placement: ", t.device, ": ", t.copies_in, " copies to it (", bytes_text(t.bytes_in), "), ",
                  t.copies_out, " from it (", bytes_text(t.bytes_out), "), ", t.fallbacks, " ops run by the host\n");
  for (const FallbackCount& f : fallback_counts())
    text += cat("  ", f.op, " has no kernel on ", f.device, ": ", f.runs, " times on the host, ", bytes_text(f.bytes),
                " copied, ", f.nanoseconds / 1000, " µs\n");
  return text;
}

}  // namespace brio
