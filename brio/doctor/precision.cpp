// The other precision: bf16 where it pays on this machine, float32 where bf16 is on and does not. The step was tried
// in both.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> precision(const Evidence& e) {
  const profile::PrecisionTrial& t = e.trials.precision;
  if (t.other.empty() || t.seconds <= 0 || !t.keeps_loss) return {};
  // Batches come no sooner where the step computes in less time.
  constexpr double kWaits = 0.1;
  if (e.input && e.share(Part::input) > kWaits) return {};
  const double saved = 1 - t.at_other / t.seconds;
  const auto after = [&](double share) { return e.step - e.part(Part::run) * share; };
  Finding f{.id = "precision", .where = t.now};
  f.gain = gain_of(e.step, after(saved), after(0.8 * saved), after(std::min(0.95, 1.1 * saved)), How::tried);
  // The short format costs digits in each run that follows: not for a little.
  constexpr double kWorthDigits = 1.3;
  if (f.gain.factor < (t.other == "float32" ? 1 + kWorthSaying : kWorthDigits)) return {};
  f.evidence = {{cat("step_ms_in_", t.now), t.seconds * 1e3},
                {cat("step_ms_in_", t.other), t.at_other * 1e3},
                {cat("loss_in_", t.now), t.loss},
                {cat("loss_in_", t.other), t.other_loss}};
  f.symptom = cat("a step takes ", duration(t.seconds), " in ", t.now, ", ", duration(t.at_other), " in ", t.other,
                  "; the loss is ", t.loss, " and ", t.other_loss);
  f.remedy = e.from_python
                 ? cat("tf.keras.mixed_precision.set_global_policy(\"", t.other, "\")  # before the model is made")
                 : cat("nn::set_global_policy(\"", t.other, "\");  // before the model is made");
  f.confidence = 0.8;
  return f;
}

}  // namespace brio::doctor
