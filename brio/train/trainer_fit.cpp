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

// Reports why a run ended early.
void report_signal(int signal, int64_t epoch, int64_t step, const Checkpoints* checkpoints) {
  std::cerr << "\nbrio: [fit] stopped by " << (signal == SIGINT ? "SIGINT" : "SIGTERM") << " after step " << step
            << " of epoch " << epoch + 1 << "; ";
  if (!checkpoints) std::cerr << "checkpoints are off, so nothing was saved";
  else if (checkpoints->newest().empty())
    std::cerr << (step > 0 ? "no checkpoint could be written" : "there was nothing to save yet");
  else std::cerr << "saved as " << checkpoints->newest() << ": with resume the run goes on from there";
  std::cerr << std::endl;
}

// The user's callbacks, then the bar, then the history, which sees what they add to the logs.
nn::Callbacks callbacks_of(const nn::FitOptions& options, std::shared_ptr<HistoryCallback> history) {
  nn::Callbacks callbacks = options.callbacks;
  std::erase(callbacks, nullptr);
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  callbacks.push_back(std::move(history));
  return callbacks;
}

std::unique_ptr<CheckpointSchedule> checkpoints_of(const nn::FitOptions& options) {
  if (options.checkpoint.directory.empty()) return nullptr;
  return std::make_unique<CheckpointSchedule>(options.checkpoint, options.resume);
}

}  // namespace

// One call of fit().
class Trainer::FitRun {
 public:
  FitRun(Trainer& trainer, BatchSource& batches, BatchSource* validation, const nn::FitOptions& options);
  History run();

 private:
  void hold_batches_for_device();
  void begin();
  bool goes_on() const { return !progress_.stop_training && SignalWatch::caught() == 0; }
  bool run_epoch();
  int64_t begin_epoch(bool in_midst);
  void run_steps(int64_t done);
  void read_logs(bool any);
  bool validate();
  void checkpoint(int64_t at_epoch, int64_t at_step, std::optional<double> monitored,
                  std::vector<formats::NamedArray> metrics);
  void last_checkpoint();
  History end();

  Trainer& trainer_;
  BatchSource& batches_;
  BatchSource* const validation_;
  const nn::FitOptions& options_;
  const std::shared_ptr<HistoryCallback> history_ = std::make_shared<HistoryCallback>();
  nn::Callbacks callbacks_;
  nn::Callbacks kept_;  // callbacks with state in checkpoints: not the bar
  Progress progress_;
  const TimedCallbacks timed_;
  profile::FitScope recorded_;
  FitDoctor doctor_;
  const int64_t at_once_, most_steps_;
  SignalWatch signals_;
  const std::unique_ptr<CheckpointSchedule> checkpoints_;  // null: no checkpoints
  std::optional<RunState> begun_;                          // the run that was cut off and continues
  BadNumberWatch numbers_;
  std::optional<Turn> turn_;
  int64_t epoch_ = 0, step_ = 0;
  Logs logs_;
  Batch batch_;
  Parts parts_;
  bool prepared_ = false;
};

Trainer::FitRun::FitRun(Trainer& trainer, BatchSource& batches, BatchSource* validation,
                        const nn::FitOptions& options)
    : trainer_(trainer),
      batches_(batches),
      validation_(validation),
      options_(options),
      callbacks_(callbacks_of(options, history_)),
      progress_(
          trainer.progress_of(options.epochs, options.steps_per_epoch ? options.steps_per_epoch : batches.steps())),
      timed_(callbacks_),
      recorded_(&trainer, static_cast<uint64_t>(options.epochs)),
      doctor_(trainer, options),
      at_once_(trainer.steps_per_execution()),
      most_steps_(whole_executions(options.steps_per_epoch, at_once_)),
      checkpoints_(checkpoints_of(options)),
      begun_(checkpoints_ ? checkpoints_->files().last() : std::nullopt),
      numbers_(trainer, options, checkpoints_ ? &checkpoints_->files() : nullptr),
      parts_{.resumed = begun_ ? begun_->parts : 0} {
  kept_ = options.callbacks;
  std::erase(kept_, nullptr);
  kept_.push_back(history_);
  progress_.initial_epoch = options.initial_epoch;
  progress_.order = batches.order();
  if (begun_) {
    progress_.resumed = true;
    progress_.initial_epoch = begun_->epoch;
    if (begun_->order) progress_.order = begun_->order;
  }
  epoch_ = progress_.initial_epoch;
  progress_.read = [this, read = progress_.read] {
    Logs now = read();
    numbers_.saw(now, epoch_, step_);
    return now;
  };
  hold_batches_for_device();
  tell_device(batches_);
}

