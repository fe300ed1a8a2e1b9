// Steps so small that the host computes them in less time than it takes to hand them over.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> small_work_on_device(const Evidence& e) {
  const DeviceSteps& d = e.device;
  if (d.device.empty() || d.on_host <= 0) return {};
  // Of the step: what is done for the device, or waited for.
  const double there = e.part(Part::run) + e.part(Part::read);
  const double after = e.step - there + d.on_host;
  Finding f{.id = "small_work_on_device", .where = d.device};
  f.gain = gain_of(e.step, after, e.step - there + 1.5 * d.on_host, e.step - there + 0.7 * d.on_host, How::computed);
  if (f.gain.low < 1 + kWorthSaying) return {};  // the host's time is reckoned, not measured
  f.evidence = {{"step_ms", there * 1e3},
                {"on_host_ms", d.on_host * 1e3},
                {"launches_a_step", d.launches},
                {"copies_a_step", d.copies_in + d.copies_out}};
  f.symptom = cat("a step takes ", duration(there), " on ", d.device, " and would take about ", duration(d.on_host),
                  " on the host: there is little to compute");
  f.remedy = e.from_python ? "with tf.device(\"CPU:0\"):  # around training"
                           : "const DeviceScope scope(registry().host());  // around training";
  f.confidence = 0.6;
  return f;
}

}  // namespace brio::doctor
