// What one step does with a batch: loss, gradients and metrics, as functions that are traced once.
#include <optional>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/ir/op_origins.h"
#include "brio/nn/mask.h"
#include "brio/nn/optimizers/step_gate.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/runtime/device_costs.h"
#include "brio/train/trainer.h"

namespace brio::train {
namespace {

// The class numbers of labels, one-hot or not.
Tensor class_numbers(const Tensor& y) {
  if (y.rank() >= 2 && y.shape()[y.rank() - 1] > 1) return argmax(y, -1, i32);
  const Tensor labels = y.rank() >= 2 ? squeeze(y, {-1}) : y;
  return cast(labels, i32);
}

}  // namespace

// A weight per sample, for each output; empty if all samples have the same weight.
TensorList Trainer::weights_of(const Batch& batch, bool training) const {
  TensorList weights = batch.sample_weight;
  if (training && compiled_->class_weights.defined()) {
    const Tensor& table = compiled_->class_weights;
    const Tensor classes = class_numbers(batch.y[0]);
    const Tensor others = constant(table.shape()[0] - 1, i32);
    const Tensor known = logical_and(greater_equal(classes, constant(0, i32)), less(classes, others));
    weights = {gather(table, select(known, classes, others))};
  }
  if (weights.size() == 1 && batch.y.size() > 1) weights.assign(batch.y.size(), Tensor(weights[0]));
  return weights;
}

Trainer::Total Trainer::total_loss(const Batch& batch, const std::vector<Tensor>& y_pred, const TensorList& weights,
                                   const Tensor& all_rows) {
  Compiled& c = *compiled_;
  const Tensor rows = constant(batch.x[0].shape()[0], f32);
  Total total;
  size_t losses = 0;
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    const Output& output = c.outputs[i];
    if (!output.options.loss.defined()) continue;
    const OriginScope origin(cat("the loss '", output.options.loss.name(), "'"));
    auto [loss, count, by_rows] = output.options.loss.reduce(
        batch.y[i], y_pred[i], i < weights.size() ? weights[i] : Tensor(), nn::mask_of(y_pred[i]));
    if (loss.rank() != 0)
      throw InvalidArgument(cat("[fit] the loss '", output.options.loss.name(), "' has shape ", loss.shape(),
                                "; training needs a reduction other than none"));
    // As Keras counts it: a mean over batches, whatever their sizes.
    if (c.outputs.size() > 1) output.loss.update_state(loss);
    if (output.options.loss_weight != 1) loss = loss * constant(output.options.loss_weight, loss.dtype());
    total.loss = losses == 0 ? loss : total.loss + loss;
    total.by_rows &= by_rows;
    total.count = count;
    ++losses;
  }
  // Means of parts are weighted by what counts in them, and so is the loss of the weights. If losses are sums, a part
  // of a batch gets its share of that loss.
  const bool part_of_sum = all_rows.defined() && !total.count.defined();
  for (const Tensor& loss : module_->losses()) {
    const Tensor whole = total.loss.defined() ? cast(loss, total.loss.dtype()) : loss;
    const Tensor cost = part_of_sum ? whole * cast(rows / all_rows, whole.dtype()) : whole;
    total.loss = total.loss.defined() ? total.loss + cost : cost;
  }
  if (!total.loss.defined())
    throw InvalidArgument(cat("[fit] '", module_->name(),
                              "' was compiled without a loss, and no layer adds one; name one: "
                              "compile({.loss = \"mse\"})"));
  if (!all_rows.defined()) c.loss.update_state(total.loss, rows);  // for parts, the accumulator knows it at the end
  total.one_count = losses == 1 || total.by_rows;
  if (total.by_rows) total.count = rows;
  return total;
}

std::vector<Tensor> Trainer::own_step(const nn::Step& step, const Batch& batch, std::vector<std::string>& names) {
  std::vector<Tensor> results;
  names.clear();
  for (auto& [name, value] : step(batch)) {
    if (!value.defined() || value.rank() != 0)
      throw InvalidArgument(cat("[fit] the step gave '", name, "' as ",
                                value.defined() ? cat("a tensor of shape ", value.shape()) : std::string("none"),
                                "; the logs take scalars"));
    names.push_back(name);
    results.push_back(cast(value, f32));
  }
  return results;
}

