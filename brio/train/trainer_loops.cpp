// The loops over batches: fit, evaluate and predict, and single steps.
#include <chrono>
#include <cmath>
#include <cstring>

#include "brio/base/error.h"
#include "brio/train/fit_doctor.h"
#include "brio/train/progress_bar.h"
#include "brio/train/timed_callbacks.h"
#include "brio/train/trainer.h"

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

// Callbacks are called once for several steps that are run at once. As in Keras, those are never cut: there may be
// more steps than were asked for, and the number of the last one may lie behind the data's end.
int64_t whole_executions(std::optional<int64_t> steps, int64_t at_once) {
  return steps ? (*steps + at_once - 1) / at_once * at_once : INT64_MAX;
}
int64_t last_step(int64_t steps, int64_t at_once) { return (steps + at_once - 1) / at_once * at_once - 1; }

bool next_batch(BatchSource& batches, Batch& batch, profile::FitScope& recorded) {
  recorded.input_begins();
  const struct Ends {
    profile::FitScope& recorded;
    ~Ends() { recorded.input_ends(); }
  } ends{recorded};
  return batches.next(batch);
}

// What a source of batches asks of tensors.
void check_rows(const Batch& batch) {
  const ArraySource checked(batch.x, batch.y, batch.sample_weight, {});
  static_cast<void>(checked);
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

void Trainer::check_loss(int64_t epoch, int64_t step) const {
  check_finite(read_loss(), epoch, step, optimizer().learning_rate().item<double>());
}

Progress Trainer::progress_of(int64_t epochs, std::optional<int64_t> steps) {
  Progress progress;
  progress.epochs = epochs;
  progress.steps = steps;
  progress.read = [this] { return by_name(read_metrics()); };
  progress.model = nn::Layer(module_);
  if (compiled_) progress.optimizer = compiled_->options.optimizer;
  return progress;
}

History Trainer::fit(BatchSource& batches, BatchSource* validation, const nn::FitOptions& options) {
  require_compiled("fit");
  if (options.epochs < 0) throw InvalidArgument(cat("[fit] epochs is ", options.epochs, "; it must be 0 or more"));
  if (options.steps_per_epoch && *options.steps_per_epoch <= 0)
    throw InvalidArgument(cat("[fit] steps_per_epoch is ", *options.steps_per_epoch, "; it must be 1 or more"));
  if (options.accumulate <= 0)
    throw InvalidArgument(cat("[fit] accumulate is ", options.accumulate, "; it must be 1 or more"));
  if (options.validation_freq <= 0)
    throw InvalidArgument(cat("[fit] validation_freq is ", options.validation_freq, "; it must be 1 or more"));
  auto history = std::make_shared<HistoryCallback>();
  nn::Callbacks callbacks;
  for (const auto& callback : options.callbacks)
    if (callback) callbacks.push_back(callback);
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  callbacks.push_back(history);

  Progress progress =
      progress_of(options.epochs, options.steps_per_epoch ? options.steps_per_epoch : batches.steps());
  progress.initial_epoch = options.initial_epoch;
  progress.order = batches.order();
  const TimedCallbacks timed(callbacks);
  profile::FitScope recorded(this, static_cast<uint64_t>(options.epochs));
  FitDoctor doctor(*this, options);
  const int64_t at_once = steps_per_execution();
  const int64_t most_steps = whole_executions(options.steps_per_epoch, at_once);

  timed.each([&](Callback& c) { c.on_train_begin(progress); });
  if (progress.order && batches.order()) batches.set_order(*progress.order);
  Logs logs;
  Batch batch;
  bool prepared = false;
  std::optional<Turn> turn;
  for (int64_t epoch = progress.initial_epoch; epoch < options.epochs && !progress.stop_training; ++epoch) {
    turn.emplace(turns_);
    set_class_weight(options.class_weight);
    reset_metrics();
    {
      const profile::Scope scope(profile::Part::input);
      batches.reset(epoch);
    }
    if (!options.steps_per_epoch) progress.steps = batches.steps();  // it may have chosen how many
    timed.each([&](Callback& c) { c.on_epoch_begin(progress, epoch); });
    recorded.begin_epoch(static_cast<uint64_t>(progress.steps.value_or(0)));
    auto checked = std::chrono::steady_clock::now();
    int64_t step = 0;
    const int64_t done = epoch == progress.initial_epoch ? progress.initial_step : 0;  // by the run that was cut off
    while (step < done && next_batch(batches, batch, recorded)) ++step;
    while (step < most_steps && !progress.stop_training && next_batch(batches, batch, recorded)) {
      if (!progress.batch_choice && batches.choice(false)) {
        progress.batch_choice = *batches.choice(false);
        forget_steps();  // of the other sizes, with their memory
      }
      if (step % at_once == 0) timed.each([&](Callback& c) { c.on_train_batch_begin(progress, step); });
      while (!train(batch, options.accumulate, prepared, batches)) {
      }
      ++step;
      if (step % at_once == 0) timed.each([&](Callback& c) { c.on_train_batch_end(progress, step - 1); });
      if (const auto now = std::chrono::steady_clock::now();
          options.stop_at_nan && now - checked > std::chrono::seconds(1)) {
        const profile::Scope scope(profile::Part::metrics);
        checked = now;
        check_loss(epoch, step);
      }
      recorded.end_step(static_cast<uint64_t>(batch.rows()));
      doctor.after_step(batch);
    }
    recorded.end_epoch();
    if (step % at_once != 0)
      timed.each([&](Callback& c) { c.on_train_batch_end(progress, last_step(step, at_once)); });
    if (step == 0) throw InvalidArgument(cat("[fit] epoch ", epoch + 1, " has no batches; give it data"));
    {
      const profile::Scope scope(profile::Part::metrics);
      if (options.stop_at_nan && !progress.stop_training && step > done) check_loss(epoch, step);
      logs = step > done ? by_name(read_metrics()) : Logs();
    }
    if (validation && (epoch + 1) % options.validation_freq == 0) {
      const profile::Scope scope(profile::Part::evaluation);
      if (profile::Run* run = recorded.run()) ++run->evaluations;
      Progress of_validation = progress;
      of_validation.stop_training = false;  // what a batch stopped is the training
      of_validation.steps = options.validation_steps ? options.validation_steps : validation->steps();
      const Logs found = run_tests(*validation, options.validation_steps, of_validation, timed);
      progress.stop_training |= of_validation.stop_training;
      for (const auto& [name, value] : by_name(found, "val_")) logs.set(name, value);
    }
    hand_over_.clear();
    turn.reset();  // the numbers are read: others may count
    timed.each([&](Callback& c) { c.on_epoch_end(progress, epoch, logs); });
  }
  if (prepared) compiled_->options.optimizer.finalize_variable_values(weights_);
  if (const BatchChoice* choice = batches.choice(true)) progress.batch_choice = *choice;
  timed.each([&](Callback& c) { c.on_train_end(progress, logs); });
  recorded.settle();
  doctor.at_end(recorded.run());
  history->history.batch_choice = progress.batch_choice;
  return std::move(history->history);
}

// One step. False: there was no memory for it, and the batch is now a smaller one of the same rows.
bool Trainer::train(Batch& batch, int64_t accumulate, bool& prepared, BatchSource& batches) {
  try {
    prepare("fit", batch, true);
    if (!prepared) prepare_weights();
    prepared = true;
    if (accumulate > 1) run_parts(batch, accumulate);
    else run(Kind::train, batch);
    return true;
  } catch (const ResourceError&) {
    arguments_.clear();
    if (!batches.take_back(batch)) throw;
    forget_steps();
    trim_host_memory();
    batches.next(batch);
    return false;
  }
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
  batches.reset(0);
  callbacks.each([&](Callback& c) { c.on_test_begin(progress); });
  Batch batch;
  const int64_t at_once = steps_per_execution(), most_steps = whole_executions(steps, at_once);
  int64_t step = 0;
  while (step < most_steps && batches.next(batch)) {
    if (step % at_once == 0) callbacks.each([&](Callback& c) { c.on_test_batch_begin(progress, step); });
    prepare("evaluate", batch, false);
    run(Kind::test, batch);
    ++step;
    if (step % at_once == 0) callbacks.each([&](Callback& c) { c.on_test_batch_end(progress, step - 1); });
  }
  if (step % at_once != 0)
    callbacks.each([&](Callback& c) { c.on_test_batch_end(progress, last_step(step, at_once)); });
  if (step == 0) throw InvalidArgument("[evaluate] there are no batches; give it data");
  Logs logs = read_metrics();
  callbacks.each([&](Callback& c) { c.on_test_end(progress, by_name(logs)); });
  return logs;
}

Logs Trainer::evaluate(BatchSource& batches, const nn::EvaluateOptions& options) {
  require_compiled("evaluate");
  nn::Callbacks callbacks;
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  for (const auto& callback : options.callbacks)
    if (callback) callbacks.push_back(callback);
  Progress progress = progress_of(1, options.steps ? options.steps : batches.steps());
  const Turn turn(turns_);
  Logs logs = run_tests(batches, options.steps, progress, TimedCallbacks(callbacks));
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
      return (*module_)(batch, {.training = false});
    });
  batches.reset(0);
  Progress progress = progress_of(1, batches.steps());
  for (const auto& callback : options.callbacks) callback->on_predict_begin(progress);
  std::vector<std::vector<Array>> all;  // by output, then by batch
  const int64_t at_once = steps_per_execution(), most_steps = whole_executions(options.steps, at_once);
  int64_t step = 0;
  HandOver hand_over;  // predictions run beside each other
  for (Batch batch; step < most_steps && batches.next(batch);) {
    if (step % at_once == 0)
      for (const auto& callback : options.callbacks) callback->on_predict_batch_begin(progress, step);
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
      for (const auto& callback : options.callbacks) callback->on_predict_batch_end(progress, step - 1);
  }
  if (step % at_once != 0)
    for (const auto& callback : options.callbacks) callback->on_predict_batch_end(progress, last_step(step, at_once));
  for (const auto& callback : options.callbacks) callback->on_predict_end(progress);
  std::vector<Tensor> predictions;
  for (const std::vector<Array>& parts : all) predictions.emplace_back(joined(parts));
  return predictions;
}

}  // namespace brio::train