void Trainer::FitRun::hold_batches_for_device() {
  if (Device* const device = trainer_.hand_over_.device()) batches_.set_memory(device->staging());
}

History Trainer::FitRun::run() {
  begin();
  for (; epoch_ < options_.epochs && goes_on(); ++epoch_)
    if (!run_epoch()) break;
  return end();
}

void Trainer::FitRun::begin() {
  timed_.each([&](Callback& c) { c.on_train_begin(progress_); });
  if (progress_.order && batches_.order()) batches_.set_order(*progress_.order);
  if (begun_) {
    // In the middle of an epoch: callbacks see its beginning again; what that changes is undone by what follows.
    if (begun_->step > 0)
      for (const auto& callback : callbacks_) callback->on_epoch_begin(progress_, begun_->epoch);
    trainer_.go_on(*begun_, batches_);
    prepared_ = true;
    for (size_t i = 0; i < kept_.size() && i < begun_->callbacks.size(); ++i)
      kept_[i]->restore(progress_, begun_->callbacks[i]);
    progress_.stop_training |= begun_->finished;
  }
  epoch_ = progress_.initial_epoch;
}

// False: a signal ended it.
bool Trainer::FitRun::run_epoch() {
  turn_.emplace(trainer_.turns_);
  trainer_.set_class_weight(options_.class_weight);
  const bool in_midst = begun_ && epoch_ == progress_.initial_epoch && begun_->step > 0;
  const int64_t done = begin_epoch(in_midst);
  run_steps(done);
  recorded_.end_epoch();
  if (SignalWatch::caught() != 0) return false;
  if (step_ % at_once_ != 0)
    timed_.each([&](Callback& c) { c.on_train_batch_end(progress_, last_step(step_, at_once_)); });
  if (step_ == 0) throw InvalidArgument(cat("[fit] epoch ", epoch_ + 1, " has no batches; give it data"));
  read_logs(step_ > done || in_midst);
  if (!validate()) return false;
  trainer_.hand_over_.clear();
  turn_.reset();  // the numbers are read: other threads may count
  timed_.each([&](Callback& c) { c.on_epoch_end(progress_, epoch_, logs_); });
  if (checkpoints_ && checkpoints_->due_after_epoch(logs_))
    checkpoint(epoch_ + 1, 0, checkpoints_->monitored(logs_), {});
  return true;
}

// How many steps of this epoch the earlier run has done. `in_midst`: that run had begun the epoch.
int64_t Trainer::FitRun::begin_epoch(bool in_midst) {
  if (!in_midst) trainer_.reset_metrics();           // otherwise they continue in the middle of it
  const bool placed = in_midst && begun_->position;  // go_on() has set the position of the source
  if (!placed) {
    const profile::Scope scope(profile::Part::input);
    batches_.reset(epoch_);
  }
  if (!options_.steps_per_epoch) progress_.steps = batches_.steps();  // the source may have chosen the number
  if (!in_midst) timed_.each([&](Callback& c) { c.on_epoch_begin(progress_, epoch_); });
  recorded_.begin_epoch(static_cast<uint64_t>(progress_.steps.value_or(0)));
  const int64_t done = in_midst ? begun_->step : epoch_ == progress_.initial_epoch ? progress_.initial_step : 0;
  step_ = placed ? done : 0;
  while (step_ < done && next_batch(batches_, batch_, recorded_)) ++step_;
  return done;
}

void Trainer::FitRun::run_steps(int64_t done) {
  // An epoch that callbacks have been told of has at least one step: a run that continues does not tell them again.
  while (step_ < most_steps_ && !progress_.stop_training && (SignalWatch::caught() == 0 || step_ == done) &&
         next_batch(batches_, batch_, recorded_)) {
    if (!progress_.batch_choice && batches_.choice(false)) {
      progress_.batch_choice = *batches_.choice(false);
      trainer_.forget_steps();  // of the other sizes, with their memory
    }
    if (step_ % at_once_ == 0) timed_.each([&](Callback& c) { c.on_train_batch_begin(progress_, step_); });
    while (!trainer_.train(batch_, options_, parts_, prepared_, batches_)) {
    }
    ++step_;
    hold_batches_for_device();
    numbers_.after_step(batch_, batches_, epoch_, step_);
    if (step_ % at_once_ == 0) timed_.each([&](Callback& c) { c.on_train_batch_end(progress_, step_ - 1); });
    if (checkpoints_ && checkpoints_->due_after_step() && step_ % at_once_ == 0)
      checkpoint(epoch_, step_, {}, trainer_.values_of_metrics());
    recorded_.end_step(static_cast<uint64_t>(batch_.rows()));
    doctor_.after_step(batch_);
  }
}

