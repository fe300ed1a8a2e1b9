// Validation takes the time of training.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> evaluation_bound(const Evidence& e) {
  constexpr double kEvery = 5;
  const double all = e.part(Part::evaluation);
  if (all / e.step * (1 - 1 / kEvery) < kWorthSaying) return {};
  Finding f{.id = "evaluation_bound", .where = "validation_data"};
  f.evidence = {{"share", all / e.step},
                {"ms_a_step", all * 1e3},
                {"evaluations", static_cast<double>(e.evaluations)},
                {"s_an_evaluation",
                 all * static_cast<double>(e.steps) / std::max<double>(1, static_cast<double>(e.evaluations))}};
  f.symptom = cat("validation takes ", percent(all / e.step), " of the time of fit");
  f.remedy = e.from_python ? "model.fit(..., validation_freq=5)" : ".validation_freq = 5";
  const double left = all / kEvery;
  f.gain = gain_of(e.step, e.step - all + left, e.step - 0.95 * all + left, e.step - all + left, How::computed);
  f.confidence = 0.9;
  return f;
}

}  // namespace brio::doctor
