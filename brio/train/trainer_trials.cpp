// Steps that the doctor tries out: on copies of everything that a step writes.
#include "brio/ops/random/generator_scope.h"
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
    const auto trial = traced.function->try_alone(arguments_.data(), arguments_.size(), most_seconds);
    arguments_.clear();
    return trial;
  }
  return {};
}

double Trainer::traced_anew_seconds(const Batch& batch, Metrics metrics, double most_seconds) {
  if (compiled_->options.train_step) return 0;  // the user's own: tracing it would run it
  const Turn turn(turns_);
  const size_t n_x = batch.x.size(), n_y = batch.y.size();
  detail::TracedFunction scratch([&](const std::vector<Tensor>& all) {
    const std::lock_guard lock(making_);
    std::vector<std::string> names;
    return step(batch_of(all, n_x, n_y, all.size() - n_x - n_y), true, names, metrics);
  });
  scratch.set_name([] { return std::string("a trial of the doctor"); });
  list_arguments(batch);
  const double seconds = scratch.try_alone(arguments_.data(), arguments_.size(), most_seconds).seconds;
  arguments_.clear();
  return seconds;
}

}  // namespace brio::train
