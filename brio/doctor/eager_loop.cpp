// A step that is recorded op by op each time: a function records it once.
#include <cmath>

#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> eager_loop(const Evidence& e) {
  // A call of a function costs about what recording so many ops does, on this machine and in this language.
  constexpr double kCallInOps = 3.5;
  if (e.kind != profile::RunKind::eager_loop) return {};
  const double recording = e.part(Part::record);
  if (recording / e.step < kWorthSaying || e.ops_a_step < 2 * kCallInOps) return {};
  const double call = kCallInOps * recording / e.ops_a_step;
  const bool in_fit = e.runs_eagerly();
  Finding f{.id = "eager_loop",
            .where = in_fit                 ? "compile(run_eagerly=True)"
                     : e.tape_lines.empty() ? "the training loop"
                                            : e.tape_lines[0].name};
  f.evidence = {{"share", recording / e.step},
                {"recording_ms_a_step", recording * 1e3},
                {"running_ms_a_step", e.part(Part::run) * 1e3},
                {"ops_a_step", e.ops_a_step}};
  f.symptom = cat("recording ", std::llround(e.ops_a_step), " ops a step takes ", duration(recording), " (",
                  percent(recording / e.step), "), running them ", duration(e.part(Part::run)));
  f.remedy = in_fit          ? "model.compile(..., run_eagerly=False)"
             : e.from_python ? "@tf.function  # above the function that has the tape and apply_gradients"
                             : "auto step = function([&](const Tensor& x, const Tensor& y) { /* the tape */ });";
  // With the recording goes the Python code around it: of fit() all, of a loop some. What is left runs from warm
  // caches.
  const double around =
      in_fit ? e.part(Part::host) + e.part(Part::read) : std::min(e.part(Part::host), 0.5 * recording);
  const double cold = std::max(0.0, e.part(Part::run) - e.quick_run);
  const double plain = e.step - recording + call;
  f.gain = gain_of(e.step, plain - around - cold, plain, std::max(e.quick_run, plain - around - 1.5 * cold),
                   How::computed);
  f.confidence = 0.8;
  return f;
}

}  // namespace brio::doctor
