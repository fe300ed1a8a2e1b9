// Writing weights takes the time of steps.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> checkpoint_bound(const Evidence& e) {
  const double all = e.part(Part::checkpoint);
  if (e.share(Part::checkpoint) < kWorthSaying) return {};
  const profile::Named* longest = nullptr;
  for (const profile::Named& each : e.callbacks)
    if (!longest && each.detail == "checkpoint") longest = &each;
  Finding f{.id = "checkpoint_bound", .where = longest ? longest->name : "checkpoints"};
  const double writes = longest ? static_cast<double>(longest->count) : static_cast<double>(e.epochs);
  // About so often that writing takes two hundredths of the time.
  const double every = std::max(2.0, all / (e.step - all) / 0.02);
  const double now = static_cast<double>(e.steps) / std::max(1.0, writes);
  const auto steps = static_cast<int64_t>(std::max(2.0, now * every));
  f.evidence = {{"share", all / e.step}, {"ms_a_step", all * 1e3}, {"calls", writes}};
  f.symptom = cat(f.where, " takes ", percent(all / e.step), " of the time");
  f.remedy = cat("save_freq=", steps, "  # batches, in place of what ", f.where, " has now");
  const double left = all * now / static_cast<double>(steps);
  f.gain = gain_of(e.step, e.step - all + left, e.step - 0.8 * all, e.step - all, How::computed);
  f.confidence = 0.85;
  return f;
}

}  // namespace brio::doctor
