// Values that the program reads in every step, and what it does with them before it goes on.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> host_reads(const Evidence& e) {
  constexpr double kEvery = 100;
  const double all = e.part(Part::read);
  if (all / e.step < kWorthSaying || e.reads_a_step < 0.05 || e.runs_eagerly()) return {};
  Finding f{.id = "host_reads", .where = e.read_lines.empty() ? "the training loop" : e.read_lines[0].name};
  f.evidence = {{"share", all / e.step}, {"reads_a_step", e.reads_a_step}, {"ms_a_step", all * 1e3}};
  f.symptom = cat("values are read in the loop and used on the spot (print, float, numpy): ", duration(all),
                  " a step, ", percent(all / e.step), " of the time");
  f.remedy = e.from_python ? "if step % 100 == 0:  # around the line that reads"
                           : "if (step % 100 == 0)  // around the line that reads";
  const double left = all / kEvery;
  f.gain = gain_of(e.step, e.step - all + left, e.step - 0.5 * all, e.step - all, How::computed);
  f.confidence = 0.7;
  return f;
}

}  // namespace brio::doctor
