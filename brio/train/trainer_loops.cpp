// The loops of evaluate and predict, and single steps. That of fit is in trainer_fit.cpp.
#include <cstring>

#include "brio/base/error.h"
#include "brio/train/fit_doctor.h"
#include "brio/train/progress_bar.h"
#include "brio/train/signal_watch.h"
#include "brio/train/timed_callbacks.h"
#include "brio/train/trainer.h"
#include "brio/train/trainer_steps.h"

namespace brio::train {
namespace {

// What a source of batches asks of tensors.
void check_rows(const Batch& batch) {
  const ArraySource checked(batch.x, batch.y, batch.sample_weight, {});
  static_cast<void>(checked);
}

nn::Callbacks behind_bar(int verbose, const nn::Callbacks& given) {
  nn::Callbacks callbacks;
  if (verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(verbose));
  for (const auto& callback : given)
    if (callback) callbacks.push_back(callback);
  return callbacks;
}

// Batches one after the other.
Array joined(const std::vector<Array>& parts) {
  Aval aval = parts[0].aval;
  int64_t rows = 0;
  for (const Array& part : parts) rows += part.aval.shape[0];
  aval.shape.set(0, rows);
  Array whole = Array::allocate(aval);
  size_t at = 0;
  for (const Array& part : parts) {
    Aval fits = part.aval;
    fits.shape.set(0, rows);
    if (!(fits == aval))
      throw InvalidArgument(cat("[predict] predictions of shapes ", parts[0].aval.shape, " and ", part.aval.shape,
                                " cannot be joined; pad the input so that all batches are alike"));
    std::memcpy(whole.as<char>() + at, part.data(), part.aval.bytes());
    at += part.aval.bytes();
  }
  return whole;
}

}  // namespace

Progress Trainer::progress_of(int64_t epochs, std::optional<int64_t> steps) {
  Progress progress;
  progress.epochs = epochs;
  progress.steps = steps;
  progress.read = [this] { return by_name(read_metrics()); };
  progress.model = nn::Layer(module_);
  if (!compiled_) return progress;
  progress.optimizer = compiled_->options.optimizer;
  progress.compiled = &compiled_->options;
  return progress;
}

// Which weights are trained may have changed since the last run: layers can be frozen.
void Trainer::prepare_weights() {
  std::vector<Variable> weights = module_->trainable_variables();
  if (weights != weights_) forget_steps();
  weights_ = std::move(weights);
  if (!weights_.empty())
    compiled_->options.optimizer.build(weights_);  // otherwise fit() measures, and changes nothing
}

Logs Trainer::run_tests(BatchSource& batches, std::optional<int64_t> steps, Progress& progress,
                        const TimedCallbacks& callbacks) {
  reset_metrics();
  tell_device(batches);
  batches.reset(0);
  callbacks.each([&](Callback& c) { c.on_test_begin(progress); });
  Batch batch;
  const int64_t at_once = steps_per_execution(), most_steps = whole_executions(steps, at_once);
  int64_t step = 0;
  while (step < most_steps && SignalWatch::caught() == 0 && batches.next(batch)) {
    if (step % at_once == 0) callbacks.each([&](Callback& c) { c.on_test_batch_begin(progress, step); });
    prepare("evaluate", batch, false);
    run(Kind::test, batch);
    ++step;
    if (step % at_once == 0) callbacks.each([&](Callback& c) { c.on_test_batch_end(progress, step - 1); });
  }
  if (step % at_once != 0)
    callbacks.each([&](Callback& c) { c.on_test_batch_end(progress, last_step(step, at_once)); });
  if (step == 0 && SignalWatch::caught() == 0) throw InvalidArgument("[evaluate] there are no batches; give it data");
  Logs logs = read_metrics();
  callbacks.each([&](Callback& c) { c.on_test_end(progress, by_name(logs)); });
  return logs;
}

Logs Trainer::evaluate(BatchSource& batches, const nn::EvaluateOptions& options) {
  require_compiled("evaluate");
  Progress progress = progress_of(1, options.steps ? options.steps : batches.steps());
  const Turn turn(turns_);
  Logs logs =
      run_tests(batches, options.steps, progress, TimedCallbacks(behind_bar(options.verbose, options.callbacks)));
  hand_over_.clear();
  return logs;
}

Logs Trainer::train_on_batch(const Batch& batch, const std::map<int64_t, double>& class_weight) {
  require_compiled("train_on_batch");
  const Turn turn(turns_);
  set_class_weight(class_weight);
  check_rows(batch);
  prepare("train_on_batch", batch, true);
  prepare_weights();
  choose_precision(batch);
  run(Kind::train, batch);
  const profile::Scope scope(profile::Part::metrics);
  return read_metrics();
}

Logs Trainer::test_on_batch(const Batch& batch) {
  require_compiled("test_on_batch");
  const Turn turn(turns_);
  check_rows(batch);
  prepare("test_on_batch", batch, false);
  run(Kind::test, batch);
  return read_metrics();
}

std::vector<Tensor> Trainer::predict(BatchSource& batches, const nn::PredictOptions& options) {
  if (const std::lock_guard lock(making_); !predict_)
    predict_ = std::make_unique<detail::TracedFunction>([this](const std::vector<Tensor>& batch) {
      const std::lock_guard tracing(making_);
      const nn::AutomaticPrecision scope(precision_.value_or(f32));
      return (*module_)(batch, {.training = false});
    });
  tell_device(batches);
  batches.reset(0);
  Progress progress = progress_of(1, options.steps ? options.steps : batches.steps());
  progress.read = [] { return Logs(); };  // nothing is judged
  const nn::Callbacks callbacks = behind_bar(options.verbose, options.callbacks);
  for (const auto& callback : callbacks) callback->on_predict_begin(progress);
  std::vector<std::vector<Array>> all;  // by output, then by batch
  const int64_t at_once = steps_per_execution(), most_steps = whole_executions(options.steps, at_once);
  int64_t step = 0;
  HandOver hand_over;  // predictions run beside each other
  for (Batch batch; step < most_steps && batches.next(batch);) {
    if (step % at_once == 0)
      for (const auto& callback : callbacks) callback->on_predict_batch_begin(progress, step);
    note_inputs(batch);
    std::vector<Tensor> results;
    hand_over.move(batch.x, device_for(*predict_));
    predict_->call(batch.x.data(), batch.x.size(), results);
    all.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].rank() == 0 || results[i].shape()[0] != batch.rows())
        throw InvalidArgument(cat("[predict] '", module_->name(), "' made shape ", results[i].shape(), " of ",
                                  batch.rows(), " rows; a prediction has one row for each"));
      all[i].push_back(results[i].array());
    }
    ++step;
    if (step % at_once == 0)
      for (const auto& callback : callbacks) callback->on_predict_batch_end(progress, step - 1);
  }
  if (step % at_once != 0)
    for (const auto& callback : callbacks) callback->on_predict_batch_end(progress, last_step(step, at_once));
  for (const auto& callback : callbacks) callback->on_predict_end(progress);
  std::vector<Tensor> predictions;
  for (const std::vector<Array>& parts : all) predictions.emplace_back(joined(parts));
  return predictions;
}

}  // namespace brio::train
