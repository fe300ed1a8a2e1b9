// Steps that become slower, and memory that grows with them.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/doctor/finding.h"
#include "brio/profile/drift.h"

namespace brio::doctor {
namespace {

double median(std::vector<float> list) {
  std::ranges::sort(list);
  return list.empty() ? 0 : static_cast<double>(list[list.size() / 2]);
}

// What has grown most. The last sample is of now: what was kept may be gone.
profile::MemoryGrowth grown(const Evidence& e) {
  if (e.samples.empty()) return {};
  const std::vector<profile::MemoryGrowth> all =
      profile::grown_memory(std::span(e.samples).first(e.samples.size() - 1), e.gauges, 0, 6);
  return all.empty() ? profile::MemoryGrowth{} : all[0];
}

}  // namespace

std::optional<Finding> growth(const Evidence& e) {
  constexpr double kSlower = 1.25, kMuch = 32e6;
  const size_t n = e.step_seconds.size();
  double before = 0, after = 0;
  if (n >= 100) {
    const auto part = [&](size_t from, size_t to) {
      return median({e.step_seconds.begin() + static_cast<std::ptrdiff_t>(from),
                     e.step_seconds.begin() + static_cast<std::ptrdiff_t>(to)});
    };
    before = part(0, n / 4);
    const double middle = part(3 * n / 8, 5 * n / 8);
    after = part(3 * n / 4, n);
    if (!(middle > before * 1.08 && after > middle * 1.08)) after = before;
  }
  const profile::MemoryGrowth memory = grown(e);
  const bool slower = before > 0 && after > kSlower * before;
  if (!slower && memory.bytes < kMuch) return {};
  Finding f{.id = "growth", .where = memory.bytes > 4e6 ? memory.owner : "what the loop keeps"};
  f.evidence = {{"first_quarter_ms", before * 1e3},
                {"last_quarter_ms", after * 1e3},
                {"bytes", memory.bytes},
                {"ops_a_step", e.ops_a_step}};
  f.symptom = slower ? cat("steps became slower: ", duration(before), " at first, ", duration(after), " at last")
                     : cat(f.where, " grew by ", size_text(memory.bytes));
  if (slower && memory.bytes > 4e6) f.symptom += cat("; ", f.where, " grew by ", size_text(memory.bytes));
  f.remedy =
      e.from_python
          ? "keep numbers, not tensors: losses.append(float(loss)); make variables and functions outside of the loop"
          : "keep numbers, not tensors: loss.item<float>(); make variables outside of the loop";
  if (slower) {
    const double flat = e.step * before / std::max(before, median(e.step_seconds));
    f.gain = gain_of(e.step, flat, flat * 1.15, flat * 0.95, How::computed);
  }
  f.confidence = slower ? 0.7 : 0.6;
  return f;
}

}  // namespace brio::doctor
