// A function that is traced again and again: something in its arguments changes that is part of the trace.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> retracing(const Evidence& e) {
  constexpr uint64_t kOften = 4;
  const double all = e.part(Part::trace) + e.part(Part::plan);
  if (all / e.step < kWorthSaying) return {};
  const profile::Named* worst = nullptr;
  for (const profile::Named& each : e.functions)
    if (each.count >= kOften && (!worst || each.ticks > worst->ticks)) worst = &each;
  if (!worst) return {};
  const double own = std::min(all, profile::seconds_of(worst->ticks) / static_cast<double>(e.steps));
  if (own / e.step < kWorthSaying) return {};
  Finding f{.id = "retracing", .where = worst->name};
  f.evidence = {{"traces", static_cast<double>(worst->count)},
                {"steps", static_cast<double>(e.steps)},
                {"share", own / e.step},
                {"ms_a_trace", profile::seconds_of(worst->ticks) * 1e3 / static_cast<double>(worst->count)},
                {"changes", worst->detail}};
  f.symptom = cat("traced ", worst->count, " times in ", e.steps, " steps (", percent(own / e.step), " of the time): ",
                  worst->detail.empty() ? "its arguments change" : worst->detail);
  const bool shape = worst->detail.find("shape") != std::string::npos;
  f.remedy = !e.from_python ? "function(f, Sizes::open)"
             : shape        ? "@tf.function(reduce_retracing=True)"
                            : "give it as a tensor: tf.constant(value)";
  f.gain = gain_of(e.step, e.step - own, e.step - 0.85 * own, e.step - own, How::computed);
  f.confidence = 0.85;
  return f;
}

}  // namespace brio::doctor
