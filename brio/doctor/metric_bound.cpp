// Metrics are updated in every step. The step was tried without them.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> metric_bound(const Evidence& e) {
  const double reading = e.part(Part::metrics);
  const bool tried = e.trials.without_metrics > 0 && e.trials.alone > 0;
  const double updating =
      tried ? std::min(std::max(0.0, e.trials.alone - e.trials.without_metrics), e.part(Part::run)) : 0;
  const double all = updating + (updating > 0 ? reading : 0);
  constexpr double kBeyondChance = 0.15;  // two steps that are timed one after the other differ by less
  if (updating / e.step < kBeyondChance) return {};
  Finding f{.id = "metric_bound", .where = "metrics of compile()"};
  f.evidence = {{"share", all / e.step},
                {"step_ms_with", e.trials.alone * 1e3},
                {"step_ms_without", e.trials.without_metrics * 1e3},
                {"reading_ms_a_step", reading * 1e3}};
  f.symptom = cat("metrics take ", percent(all / e.step), " of a step: ", duration(e.trials.alone), " with them, ",
                  duration(e.trials.without_metrics), " without");
  f.remedy = e.from_python ? "model.compile(..., metrics=[])  # evaluate() with a model compiled with them"
                           : ".metrics = {}  // in compile(); evaluate() with a model compiled with them";
  f.gain = gain_of(e.step, e.step - all, e.step - 0.8 * all, e.step - 1.1 * all, How::tried);
  f.confidence = 0.85;
  return f;
}

}  // namespace brio::doctor
