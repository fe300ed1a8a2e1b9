#include "brio/doctor/verdict.h"

#include <algorithm>

namespace brio::doctor {
namespace {

constexpr Rule kRules[] = {
    input_bound, callback_bound, checkpoint_bound, evaluation_bound,     metric_bound,    tiny_batch,
    eager_loop,  retracing,      shape_churn,      host_reads,           host_code,       growth,
    float64,     padding_waste,  memory_pressure,  cpu_contention,       optimizer_bound, layer_bound,
    precision,   copy_bound,     launch_bound,     small_work_on_device, slow_start};

}  // namespace

Verdict judge(Evidence evidence) {
  Verdict verdict;
  verdict.evidence = std::move(evidence);
  Evidence& e = verdict.evidence;
  // It points into the list beside it.
  for (const profile::PipelineFacts& each : e.pipelines)
    if (e.input && each.key == e.input->key) {
      e.input = &each;
      break;
    }
  if (e.steps > 0)
    for (const Rule rule : kRules)
      if (std::optional<Finding> finding = rule(e)) verdict.findings.push_back(std::move(*finding));
  // What a few steps show may be chance.
  const double sure = e.steps >= 20 ? 1 : e.steps >= 5 ? 0.7 : 0.4;
  for (Finding& finding : verdict.findings) finding.confidence *= sure;
  std::ranges::stable_sort(verdict.findings, [](const Finding& a, const Finding& b) {
    return (a.gain.how == How::none ? 1 : a.gain.factor) > (b.gain.how == How::none ? 1 : b.gain.factor);
  });
  verdict.recorder_bytes =
      profile::recorder_bytes() + profile::named_bytes() + profile::gauges_bytes() + profile::pipelines_bytes();
  verdict.recorder_share = profile::share_of_recorder();
  return verdict;
}

Verdict judge() { return judge(gather()); }

}  // namespace brio::doctor
