// Training in double precision.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> float64(const Evidence& e) {
  double wide = 0, all = 0;
  std::string longest;
  for (const profile::OpTime& op : e.ops) {  // longest first
    all += op.seconds;
    if (!op.op.ends_with(" f64")) continue;
    if (longest.empty()) longest = op.op.substr(0, op.op.size() - 4);
    wide += op.seconds;
  }
  if (all <= 0) return {};
  const double own = wide / all * e.part(Part::run);
  if (own / 2 / e.step < kWorthSaying) return {};
  Finding f{.id = "float64", .where = longest};
  f.evidence = {{"share", own / e.step}, {"ms_a_step", own * 1e3}};
  f.symptom = cat(percent(own / e.step), " of a step computes in float64, most of it ", longest);
  f.remedy = !e.from_python                    ? "cast(x, f32), and weights of f32"
             : e.kind == profile::RunKind::fit ? "tf.keras.backend.set_floatx(\"float32\")"
                                               : "x = tf.cast(x, tf.float32)  # and variables of tf.float32";
  // Half the bytes, and twice the products in a register.
  f.gain = gain_of(e.step, e.step - own / 2, e.step - own * 0.35, e.step - own * 0.6, How::computed);
  f.confidence = 0.7;
  return f;
}

}  // namespace brio::doctor
