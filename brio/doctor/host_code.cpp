// The program's own code between the steps of a loop.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> host_code(const Evidence& e) {
  constexpr double kMuch = 0.2;
  const double all = e.part(Part::host);
  if (e.kind == profile::RunKind::fit || all / e.step < kMuch || all < 20e-6 || e.runs_eagerly()) return {};
  Finding f{.id = "host_code", .where = e.tape_lines.empty() ? "the training loop" : e.tape_lines[0].name};
  f.evidence = {{"share", all / e.step}, {"ms_a_step", all * 1e3}};
  f.symptom = cat("the program's own code between steps takes ", duration(all), " a step, ", percent(all / e.step),
                  " of the time");
  f.remedy = e.from_python ? "make batches in dataset.map(f).batch(n).prefetch(tf.data.AUTOTUNE), beside the steps"
                           : "make batches in dataset.map(f).batch(n), beside the steps";
  f.confidence = 0.5;
  return f;
}

}  // namespace brio::doctor
