// A step of few samples costs nearly what one of many does. Another batch size was tried.
#include <cmath>

#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> tiny_batch(const Evidence& e) {
  constexpr double kUsual = 32;
  const profile::Trials& t = e.trials;
  if (t.at_other_rows <= 0 || t.alone <= 0 || e.rows <= 0 || e.rows >= kUsual) return {};
  const double times = t.other_rows / e.rows;
  if (times < 1.5) return {};
  // What fit() does around the step, and all else, comes once a step; the input of a pipeline grows with the samples.
  const double input = e.part(Part::input);
  const double others = e.step - input - std::min(e.part(Part::run), t.alone);
  const double after = (t.at_other_rows + others + (e.input ? input * times : input)) / times;
  const double best = (t.at_other_rows + others * 0.5 + input) / times;
  Finding f{.id = "tiny_batch", .where = e.kind == profile::RunKind::fit ? "batch_size" : "the batch"};
  f.gain = gain_of(e.step, after, after * 1.2, best, How::tried);
  if (f.gain.factor < 1 + kWorthSaying) return {};
  f.evidence = {{"batch_size", e.rows},
                {"step_ms", t.alone * 1e3},
                {"tried_batch_size", t.other_rows},
                {"tried_step_ms", t.at_other_rows * 1e3}};
  f.symptom = cat("a step of ", std::llround(e.rows), " samples takes ", duration(t.alone), ", one of ",
                  static_cast<int64_t>(t.other_rows), " takes ", duration(t.at_other_rows));
  const auto rows = static_cast<int64_t>(t.other_rows);
  f.remedy = e.input         ? cat(".batch(", rows, ")")
             : e.from_python ? cat("model.fit(..., batch_size=", rows, ")")
                             : cat(".batch_size = ", rows);
  f.confidence = 0.85;
  return f;
}

}  // namespace brio::doctor