std::vector<Tensor> Trainer::forward(const Batch& batch, bool training) {
  const nn::AutomaticPrecision scope(precision_.value_or(f32));
  std::vector<Tensor> y_pred = (*module_)(std::vector<Tensor>(batch.x), {.training = training});
  if (!compiled_->judged.empty() && y_pred.size() == compiled_->options.outputs.size()) {
    std::vector<Tensor> judged;
    for (const size_t i : compiled_->judged) judged.push_back(y_pred[i]);
    y_pred = std::move(judged);
  }
  if (y_pred.size() != compiled_->outputs.size() && has_loss())
    throw InvalidArgument(cat("[fit] '", module_->name(), "' has ", y_pred.size(), " outputs, but y has ",
                              compiled_->outputs.size(), "; give one for each"));
  return y_pred;
}

std::vector<Tensor> Trainer::step(const Batch& batch, bool training, std::vector<std::string>& names,
                                  Metrics metrics) {
  Compiled& c = *compiled_;
  if (const nn::Step& own = training ? c.options.train_step : c.options.test_step) return own_step(own, batch, names);
  const TensorList weights = weights_of(batch, training);
  std::vector<Tensor> y_pred, gradients;
  const bool learns = training && !weights_.empty();
  if (learns) {
    GradientTape tape;
    y_pred = forward(batch, true);
    const Tensor loss = total_loss(batch, y_pred, weights).loss;
    if (nn::StepGate* const gate = nn::StepGate::current()) gate->watch(loss);
    gradients = tape.gradient(c.options.optimizer.scale_loss(loss), weights_);
  } else {
    y_pred = forward(batch, training);
    total_loss(batch, y_pred, weights);
  }
  if (metrics == Metrics::with) update_metrics(batch, y_pred, weights);
  // Last, so that all other readers of the weights and of the step count run before these are written in place.
  const OriginScope origin("the update of the weights");
  if (learns) c.options.optimizer.apply_gradients(std::move(gradients), weights_);
  return {};
}

std::vector<Tensor> Trainer::gated_step(const Batch& batch, std::vector<std::string>& names) {
  nn::StepGate gate;
  std::vector<Tensor> results = step(batch, true, names);
  hold_statistics(gate);
  return results;
}

// One part of a batch of `all_rows`.
std::vector<Tensor> Trainer::part_of_step(const Batch& batch, const Tensor& all_rows) {
  const TensorList weights = weights_of(batch, true);
  GradientTape tape;
  const std::vector<Tensor> y_pred = forward(batch, true);
  auto [loss, count, by_rows, one_count] = total_loss(batch, y_pred, weights, all_rows);
  if (!one_count)
    throw InvalidArgument(
        "[fit] accumulate cannot put the losses of several outputs together where they are sums, "
        "weighted means or under masks: what counts differs from output to output");
  // Gradients keep the size that they have for the whole batch: a count of 1 stands for all rows.
  if (count.defined()) {
    count = cast(count, f32) / all_rows;
    loss = loss * cast(count, loss.dtype());
  }
  std::vector<Tensor> gradients = tape.gradient(compiled_->options.optimizer.scale_loss(loss), weights_);
  update_metrics(batch, y_pred, weights);
  accumulator_.add(std::move(gradients), loss, count);
  return {};
}

void Trainer::update_metrics(const Batch& batch, const std::vector<Tensor>& y_pred, const TensorList& weights) {
  const OriginScope origin("the metrics");
  for (size_t i = 0; i < compiled_->outputs.size(); ++i) {
    const nn::OutputOptions& o = compiled_->outputs[i].options;
    for (const nn::Metric& metric : o.metrics)
      metric.update_state(batch.y[i], y_pred[i], Tensor(), nn::mask_of(y_pred[i]));
    for (const nn::Metric& metric : o.weighted_metrics)
      metric.update_state(batch.y[i], y_pred[i], i < weights.size() ? weights[i] : Tensor(), nn::mask_of(y_pred[i]));
  }
}

// The device on which a step will run.
Device& Trainer::device_for(const detail::TracedFunction& step) {
  if (scope_device() || !chooses_by_cost()) return current_device();
  Device* const before = step.last_device();
  return before ? *before : registry().host();
}

// What costs decide is known after the first step: too late, as an epoch's batches are all made in one place, and
// those of a run that goes on where the run before it made them.
void Trainer::tell_device(BatchSource& batches) {
  if (scope_device() || !chooses_by_cost()) batches.set_device(current_device());
}

