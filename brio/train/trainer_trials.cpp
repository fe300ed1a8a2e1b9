// Steps that the doctor tries out: on copies of everything that a step writes.
#include "brio/ops/random/generator_scope.h"
#include "brio/train/fit_doctor.h"
#include "brio/train/trainer.h"

namespace brio::train {

bool Trainer::has_metrics() const {
  const nn::CompileOptions& o = compiled_->options;
  return !o.metrics.empty() || !o.weighted_metrics.empty() ||
         std::ranges::any_of(o.outputs, [](const nn::OutputOptions& each) {
           return !each.metrics.empty() || !each.weighted_metrics.empty();
         });
}

detail::TracedFunction::Trial Trainer::try_step(const Batch& batch, double most_seconds) {
  const Turn turn(turns_);
  const size_t n_x = batch.x.size(), n_y = batch.y.size(), n_weights = batch.sample_weight.size();
  for (const Traced& traced : compiled_->train) {
    if (traced.n_x != n_x || traced.n_y != n_y || traced.n_weights != n_weights) continue;
    list_arguments(batch);
    auto trial = traced.function->try_alone(arguments_.data(), arguments_.size(), most_seconds);
    arguments_.clear();
    return trial;
  }
  return {};
}

// A step that is traced when it is tried first, as layers are then. `batch` says how many tensors it takes.
detail::TracedFunction Trainer::scratch_step(const Batch& batch, Metrics metrics) {
  return detail::TracedFunction(
      [this, metrics, n_x = batch.x.size(), n_y = batch.y.size()](const std::vector<Tensor>& all) {
        const std::lock_guard lock(making_);
        std::vector<std::string> names;
        return step(batch_of(all, n_x, n_y, all.size() - n_x - n_y), true, names, metrics);
      });
}

detail::TracedFunction::Trial Trainer::try_scratch(detail::TracedFunction& scratch, const Batch& batch,
                                                   double most_seconds, detail::TracedFunction::Steps steps) {
  const Turn turn(turns_);
  scratch.set_name([] { return std::string(kTrialName); });
  list_arguments(batch);
  detail::TracedFunction::Trial trial = scratch.try_alone(arguments_.data(), arguments_.size(), most_seconds, steps);
  arguments_.clear();
  return trial;
}

double Trainer::traced_anew_seconds(const Batch& batch, Metrics metrics, double most_seconds) {
  if (compiled_->options.train_step) return 0;  // the user's own: tracing it would run it
  detail::TracedFunction scratch = scratch_step(batch, metrics);
  return try_scratch(scratch, batch, most_seconds).seconds;
}

}  // namespace brio::train
