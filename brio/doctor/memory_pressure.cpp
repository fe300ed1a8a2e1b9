// Memory that the system takes back while the program runs: pages that have to be read again, swap.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> memory_pressure(const Evidence& e) {
  if (e.samples.size() < 2 || e.steps == 0) return {};
  const profile::Sample &first = e.samples.front(), &last = e.samples.back();
  const double faults = static_cast<double>(last.major_faults - first.major_faults) / static_cast<double>(e.steps);
  const double swapped = static_cast<double>(last.swap - first.swap);
  const bool full = e.free_memory < 0.03 * static_cast<double>(last.rss);
  if (swapped < 16e6 && !(full && faults > 1)) return {};
  Finding f{.id = "memory_pressure", .where = swapped >= 16e6 ? "swap" : "page faults"};
  f.evidence = {{"major_faults_a_step", faults},
                {"swapped_bytes", swapped},
                {"free_bytes", e.free_memory},
                {"rss_bytes", static_cast<double>(last.rss)}};
  f.symptom = cat("memory is short: ", size_text(e.free_memory), " free, ", size_text(std::max(0.0, swapped)),
                  " swapped out since the run began");
  f.remedy = e.from_python ? "model.fit(..., accumulate=4)  # the same step in a fourth of the memory"
                           : ".accumulate = 4  // the same step in a fourth of the memory";
  f.confidence = 0.6;
  return f;
}

}  // namespace brio::doctor