Batch Trainer::batch_of(const std::vector<Tensor>& all, size_t n_x, size_t n_y, size_t n_weights) {
  const auto at = [&](size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  Batch batch;
  batch.x.assign(at(0), at(n_x));
  batch.y.assign(at(n_x), at(n_x + n_y));
  batch.sample_weight.assign(at(n_x + n_y), at(n_x + n_y + n_weights));
  return batch;
}

void Trainer::list_arguments(const Batch& batch) {
  arguments_.clear();
  for (const TensorList* list : {&batch.x, &batch.y, &batch.sample_weight})
    arguments_.insert(arguments_.end(), list->begin(), list->end());
}

Trainer::Traced& Trainer::traced(Kind kind, const Batch& batch) {
  std::vector<Traced>& steps = kind == Kind::train  ? compiled_->train
                               : kind == Kind::test ? compiled_->test
                                                    : compiled_->part;
  const size_t n_x = batch.x.size(), n_y = batch.y.size(), n_weights = batch.sample_weight.size();
  const bool gated = gated_ && kind == Kind::train;
  auto found = std::ranges::find_if(steps, [&](const Traced& t) {
    return t.n_x == n_x && t.n_y == n_y && t.n_weights == n_weights && t.gated == gated;
  });
  if (found == steps.end()) {
    const auto names = std::make_shared<std::vector<std::string>>();
    auto body = [=, this](const std::vector<Tensor>& all) {
      const std::lock_guard lock(making_);
      const Batch tensors = batch_of(all, n_x, n_y, n_weights);
      if (gated) return gated_step(tensors, *names);
      return kind == Kind::part ? part_of_step(tensors, all.back()) : step(tensors, kind == Kind::train, *names);
    };
    // The user's own step may use sizes as numbers.
    const bool own = (kind == Kind::test ? compiled_->options.test_step : compiled_->options.train_step) != nullptr;
    const Sizes sizes = own ? Sizes::fixed : Sizes::open;
    steps.push_back({n_x, n_y, n_weights, gated, names, std::make_unique<detail::TracedFunction>(body, sizes)});
    found = steps.end() - 1;
    found->function->set_name(
        [kind] { return std::string(kind == Kind::test ? "the step of evaluate" : "the step of fit"); });
    if (kind != Kind::test) found->function->set_arena_limit(arena_limit_);
  }
  return *found;
}

void Trainer::run(Kind kind, const Batch& batch, const Tensor& all_rows) {
  Traced& found = traced(kind, batch);
  list_arguments(batch);
  if (all_rows.defined()) arguments_.push_back(all_rows);
  results_.clear();
  hand_over_.move(arguments_, device_for(*found.function));
  found.function->call(arguments_.data(), arguments_.size(), results_);
  arguments_.clear();  // the source may fill the same memory again
  if (results_.empty()) return;
  compiled_->own_results.swap(results_);
  compiled_->own_names = found.names;
}

void Trainer::run_parts(const Batch& batch, int64_t parts) {
  if (compiled_->options.train_step)
    throw InvalidArgument("[fit] accumulate cuts batches for Brio's own step; do it in the train_step that you gave");
  accumulator_.build(weights_);
  const int64_t rows = batch.rows(), size = (rows + parts - 1) / parts;
  if (!all_rows_.defined()) all_rows_ = Tensor(Array::allocate({Shape(), f32}, Owner::input));
  *all_rows_.impl()->array.as<float>() = static_cast<float>(rows);  // it has no other owner
  all_rows_.impl()->drop_copies();
  try {
    for (int64_t begin = 0; begin < rows; begin += size) {
      const int64_t end = std::min(begin + size, rows);
      for (const auto& [whole, piece] :
           {std::pair{&batch.x, &part_.x}, {&batch.y, &part_.y}, {&batch.sample_weight, &part_.sample_weight}}) {
        piece->clear();
        for (const Tensor& tensor : *whole) piece->push_back(row_range(tensor, begin, end));
      }
      run(Kind::part, part_, all_rows_);
    }
    for (TensorList* list : {&part_.x, &part_.y, &part_.sample_weight}) list->clear();  // the source's memory
  } catch (...) {  // the earlier parts must not count in the next batch
    accumulator_ = {};
    forget_steps();
    throw;
  }
  auto& apply = gated_ ? compiled_->gated_apply : compiled_->apply;
  if (!apply)
    apply =
        std::make_unique<detail::TracedFunction>([this, gated = gated_](const std::vector<Tensor>& rows_of_batch) {
          std::optional<nn::StepGate> gate;
          if (gated) gate.emplace();
          compiled_->loss.update_state(accumulator_.loss(), rows_of_batch[0]);
          accumulator_.apply(compiled_->options.optimizer);
          if (gate) hold_statistics(*gate);
          accumulator_.clear();
          return std::vector<Tensor>();
        });
  results_.clear();
  apply->call(&all_rows_, 1, results_);
}

}  // namespace brio::train
