// Callbacks that come with Brio, with Keras' rules and defaults.
//
//   model.fit(x, y, {.epochs = 100, .validation_split = 0.1, .callbacks = {
//     train::early_stopping({.patience = 5, .restore_best_weights = true}),
//     train::reduce_lr_on_plateau({.patience = 3}),
//     train::csv_logger("run.csv"),
//     train::tensorboard("logs")}});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "brio/train/callback.h"

namespace brio::train {

using CallbackPtr = std::shared_ptr<Callback>;

// In which direction a monitored number gets better. By default: down for a loss or an error, up for an accuracy.
enum class Better : uint8_t { by_name, down, up };

// Whether the number with this name ("val_loss", "accuracy") gets better by going up; none if the name does not say.
std::optional<bool> goes_up(const std::string& name);

struct EarlyStoppingOptions {
  std::string monitor = "val_loss";
  double min_delta = 0;  // a smaller change is not an improvement
  int64_t patience = 0;  // epochs without improvement
  bool verbose = false;
  Better mode = Better::by_name;
  std::optional<double> baseline = {};  // patience also runs out while this value is not reached
  bool restore_best_weights = false;
  int64_t start_from_epoch = 0;
};
CallbackPtr early_stopping(EarlyStoppingOptions options = {});

struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";
  double factor = 0.1;
  int64_t patience = 10;
  bool verbose = false;
  Better mode = Better::by_name;
  double min_delta = 1e-4;
  int64_t cooldown = 0;  // epochs to wait after a reduction
  double min_lr = 0;
};
CallbackPtr reduce_lr_on_plateau(ReduceLROnPlateauOptions options = {});

struct ModelCheckpointOptions {
  std::string monitor = "val_loss";
  bool verbose = false;
  bool save_best_only = false;
  bool save_weights_only = false;
  Better mode = Better::by_name;
  int64_t every_batches = 0;  // 0: at the end of each epoch
  std::optional<double> initial_value_threshold = {};
};
// Writes the model (NAME.keras), or its weights (NAME.weights.h5, NAME.safetensors). The name may contain {epoch},
// {batch} and the names of logs, with a format: "run/{epoch:02d}-{val_loss:.2f}.keras".
CallbackPtr model_checkpoint(std::string path, ModelCheckpointOptions options = {});

// Sets the learning rate of an epoch from its number and the previous rate.
CallbackPtr learning_rate_scheduler(std::function<double(int64_t epoch, double rate)> schedule, bool verbose = false);

struct CSVLoggerOptions {
  char separator = ',';
  bool append = false;  // to an existing file
};
// One line per epoch, written at its end.
CallbackPtr csv_logger(std::string path, CSVLoggerOptions options = {});

struct TensorBoardOptions {
  int64_t histogram_freq = 0;  // epochs between histograms of the weights; 0: none
  int64_t update_every = 0;  // batches between numbers of batches, which are read for this; 0: only numbers of epochs
  bool write_graph = true;   // the layers and their connections
  bool write_steps_per_second = false;
};
// Files for TensorBoard (tensorboard --logdir DIRECTORY): numbers of training in DIRECTORY/train, of validation in
// DIRECTORY/validation.
CallbackPtr tensorboard(std::string directory, TensorBoardOptions options = {});

// Ends training when the loss is not finite; reads the loss after every batch. FitOptions::on_bad_number also finds
// the cause.
CallbackPtr terminate_on_nan();

// Set the functions for the events that you need.
struct LambdaCallback : Callback {
  std::function<void(Progress&)> train_begin, test_begin;
  std::function<void(Progress&, const Logs&)> train_end, test_end;
  std::function<void(Progress&, int64_t)> epoch_begin, train_batch_begin, train_batch_end;
  std::function<void(Progress&, int64_t, Logs&)> epoch_end;

  void on_train_begin(Progress& p) override { call(train_begin, p); }
  void on_train_end(Progress& p, const Logs& logs) override { call(train_end, p, logs); }
  void on_epoch_begin(Progress& p, int64_t epoch) override { call(epoch_begin, p, epoch); }
  void on_epoch_end(Progress& p, int64_t epoch, Logs& logs) override { call(epoch_end, p, epoch, logs); }
  void on_train_batch_begin(Progress& p, int64_t step) override { call(train_batch_begin, p, step); }
  void on_train_batch_end(Progress& p, int64_t step) override { call(train_batch_end, p, step); }
  void on_test_begin(Progress& p) override { call(test_begin, p); }
  void on_test_end(Progress& p, const Logs& logs) override { call(test_end, p, logs); }

 private:
  template <typename F, typename... Args>
  static void call(const F& function, Args&... args) {
    if (function) function(args...);
  }
};

}  // namespace brio::train
