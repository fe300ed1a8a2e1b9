// The time to the first step.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> slow_start(const Evidence& e) {
  constexpr double kLong = 5, kMuch = 0.2;  // seconds; share of all
  const double start = e.before_first_step + e.first_step;
  const double all = start + e.wall;
  if (start < kLong || start / all < kMuch) return {};
  double traced = 0;
  for (const profile::Named& each : e.functions) traced += profile::seconds_of(each.ticks);
  const bool program = e.before_first_step > e.first_step;
  Finding f{.id = "slow_start", .where = program ? "the program before training" : "the first step"};
  f.evidence = {{"s_before_training", e.before_first_step},
                {"s_first_step", e.first_step},
                {"s_tracing_and_planning", traced},
                {"share", start / all}};
  f.symptom = cat("the second step began after ", duration(start), ": ", duration(e.before_first_step),
                  " before training, ", duration(e.first_step), " in the first step");
  f.remedy = program ? "keep what the program prepares in a file (np.save, Dataset.cache(FILE)) for the next run"
                     : "a smaller shuffle buffer: .shuffle(1000)";
  f.confidence = 0.5;
  return f;
}

}  // namespace brio::doctor
