// Callbacks: code that runs during fit. Derive a class, override what you need, pass it in FitOptions::callbacks.
//
//   struct Stop : train::Callback {
//     void on_epoch_end(train::Progress& progress, int64_t, train::Logs& logs) override {
//       if (logs["loss"] < 0.1) progress.stop_training = true;
//     }
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"
#include "brio/nn/optimizers/optimizer.h"
#include "brio/ops/random/random.h"
#include "brio/train/logs.h"

namespace brio::nn {
struct CompileOptions;
}

namespace brio::train {

// What callbacks see of a run, and how they control it.
struct Progress {
  // on_train_begin may set these: a run that was cut off continues there, in the order of its rows.
  int64_t initial_epoch = 0, initial_step = 0;
  std::optional<Generator::State> order = {};  // of shuffled rows; none: they are not shuffled, or not by fit
  int64_t epochs = 1;
  std::optional<int64_t> steps;  // of an epoch, if known
  std::function<Logs()> read;    // loss and metrics of this epoch so far; it reads the device: not for every step
  bool stop_training = false;    // set it to end the run after this batch
  bool resumed = false;          // the run continues from a checkpoint
  std::optional<nn::Layer> model = {};
  std::optional<nn::Optimizer> optimizer = {};   // from compile(); none for a model that only predicts
  const nn::CompileOptions* compiled = nullptr;  // the arguments of compile(); null as above
  std::optional<BatchChoice> batch_choice = {};  // the choice of batch_size = "auto", once it is made
};

// The state of a callback, for a checkpoint of the run.
struct CallbackState {
  std::map<std::string, double> numbers = {};
  std::map<std::string, std::string> texts = {};
  std::map<std::string, std::vector<Tensor>> tensors = {};

  void set(const std::string& name, std::optional<double> value) {
    if (value) numbers[name] = *value;
  }
  std::optional<double> find(const std::string& name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
  int64_t whole(const std::string& name) const { return static_cast<int64_t>(find(name).value_or(0)); }
};

class Callback {
 public:
  virtual ~Callback() = default;
  // The name of its time in reports; empty: it takes next to no time and is not listed.
  virtual std::string shown_name() const;
  // In a run that continues, callbacks are restored after on_train_begin, if Progress::resumed is set.
  virtual void save(CallbackState&) const {}
  virtual void restore(Progress&, const CallbackState&) {}
  virtual void on_train_begin(Progress&) {}
  virtual void on_train_end(Progress&, const Logs&) {}
  virtual void on_epoch_begin(Progress&, int64_t /*epoch*/) {}
  virtual void on_epoch_end(Progress&, int64_t /*epoch*/, Logs&) {}  // later callbacks see what it adds
  virtual void on_train_batch_begin(Progress&, int64_t /*step*/) {}
  virtual void on_train_batch_end(Progress&, int64_t /*step*/) {}
  // For evaluate() and the validation of fit.
  virtual void on_test_begin(Progress&) {}
  virtual void on_test_batch_begin(Progress&, int64_t /*step*/) {}
  virtual void on_test_batch_end(Progress&, int64_t /*step*/) {}
  virtual void on_test_end(Progress&, const Logs&) {}
  virtual void on_predict_begin(Progress&) {}
  virtual void on_predict_batch_begin(Progress&, int64_t /*step*/) {}
  virtual void on_predict_batch_end(Progress&, int64_t /*step*/) {}
  virtual void on_predict_end(Progress&) {}
};

// Keeps the logs of every epoch.
class HistoryCallback : public Callback {
 public:
  std::string shown_name() const override { return {}; }
  void save(CallbackState& state) const override;
  void restore(Progress& progress, const CallbackState& state) override;
  void on_epoch_end(Progress&, int64_t epoch, Logs& logs) override { history.append(epoch, logs); }
  History history;
};

}  // namespace brio::train
