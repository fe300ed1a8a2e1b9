// Batches of sequences that are mostly padding.
#include "brio/base/error.h"
#include "brio/doctor/finding.h"

namespace brio::doctor {

std::optional<Finding> padding_waste(const Evidence& e) {
  constexpr double kMuch = 0.25, kLeft = 0.1;  // padding that buckets leave
  const profile::StageFacts* worst = nullptr;
  for (const profile::PipelineFacts& pipeline : e.pipelines)
    for (const profile::StageFacts& stage : pipeline.stages)
      if (stage.padding > kMuch && (!worst || stage.padding > worst->padding)) worst = &stage;
  if (!worst) return {};
  const double run = e.part(Part::run);
  const double saved = run * (worst->padding - kLeft) / (1 - kLeft);
  if (saved / e.step < kWorthSaying) return {};
  Finding f{.id = "padding_waste", .where = worst->name};
  f.evidence = {{"padding", worst->padding}, {"run_ms_a_step", run * 1e3}};
  f.symptom = cat(percent(worst->padding), " of the numbers in a batch are padding");
  f.remedy = ".bucket_by_sequence_length(length, boundaries, batch_sizes)  # in place of padded_batch";
  f.gain = gain_of(e.step, e.step - saved, e.step - 0.6 * saved, e.step - 1.1 * saved, How::computed);
  f.confidence = 0.6;
  return f;
}

}  // namespace brio::doctor
