// A function that is traced again and again: something in its arguments changes that is part of the trace.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> retracing(const Evidence& e) {
  constexpr uint64_t kOften = 4;
  constexpr double kPlanOfShape = 0.6;  // of a whole one
  const double all = e.part(Part::trace) + e.part(Part::plan);
  if (all / e.step < kWorthSaying) return {};
  const profile::Named* worst = nullptr;
  for (const profile::Named& each : e.functions)
    if (each.count >= kOften && (!worst || each.ticks > worst->ticks)) worst = &each;
  if (!worst) return {};
  double sum = 0;
  for (const profile::Named& each : e.functions) sum += static_cast<double>(each.ticks);
  const double own = all * static_cast<double>(worst->ticks) / std::max(1.0, sum);
  if (own / e.step < kWorthSaying) return {};
  Finding f{.id = "retracing", .where = worst->name};
  f.evidence = {{"traces", static_cast<double>(worst->count)},
                {"steps", static_cast<double>(e.steps)},
                {"share", own / e.step},
                {"ms_a_trace", profile::seconds_of(worst->ticks) * 1e3 / static_cast<double>(worst->count)},
                {"changes", worst->detail}};
  f.symptom = cat("traced ", worst->count, " times in ", e.steps, " steps (", percent(own / e.step),
                  " of the time): ", worst->detail.empty() ? "its arguments change" : worst->detail);
  const bool shape = worst->detail.find("shape") != std::string::npos;
  f.remedy = !e.from_python ? "function(f, Sizes::open)"
             : shape        ? "@tf.function(reduce_retracing=True)"
                            : "give it as a tensor: tf.constant(value)";
  // Where it is traced once for all shapes, each new one still takes a plan.
  const double left = shape ? std::min(own, kPlanOfShape * e.part(Part::plan)) : 0;
  f.gain = gain_of(e.step, e.step - own + left, e.step - 0.8 * own + left, e.step - own, How::computed);
  f.confidence = 0.85;
  return f;
}

}  // namespace brio::doctor
