// Eager code or fit whose sizes change makes new plans.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> shape_churn(const Evidence& e) {
  constexpr uint64_t kOften = 4;
  const double all = e.part(Part::plan);
  if (all / e.step < kWorthSaying || retracing(e)) return {};
  const profile::Named* worst = nullptr;
  for (const auto* list : {&e.plans, &e.functions})
    for (const profile::Named& each : *list)
      if (!worst || each.ticks > worst->ticks) worst = &each;
  // A function makes its plans without a name: its own count is of traces.
  const bool of_eager_code = worst && !e.plans.empty() && worst == &e.plans[0];
  if (!worst || (of_eager_code && worst->count < kOften)) return {};
  Finding f{.id = "shape_churn", .where = worst->name};
  f.evidence = {{"share", all / e.step},
                {"ms_a_step", all * 1e3},
                {"plans", static_cast<double>(worst->count)},
                {"newest", worst->detail}};
  f.symptom = cat("planning for new shapes takes ", percent(all / e.step), " of the time: ", worst->detail);
  f.remedy = e.from_python ? ".batch(n, drop_remainder=True), or padded_batch: let shapes come back"
                           : ".batch(n, {.drop_remainder = true}), or padded_batch: let shapes come back";
  f.gain = gain_of(e.step, e.step - all, e.step - 0.7 * all, e.step - all, How::computed);
  f.confidence = 0.6;
  return f;
}

}  // namespace brio::doctor
