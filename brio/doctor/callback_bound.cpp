// Callbacks take the time of steps. What they do is the program's affair; how often, too.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {
namespace {

constexpr int kEveryBatch = 50, kEveryEpoch = 5;

bool by_batch(const std::string& where) { return where.find("batch") != std::string::npos; }

std::string remedy_for(const Evidence& e, const std::string& where) {
  if (by_batch(where))
    return e.from_python ? cat("if batch % ", kEveryBatch, " == 0:  # around what ", where, " does")
                         : cat("if (step % ", kEveryBatch, " == 0)  // around what ", where, " does");
  return e.from_python ? cat("if epoch % ", kEveryEpoch, " == 0:  # around what ", where, " does")
                       : cat("if (epoch % ", kEveryEpoch, " == 0)  // around what ", where, " does");
}

}  // namespace

std::optional<Finding> callback_bound(const Evidence& e) {
  const double all = e.part(Part::callbacks);
  if (e.share(Part::callbacks) < kWorthSaying || e.callbacks.empty()) return {};
  double sum = 0;
  for (const profile::Named& each : e.callbacks) sum += static_cast<double>(each.ticks);
  const profile::Named& longest = e.callbacks[0];
  const double own = sum > 0 ? all * static_cast<double>(longest.ticks) / sum : all;
  if (own / e.step < kWorthSaying) return {};
  // C++'s are counted by class: how often one is called says when.
  std::string where = longest.name;
  const bool each_batch =
      by_batch(where) || (where.find(".on_") == std::string::npos &&
                          static_cast<double>(longest.count) > 0.5 * static_cast<double>(e.steps));
  const double left = own / (each_batch ? kEveryBatch : kEveryEpoch);
  Finding f{.id = "callback_bound", .where = where};
  f.evidence = {{"share", own / e.step},
                {"ms_a_step", own * 1e3},
                {"calls", static_cast<double>(longest.count)},
                {"ms_a_call", profile::seconds_of(longest.ticks) * 1e3 / static_cast<double>(longest.count)}};
  f.symptom = cat(where, " takes ", percent(own / e.step),
                  " of the time: ", duration(profile::seconds_of(longest.ticks) / static_cast<double>(longest.count)),
                  " a call");
  f.remedy = each_batch && !by_batch(where) ? remedy_for(e, where + " (batch)") : remedy_for(e, where);
  const double cold = each_batch ? e.part(Part::run) - e.warm_run() : 0;
  const double after = e.step - own + left;
  f.gain = gain_of(e.step, after - cold, after, after - left - cold, How::computed);
  f.confidence = 0.9;
  return f;
}

}  // namespace brio::doctor
