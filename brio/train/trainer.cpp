#include "brio/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/ops/elementwise.h"
#include "brio/runtime/function.h"
#include "brio/train/progress_bar.h"

namespace brio::train {
namespace {

// Keras shows and keeps logs by name.
Logs by_name(const Logs& logs, std::string_view prefix = {}) {
  std::vector<Logs::Row> rows(logs.begin(), logs.end());
  std::ranges::sort(rows, {}, &Logs::Row::first);
  Logs sorted;
  for (const auto& [name, value] : rows) sorted.set(cat(prefix, name), value);
  return sorted;
}

void check_finite(double loss, int64_t epoch, int64_t step, double rate) {
  if (std::isfinite(loss)) return;
  throw InvalidArgument(cat("[fit] the loss became ", loss, " by step ", step, " of epoch ", epoch + 1,
                            "; lower the learning rate (now ", rate,
                            "), clip the gradients (clipnorm), or look for values in x and y that are not finite. "
                            "FitOptions::stop_at_nan = false trains on"));
}

}  // namespace

void Trainer::require_compiled(const char* what) const {
  if (!compiled_)
    throw InvalidArgument(cat("[", what, "] '", module_->name(),
                              "' is not compiled; call compile({.optimizer = \"adam\", "
                              ".loss = …}) before ",
                              what));
  if (!compiled_->options.loss.defined())
    throw InvalidArgument(cat("[", what, "] '", module_->name(),
                              "' was compiled without a loss; name one: "
                              "compile({.loss = \"mse\"})"));
}

nn::Optimizer Trainer::optimizer() const {
  if (!compiled_)
    throw InvalidArgument(cat("[optimizer] '", module_->name(), "' is not compiled; call compile() first"));
  return compiled_->options.optimizer;
}

void Trainer::compile(nn::CompileOptions options) {
  Compiled compiled;
  compiled.options = std::move(options);
  compiled_ = std::move(compiled);
  make_functions();
}

void Trainer::make_functions() {
  Compiled& c = *compiled_;
  c.train = function([this](const Tensor& x, const Tensor& y) { train_step(x, y, {}); });
  c.train_weighted = function([this](const Tensor& x, const Tensor& y, const Tensor& w) { train_step(x, y, w); });
  c.test = function([this](const Tensor& x, const Tensor& y) { test_step(x, y, {}); });
  c.test_weighted = function([this](const Tensor& x, const Tensor& y, const Tensor& w) { test_step(x, y, w); });
}

void Trainer::train_step(const Tensor& x, const Tensor& y, const Tensor& weight) {
  Compiled& c = *compiled_;
  Tensor y_pred, loss;
  std::vector<Tensor> gradients;
  {
    GradientTape tape;
    y_pred = (*module_)(x, true);
    loss = c.options.loss(y, y_pred, weight);
    if (loss.rank() != 0)
      throw InvalidArgument(cat("[fit] the loss '", c.options.loss.name(), "' has shape ", loss.shape(),
                                "; training needs a reduction other than none"));
    gradients = tape.gradient(c.options.optimizer.scale_loss(loss), weights_);
  }
  c.loss.update_state(loss, constant(x.shape()[0], f32));
  update_metrics(y, y_pred, weight);
  // Last, so that every other reader of the weights and of the step count comes before they are written in place.
  c.options.optimizer.apply_gradients(std::move(gradients), weights_);
}

void Trainer::test_step(const Tensor& x, const Tensor& y, const Tensor& weight) {
  Compiled& c = *compiled_;
  const Tensor y_pred = (*module_)(x, false);
  c.loss.update_state(c.options.loss(y, y_pred, weight), constant(x.shape()[0], f32));
  update_metrics(y, y_pred, weight);
}

void Trainer::update_metrics(const Tensor& y, const Tensor& y_pred, const Tensor& weight) {
  for (const nn::Metric& metric : compiled_->options.metrics) metric.update_state(y, y_pred);
  for (const nn::Metric& metric : compiled_->options.weighted_metrics) metric.update_state(y, y_pred, weight);
}

void Trainer::check_batch(const char* what, const Batch& batch) {
  if (!batch.x.defined()) throw InvalidArgument(cat("[", what, "] a batch has no x"));
  if (!batch.y.defined())
    throw InvalidArgument(cat("[", what, "] there is no y, but the loss '", compiled_->options.loss.name(),
                              "' compares predictions with it"));
  if (batch.x.shape() == input_shape_) return;
  module_->build(batch.x.shape());
  input_shape_ = batch.x.shape();
}

void Trainer::run_train(const Batch& batch) {
  if (batch.sample_weight.defined()) compiled_->train_weighted(batch.x, batch.y, batch.sample_weight);
  else compiled_->train(batch.x, batch.y);
}
void Trainer::run_test(const Batch& batch) {
  if (batch.sample_weight.defined()) compiled_->test_weighted(batch.x, batch.y, batch.sample_weight);
  else compiled_->test(batch.x, batch.y);
}

void Trainer::reset_metrics() {
  compiled_->loss.reset_state();
  for (const nn::Metric& metric : compiled_->options.metrics) metric.reset_state();
  for (const nn::Metric& metric : compiled_->options.weighted_metrics) metric.reset_state();
}

Logs Trainer::read_metrics() const {
  Logs logs;
  logs.set("loss", compiled_->loss.read());
  for (const nn::Metric& metric : compiled_->options.metrics) logs.set(metric.name(), metric.read());
  for (const nn::Metric& metric : compiled_->options.weighted_metrics) logs.set(metric.name(), metric.read());
  return logs;
}

void Trainer::check_loss(int64_t epoch, int64_t step) const {
  check_finite(compiled_->loss.read(), epoch, step, optimizer().learning_rate().item<double>());
}

History Trainer::fit(BatchSource& batches, BatchSource* validation, const nn::FitOptions& options) {
  require_compiled("fit");
  if (options.epochs < 0) throw InvalidArgument(cat("[fit] epochs is ", options.epochs, "; it must be 0 or more"));
  if (options.steps_per_epoch && *options.steps_per_epoch <= 0)
    throw InvalidArgument(cat("[fit] steps_per_epoch is ", *options.steps_per_epoch, "; it must be 1 or more"));
  if (options.validation_freq <= 0)
    throw InvalidArgument(cat("[fit] validation_freq is ", options.validation_freq, "; it must be 1 or more"));
  auto history = std::make_shared<HistoryCallback>();
  nn::Callbacks callbacks = {history};
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  for (const auto& callback : options.callbacks)
    if (callback) callbacks.push_back(callback);

  Progress progress;
  progress.epochs = options.epochs;
  progress.steps = options.steps_per_epoch ? options.steps_per_epoch : batches.steps();
  progress.read = [this] { return by_name(read_metrics()); };
  const int64_t most_steps = options.steps_per_epoch.value_or(INT64_MAX);

  for (const auto& callback : callbacks) callback->on_train_begin(progress);
  Logs logs;
  Batch batch;
  bool prepared = false;
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs && !progress.stop_training; ++epoch) {
    reset_metrics();
    batches.reset(epoch);
    for (const auto& callback : callbacks) callback->on_epoch_begin(progress, epoch);
    auto checked = std::chrono::steady_clock::now();
    int64_t step = 0;
    while (step < most_steps && !progress.stop_training && batches.next(batch)) {
      for (const auto& callback : callbacks) callback->on_train_batch_begin(progress, step);
      check_batch("fit", batch);
      if (!prepared) {
        weights_ = module_->trainable_variables();
        if (weights_.empty())
          throw InvalidArgument(
              cat("[fit] '", module_->name(), "' has no trainable weights: there is nothing to fit"));
        compiled_->options.optimizer.build(weights_);
        prepared = true;
      }
      run_train(batch);
      for (const auto& callback : callbacks) callback->on_train_batch_end(progress, step);
      ++step;
      if (const auto now = std::chrono::steady_clock::now();
          options.stop_at_nan && now - checked > std::chrono::seconds(1)) {
        checked = now;
        check_loss(epoch, step);
      }
    }
    if (step == 0) throw InvalidArgument(cat("[fit] epoch ", epoch + 1, " has no batches; give it data"));
    if (options.stop_at_nan) check_loss(epoch, step);
    logs = by_name(read_metrics());
    if (validation && (epoch + 1) % options.validation_freq == 0) {
      Progress of_validation = progress;
      of_validation.steps = validation->steps();
      const Logs found = run_tests(*validation, {}, of_validation, callbacks);
      for (const auto& [name, value] : by_name(found, "val_")) logs.set(name, value);
    }
    for (const auto& callback : callbacks) callback->on_epoch_end(progress, epoch, logs);
  }
  if (prepared) compiled_->options.optimizer.finalize_variable_values(weights_);
  for (const auto& callback : callbacks) callback->on_train_end(progress, logs);
  return std::move(history->history);
}

