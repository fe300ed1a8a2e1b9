// Updating the weights takes longer than what the samples of a batch give cause for.
#include <cmath>

#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> optimizer_bound(const Evidence& e) {
  constexpr double kMuch = 0.5, kTimes = 4;
  double own = 0, all = 0;
  std::string op_name;
  for (const profile::OpTime& op : e.ops) {
    all += op.seconds;
    if (op.op.find("_update") == std::string::npos) continue;
    if (op_name.empty()) op_name = op.op;
    own += op.seconds;
  }
  if (all <= 0 || e.rows <= 0) return {};
  own *= e.part(Part::run) / all;
  if (own / e.step < kMuch) return {};
  Finding f{.id = "optimizer_bound", .where = op_name};
  const int64_t rows = std::llround(e.rows * kTimes);
  f.evidence = {{"share", own / e.step}, {"ms_a_step", own * 1e3}};
  f.symptom = cat("updating the weights takes ", percent(own / e.step), " of a step (", duration(own), ")");
  f.remedy = e.input         ? cat(".batch(", rows, ")")
             : e.from_python ? cat("model.fit(..., batch_size=", rows, ")")
                             : cat(".batch_size = ", rows);
  const double after = e.step - own + own / kTimes;
  f.gain = gain_of(e.step, after, after * 1.1, after * 0.8, How::computed);
  f.confidence = 0.6;
  return f;
}

}  // namespace brio::doctor
