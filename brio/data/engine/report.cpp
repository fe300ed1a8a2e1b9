#include "brio/data/engine/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "brio/base/error.h"

namespace brio::data {
namespace {

std::string duration(double seconds) {
  char text[32];
  if (seconds >= 1) std::snprintf(text, sizeof text, "%.2f s", seconds);
  else if (seconds >= 1e-3) std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  else if (seconds >= 1e-6) std::snprintf(text, sizeof text, "%.2f µs", seconds * 1e6);
  else std::snprintf(text, sizeof text, "%.0f ns", seconds * 1e9);
  return text;
}

std::string size(int64_t bytes) {
  char text[32];
  if (bytes >= 1'000'000'000) std::snprintf(text, sizeof text, "%.2f GB", static_cast<double>(bytes) / 1e9);
  else if (bytes >= 1'000'000) std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  else if (bytes >= 1'000) std::snprintf(text, sizeof text, "%.1f kB", static_cast<double>(bytes) / 1e3);
  else std::snprintf(text, sizeof text, "%d B", static_cast<int>(bytes));
  return text;
}

// Columns of characters, not of bytes: µ is one.
std::string padded(const std::string& text, size_t width, bool right) {
  size_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  const std::string gap(characters < width ? width - characters : 0, ' ');
  return right ? gap + text : text + gap;
}

std::string indent(const StageReport& stage) { return std::string(static_cast<size_t>(stage.depth) * 2, ' '); }

std::string tenths(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

}  // namespace

void Report::finish() {
  double total = 0;
  for (const StageReport& stage : stages) total += stage.seconds_an_element * static_cast<double>(stage.timed);
  const StageReport* longest = nullptr;
  for (StageReport& stage : stages) {
    const double mine = stage.seconds_an_element * static_cast<double>(stage.timed);
    stage.share = total > 0 ? mine / total : 0;
    if (!longest || stage.share > longest->share) longest = &stage;
  }
  const bool waits = threads.back().waited() > 0.02;
  limit = !waits || !longest ? "the reader" : longest->name;
}

std::string Report::str() const {
  size_t width = 18;
  for (const StageReport& stage : stages) width = std::max(width, stage.name.size() + indent(stage).size() + 2);
  std::string text = padded("stage", width, false) + padded("each", 10, true) + padded("share", 9, true) +
                     padded("timed", 9, true) + padded("holds", 10, true) + "\n";
  for (const StageReport& stage : stages) {
    text += padded(indent(stage) + stage.name, width, false) + padded(duration(stage.seconds_an_element), 10, true);
    text += padded(cat(std::lround(stage.share * 100), " %"), 9, true);
    text += padded(cat(stage.timed), 9, true) + padded(size(stage.held_bytes), 10, true) + "\n";
  }
  for (const ParallelReport& ring : threads) {
    text += cat(&ring == &threads.back() ? "reader" : "prefetch", ": ", ring.elements, " elements, waited ",
                std::lround(100 * ring.waited()), " % of ", duration(static_cast<double>(ring.wall_ns) * 1e-9), "; ",
                ring.workers, " threads, found ", tenths(ring.mean_filled()), " of ", ring.depth,
                " elements ready, holds ", size(ring.bytes * ring.filled), "\n");
    for (const Decision& decision : ring.decisions) {
      text += cat("  ", duration(decision.seconds), ": ", decision.what, " ", decision.from, " -> ", decision.to,
                  ": ", decision.why);
      if (decision.predicted >= 0.005)
        text += cat("; expected to save ", std::lround(decision.predicted * 100), " %");
      if (decision.measured > -1) text += cat(", measured ", std::lround(decision.measured * 100), " %");
      text += "\n";
    }
  }
  for (const std::string& choice : choices) text += choice + "\n";
  return text + skipped.str() + cat("limited by: ", limit, "\n");
}

}  // namespace brio::data