Logs Trainer::run_tests(BatchSource& batches, std::optional<int64_t> steps, Progress& progress,
                        const nn::Callbacks& callbacks) {
  reset_metrics();
  batches.reset(0);
  for (const auto& callback : callbacks) callback->on_test_begin(progress);
  Batch batch;
  int64_t step = 0;
  for (; (!steps || step < *steps) && !progress.stop_training && batches.next(batch); ++step) {
    check_batch("evaluate", batch);
    run_test(batch);
    for (const auto& callback : callbacks) callback->on_test_batch_end(progress, step);
  }
  if (step == 0) throw InvalidArgument("[evaluate] there are no batches; give it data");
  Logs logs = read_metrics();
  for (const auto& callback : callbacks) callback->on_test_end(progress, by_name(logs));
  return logs;
}

Logs Trainer::evaluate(BatchSource& batches, const nn::EvaluateOptions& options) {
  require_compiled("evaluate");
  nn::Callbacks callbacks;
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  for (const auto& callback : options.callbacks)
    if (callback) callbacks.push_back(callback);
  Progress progress;
  progress.steps = options.steps ? options.steps : batches.steps();
  progress.read = [this] { return by_name(read_metrics()); };
  return run_tests(batches, options.steps, progress, callbacks);
}

Tensor Trainer::predict(const Tensor& x, const nn::PredictOptions& options) {
  if (!predict_) predict_ = function([this](const Tensor& batch) { return (*module_)(batch, false); });
  ArraySource batches(x, {}, {}, {.batch_size = options.batch_size});
  batches.reset(0);
  Array all;
  size_t filled = 0;
  for (Batch batch; batches.next(batch);) {
    module_->build(batch.x.shape());
    input_shape_ = batch.x.shape();
    const Tensor result = predict_(batch.x);
    const Array& array = result.array();
    if (result.rank() == 0 || result.shape()[0] != batch.x.shape()[0])
      throw InvalidArgument(cat("[predict] '", module_->name(), "' made shape ", result.shape(), " of ",
                                batch.x.shape()[0], " rows; a prediction has one row for each"));
    if (!all.buffer) {
      Aval aval = array.aval;
      aval.shape.set(0, batches.rows());
      all = Array::allocate(aval);
    }
    std::memcpy(all.as<char>() + filled, array.data(), array.aval.bytes());
    filled += array.aval.bytes();
  }
  return Tensor(std::move(all));
}

}  // namespace brio::train
