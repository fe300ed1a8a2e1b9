// fit: the loop over epochs and batches, with its checkpoints and signals.
#include <csignal>
#include <iostream>

#include "brio/base/error.h"
#include "brio/train/bad_numbers.h"
#include "brio/train/checkpoint_schedule.h"
#include "brio/train/fit_doctor.h"
#include "brio/train/progress_bar.h"
#include "brio/train/signal_watch.h"
#include "brio/train/timed_callbacks.h"
#include "brio/train/trainer.h"
#include "brio/train/trainer_steps.h"

namespace brio::train {
namespace {

void check_fit(const nn::FitOptions& options) {
  if (options.epochs < 0) throw InvalidArgument(cat("[fit] epochs is ", options.epochs, "; it must be 0 or more"));
  if (options.steps_per_epoch && *options.steps_per_epoch <= 0)
    throw InvalidArgument(cat("[fit] steps_per_epoch is ", *options.steps_per_epoch, "; it must be 1 or more"));
  if (options.accumulate <= 0)
    throw InvalidArgument(cat("[fit] accumulate is ", options.accumulate, "; it must be 1 or more"));
  if (options.memory_limit < 0)
    throw InvalidArgument(cat("[fit] memory_limit is ", options.memory_limit, "; give bytes, or 0 for all there is"));
  if (options.validation_freq <= 0)
    throw InvalidArgument(cat("[fit] validation_freq is ", options.validation_freq, "; it must be 1 or more"));
  if (options.resume && options.checkpoint.directory.empty())
    throw InvalidArgument("[fit] resume is true, but checkpoint.directory is empty; name the directory of the run");
}

// Says why a run ended before its end.
void report_signal(int signal, int64_t epoch, int64_t step, const Checkpoints* checkpoints) {
  std::cerr << "\nbrio: [fit] stopped by " << (signal == SIGINT ? "SIGINT" : "SIGTERM") << " after step " << step
            << " of epoch " << epoch + 1 << "; ";
  if (!checkpoints) std::cerr << "checkpoints are off, so nothing was saved";
  else if (checkpoints->newest().empty())
    std::cerr << (step > 0 ? "no checkpoint could be written" : "there was nothing to save yet");
  else std::cerr << "saved as " << checkpoints->newest() << ": with resume the run goes on from there";
  std::cerr << std::endl;
}

}  // namespace

History Trainer::fit(BatchSource& batches, BatchSource* validation, const nn::FitOptions& options) {
  require_compiled("fit");
  check_fit(options);
  auto history = std::make_shared<HistoryCallback>();
  nn::Callbacks callbacks;
  for (const auto& callback : options.callbacks)
    if (callback) callbacks.push_back(callback);
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  callbacks.push_back(history);
  // What is kept of a run: not the bar, which shows it.
  nn::Callbacks kept = options.callbacks;
  std::erase(kept, nullptr);
  kept.push_back(history);

  Progress progress =
      progress_of(options.epochs, options.steps_per_epoch ? options.steps_per_epoch : batches.steps());
  progress.initial_epoch = options.initial_epoch;
  progress.order = batches.order();
  const TimedCallbacks timed(callbacks);
  profile::FitScope recorded(this, static_cast<uint64_t>(options.epochs));
  FitDoctor doctor(*this, options);
  const int64_t at_once = steps_per_execution();
  const int64_t most_steps = whole_executions(options.steps_per_epoch, at_once);

  SignalWatch signals;
  std::optional<CheckpointSchedule> checkpoints;
  std::optional<RunState> begun;
  if (!options.checkpoint.directory.empty()) {
    checkpoints.emplace(options.checkpoint, options.resume);
    begun = checkpoints->files().last();
  }
  if (begun) {
    progress.resumed = true;
    progress.initial_epoch = begun->epoch;
    if (begun->order) progress.order = begun->order;
  }
  if (hand_over_.device()) batches.set_memory(hand_over_.device()->staging());  // as in the fit before
  int64_t epoch = progress.initial_epoch, step = 0;
  BadNumberWatch numbers(*this, options, checkpoints ? &checkpoints->files() : nullptr);
  progress.read = [&, read = progress.read] {
    Logs now = read();
    numbers.saw(now, epoch, step);
    return now;
  };
  timed.each([&](Callback& c) { c.on_train_begin(progress); });
  if (progress.order && batches.order()) batches.set_order(*progress.order);
  Logs logs;
  Batch batch;
  bool prepared = false;
  Parts parts{.resumed = begun ? begun->parts : 0};
  if (begun) {
    // In the midst of an epoch: what callbacks do at its beginning was done already, and is undone by what follows.
    if (begun->step > 0)
      for (const auto& callback : callbacks) callback->on_epoch_begin(progress, begun->epoch);
    go_on(*begun, batches);
    prepared = true;
    for (size_t i = 0; i < kept.size() && i < begun->callbacks.size(); ++i)
      kept[i]->restore(progress, begun->callbacks[i]);
    progress.stop_training |= begun->finished;
  }
  std::optional<Turn> turn;
  epoch = progress.initial_epoch;
  const auto checkpoint = [&](int64_t at_epoch, int64_t at_step, std::optional<double> monitored = {},
                              std::vector<formats::NamedArray> metrics = {}) {
    const profile::Scope scope(profile::Part::checkpoint);
    if (at_step > 0) numbers.saw(read_loss(), at_epoch, at_step);
    if (numbers.is_bad()) return;  // the one before it stays, to go on from
    RunState state = state_of_run(batches, kept, at_epoch, at_step);
    if (at_step > 0) state.tensors.insert(state.tensors.end(), metrics.begin(), metrics.end());
    state.monitored = monitored;
    state.parts = parts.number;
    state.finished = progress.stop_training && SignalWatch::caught() == 0;
    checkpoints->save(std::move(state));
  };
  for (; epoch < options.epochs && !progress.stop_training && SignalWatch::caught() == 0; ++epoch) {
    turn.emplace(turns_);
    set_class_weight(options.class_weight);
    const bool goes_on = begun && epoch == progress.initial_epoch && begun->step > 0;
    if (!goes_on) reset_metrics();                   // otherwise they are in the midst of it
    const bool placed = goes_on && begun->position;  // go_on() has put the source there
    if (!placed) {
      const profile::Scope scope(profile::Part::input);
      batches.reset(epoch);
    }
    if (!options.steps_per_epoch) progress.steps = batches.steps();  // it may have chosen how many
    if (!goes_on) timed.each([&](Callback& c) { c.on_epoch_begin(progress, epoch); });
    recorded.begin_epoch(static_cast<uint64_t>(progress.steps.value_or(0)));
    step = 0;
    // By the run that was cut off.
    const int64_t done = goes_on ? begun->step : epoch == progress.initial_epoch ? progress.initial_step : 0;
    if (placed) step = done;
    while (step < done && next_batch(batches, batch, recorded)) ++step;
    // An epoch whose beginning was told has one step at least: a run that goes on does not tell it again.
    while (step < most_steps && !progress.stop_training && (SignalWatch::caught() == 0 || step == done) &&
           next_batch(batches, batch, recorded)) {
      if (!progress.batch_choice && batches.choice(false)) {
        progress.batch_choice = *batches.choice(false);
        forget_steps();  // of the other sizes, with their memory
      }
      if (step % at_once == 0) timed.each([&](Callback& c) { c.on_train_batch_begin(progress, step); });
      while (!train(batch, options, parts, prepared, batches)) {
      }
      ++step;
      if (hand_over_.device()) batches.set_memory(hand_over_.device()->staging());
      numbers.after_step(batch, batches, epoch, step);
      if (step % at_once == 0) timed.each([&](Callback& c) { c.on_train_batch_end(progress, step - 1); });
      if (checkpoints && checkpoints->due_after_step() && step % at_once == 0)
        checkpoint(epoch, step, {}, values_of_metrics());
      recorded.end_step(static_cast<uint64_t>(batch.rows()));
      doctor.after_step(batch);
    }
    recorded.end_epoch();
    if (SignalWatch::caught() != 0) break;
    if (step % at_once != 0)
      timed.each([&](Callback& c) { c.on_train_batch_end(progress, last_step(step, at_once)); });
    if (step == 0) throw InvalidArgument(cat("[fit] epoch ", epoch + 1, " has no batches; give it data"));
    {
      const profile::Scope scope(profile::Part::metrics);
      const bool any = step > done || goes_on;
      logs = any ? by_name(read_metrics()) : Logs();
      numbers.saw(logs, epoch, step);
    }
    std::vector<formats::NamedArray> metrics;  // validation counts in the same
    if (checkpoints) metrics = values_of_metrics();
    if (validation && (epoch + 1) % options.validation_freq == 0) {
      const profile::Scope scope(profile::Part::evaluation);
      recorded.count_evaluation();
      Progress of_validation = progress;
      of_validation.stop_training = false;  // what a batch stopped is the training
      of_validation.steps = options.validation_steps ? options.validation_steps : validation->steps();
      const Logs found = run_tests(*validation, options.validation_steps, of_validation, timed);
      progress.stop_training |= of_validation.stop_training;
      if (SignalWatch::caught() != 0) {
        if (checkpoints) checkpoint(epoch, step, {}, std::move(metrics));
        break;
      }
      for (const auto& [name, value] : by_name(found, "val_")) logs.set(name, value);
    }
    hand_over_.clear();
    turn.reset();  // the numbers are read: others may count
    timed.each([&](Callback& c) { c.on_epoch_end(progress, epoch, logs); });
    if (checkpoints && checkpoints->due_after_epoch(logs)) checkpoint(epoch + 1, 0, checkpoints->monitored(logs));
  }
  const int signal = SignalWatch::caught();
  if (checkpoints) {
    // Before the first step there is nothing to keep: weights may not be there yet.
    if (const bool in_epoch = turn.has_value(); prepared && !checkpoints->is_saved(epoch, in_epoch ? step : 0))
      checkpoint(epoch, in_epoch ? step : 0, {}, in_epoch ? values_of_metrics() : std::vector<formats::NamedArray>());
    checkpoints->files().wait();
  }
  turn.reset();
  if (prepared && signal == 0) compiled_->options.optimizer.finalize_variable_values(weights_);
  if (const BatchChoice* choice = batches.choice(true)) progress.batch_choice = *choice;
  timed.each([&](Callback& c) { c.on_train_end(progress, logs); });
  numbers.at_end();
  recorded.settle();
  doctor.at_end(recorded);
  history->history.batch_choice = progress.batch_choice;
  history->history.step_memory = parts.memory;
  if (signal != 0) {
    report_signal(signal, epoch, step, checkpoints ? &checkpoints->files() : nullptr);
    history->history.stopped_by = signal;
    signals.stop();
    if (options.exit_on_signal) std::raise(signal);
  }
  return std::move(history->history);
}

// One step. False: there was no memory for it, and the batch is now a smaller one of the same rows.
bool Trainer::train(Batch& batch, const nn::FitOptions& options, Parts& parts, bool& prepared, BatchSource& batches) {
  try {
    prepare("fit", batch, true);
    if (!prepared) prepare_weights();
    prepared = true;
    choose_precision(batch);
    if (parts.number == 0) plan_first_step(batch, options, parts);
    if (parts.number > 1) run_parts(batch, parts.number);
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

}  // namespace brio::train
