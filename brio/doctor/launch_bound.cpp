// A device is handed more steps than it has work for: most of the time goes into starting them.
#include <cmath>

#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> launch_bound(const Evidence& e) {
  constexpr double kMuch = 0.5, kTimes = 4;
  const DeviceSteps& d = e.device;
  if (d.device.empty() || d.launching / e.step < kMuch || d.computing > 0.5 * d.launching || e.rows <= 0) return {};
  // What the host does sooner has no business there, in larger batches either: one cause, one finding.
  if (small_work_on_device(e)) return {};
  Finding f{.id = "launch_bound", .where = d.device};
  const double launching = std::min(d.launching, e.step);
  f.evidence = {{"share", launching / e.step},
                {"launches_a_step", d.launches},
                {"launching_ms_a_step", launching * 1e3},
                {"computing_ms_a_step", d.computing * 1e3}};
  f.symptom = cat(std::llround(d.launches), " kernels a step take ", duration(launching), " to start on ", d.device,
                  " (", percent(launching / e.step), " of a step) and ", duration(d.computing), " to compute");
  const int64_t rows = std::llround(e.rows * kTimes);
  f.remedy = e.input         ? cat(".batch(", rows, ")")
             : e.from_python ? cat("model.fit(..., batch_size=", rows, ")")
                             : cat(".batch_size = ", rows);
  // Of so many times the samples: as many launches, that much more of what they compute and of all else.
  const double others = std::max(0.0, e.step - std::max(launching, d.computing));
  const double after = std::max(launching, kTimes * d.computing) / kTimes + others;
  f.gain = gain_of(e.step, after, after * 1.3, (launching + others) / kTimes, How::computed);
  f.confidence = 0.55;
  return f;
}

}  // namespace brio::doctor
