// Steps that become slower, and memory that grows with them.
#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {
namespace {

double median(std::vector<float> list) {
  std::ranges::sort(list);
  return list.empty() ? 0 : static_cast<double>(list[list.size() / 2]);
}

struct Grown {
  std::string owner;
  double bytes = 0;
  bool steadily = false;
};

// What has grown most between a fifth of the run and its end.
Grown grown(const Evidence& e) {
  Grown most;
  const size_t n = e.samples.empty() ? 0 : e.samples.size() - 1;  // the last one is of now: what was kept may be gone
  if (n < 6) return most;
  const auto look = [&](const std::string& name, auto value) {
    const auto at = [&](double share) {  // of the time
      const double wanted =
          static_cast<double>(e.samples[0].at) + share * static_cast<double>(e.samples[n - 1].at - e.samples[0].at);
      size_t i = 0;
      while (i + 1 < n && static_cast<double>(e.samples[i].at) < wanted) ++i;
      return static_cast<double>(value(e.samples[i]));
    };
    const double begin = at(0.2), third = at(0.6), end = at(1);
    const bool steadily = third > begin && end > third && (end - third) > 0.4 * (third - begin);
    if (steadily && end - begin > most.bytes) most = {name, end - begin, true};
  };
  look("memory outside of Brio's ledger", [&](const profile::Sample& s) {
    int64_t known = 0;
    for (size_t i = 0; i < e.gauges.size(); ++i)
      if (e.gauges[i] != "plan count") known += s.gauges[i];
    return s.rss - known;
  });
  for (size_t i = 0; i < e.gauges.size(); ++i)
    if (e.gauges[i] != "plan count") look(e.gauges[i], [i](const profile::Sample& s) { return s.gauges[i]; });
  return most;
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
  const Grown memory = grown(e);
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