void Trainer::FitRun::read_logs(bool any) {
  const profile::Scope scope(profile::Part::metrics);
  logs_ = any ? by_name(trainer_.read_metrics()) : Logs();
  numbers_.saw(logs_, epoch_, step_);
}

// Adds its numbers to the logs of the epoch. False: a signal ended it.
bool Trainer::FitRun::validate() {
  if (!validation_ || (epoch_ + 1) % options_.validation_freq != 0) return true;
  std::vector<formats::NamedArray> of_training;  // validation uses the same metrics
  if (checkpoints_) of_training = trainer_.values_of_metrics();
  const profile::Scope scope(profile::Part::evaluation);
  recorded_.count_evaluation();
  Progress progress = progress_;
  progress.stop_training = false;  // a batch callback stops the training, not the validation
  progress.steps = options_.validation_steps ? options_.validation_steps : validation_->steps();
  const Logs found = trainer_.run_tests(*validation_, options_.validation_steps, progress, timed_);
  progress_.stop_training |= progress.stop_training;
  if (SignalWatch::caught() != 0) {
    if (checkpoints_) checkpoint(epoch_, step_, {}, std::move(of_training));
    return false;
  }
  for (const auto& [name, value] : by_name(found, "val_")) logs_.set(name, value);
  return true;
}

void Trainer::FitRun::checkpoint(int64_t at_epoch, int64_t at_step, std::optional<double> monitored,
                                 std::vector<formats::NamedArray> metrics) {
  const profile::Scope scope(profile::Part::checkpoint);
  if (at_step > 0) numbers_.saw(trainer_.read_loss(), at_epoch, at_step);
  if (numbers_.is_bad()) return;  // the previous one stays, to continue from
  RunState state = trainer_.state_of_run(batches_, kept_, at_epoch, at_step);
  if (at_step > 0) state.tensors.insert(state.tensors.end(), metrics.begin(), metrics.end());
  state.monitored = monitored;
  state.parts = parts_.number;
  state.finished = progress_.stop_training && SignalWatch::caught() == 0;
  checkpoints_->save(std::move(state));
}

void Trainer::FitRun::last_checkpoint() {
  const bool in_epoch = turn_.has_value();
  const int64_t step = in_epoch ? step_ : 0;
  // Before the first step there is nothing to save: the weights may not exist yet.
  if (prepared_ && !checkpoints_->is_saved(epoch_, step))
    checkpoint(epoch_, step, {}, in_epoch ? trainer_.values_of_metrics() : std::vector<formats::NamedArray>());
  checkpoints_->files().wait();
}

History Trainer::FitRun::end() {
  const int signal = SignalWatch::caught();
  if (checkpoints_) last_checkpoint();
  turn_.reset();
  if (prepared_ && signal == 0) trainer_.compiled_->options.optimizer.finalize_variable_values(trainer_.weights_);
  if (const BatchChoice* choice = batches_.choice(true)) progress_.batch_choice = *choice;
  timed_.each([&](Callback& c) { c.on_train_end(progress_, logs_); });
  numbers_.at_end();
  recorded_.settle();
  doctor_.at_end(recorded_);
  History& history = history_->history;
  history.batch_choice = progress_.batch_choice;
  history.step_memory = parts_.memory;
  if (signal != 0) {
    report_signal(signal, epoch_, step_, checkpoints_ ? &checkpoints_->files() : nullptr);
    history.stopped_by = signal;
    signals_.stop();
    if (options_.exit_on_signal) std::raise(signal);
  }
  return std::move(history);
}

History Trainer::fit(BatchSource& batches, BatchSource* validation, const nn::FitOptions& options) {
  require_compiled("fit");
  check_fit(options);
  return FitRun(*this, batches, validation, options).run();
}

// One step. False: there was no memory for it, and `batch` is now a smaller batch of the same rows.
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
