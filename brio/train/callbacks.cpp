#include "brio/train/callbacks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include "brio/base/error.h"
#include "brio/train/monitor.h"

namespace brio::train {
namespace {

double rate_of(const Progress& progress) { return progress.optimizer->learning_rate().item<double>(); }

class EarlyStopping : public Callback {
 public:
  explicit EarlyStopping(EarlyStoppingOptions o)
      : o_(std::move(o)), monitor_("EarlyStopping", o_.monitor, o_.mode, o_.min_delta) {}

  void on_train_begin(Progress&) override {
    wait_ = stopped_ = best_epoch_ = 0;
    best_.reset();
    best_weights_.clear();
  }

  void save(CallbackState& state) const override {
    state.set("best", best_);
    state.set("wait", static_cast<double>(wait_));
    state.set("stopped", static_cast<double>(stopped_));
    state.set("best_epoch", static_cast<double>(best_epoch_));
    if (!best_weights_.empty()) state.tensors["best_weights"] = best_weights_;
  }
  void restore(Progress&, const CallbackState& state) override {
    best_ = state.find("best");
    wait_ = state.whole("wait");
    stopped_ = state.whole("stopped");
    best_epoch_ = state.whole("best_epoch");
    if (const auto found = state.tensors.find("best_weights"); found != state.tensors.end())
      best_weights_ = found->second;
  }

  void on_epoch_end(Progress& progress, int64_t epoch, Logs& logs) override {
    const std::optional<double> current = monitor_.read(logs);
    if (!current || epoch < o_.start_from_epoch) return;
    if (o_.restore_best_weights && best_weights_.empty()) keep(progress, epoch);
    ++wait_;
    if (monitor_.improves(*current, best_)) {
      best_ = current;
      best_epoch_ = epoch;
      if (o_.restore_best_weights) keep(progress, epoch);
      if (!o_.baseline || monitor_.improves(*current, o_.baseline)) wait_ = 0;
      return;
    }
    if (wait_ >= o_.patience && epoch > 0) {
      stopped_ = epoch;
      progress.stop_training = true;
    }
  }

  void on_train_end(Progress& progress, const Logs&) override {
    if (stopped_ > 0 && o_.verbose) std::cout << "Epoch " << stopped_ + 1 << ": early stopping\n";
    if (best_weights_.empty()) return;
    if (o_.verbose)
      std::cout << "Restoring model weights from the end of the best epoch: " << best_epoch_ + 1 << ".\n";
    progress.model->set_weights(best_weights_);
    best_weights_.clear();
  }

 private:
  void keep(const Progress& progress, int64_t epoch) {
    best_weights_ = progress.model->get_weights();
    best_epoch_ = epoch;
  }

  EarlyStoppingOptions o_;
  Monitor monitor_;
  int64_t wait_ = 0, stopped_ = 0, best_epoch_ = 0;
  std::optional<double> best_;
  std::vector<Tensor> best_weights_;
};

class ReduceLROnPlateau : public Callback {
 public:
  explicit ReduceLROnPlateau(ReduceLROnPlateauOptions o)
      : o_(std::move(o)), monitor_("ReduceLROnPlateau", o_.monitor, o_.mode, o_.min_delta) {
    if (!(o_.factor >= 0 && o_.factor < 1))
      throw InvalidArgument(cat("[ReduceLROnPlateau] the factor is ", o_.factor, "; it lies in [0, 1)"));
  }

  void on_train_begin(Progress&) override {
    best_.reset();
    cooldown_ = wait_ = 0;
  }
  void save(CallbackState& state) const override {
    state.set("best", best_);
    state.set("cooldown", static_cast<double>(cooldown_));
    state.set("wait", static_cast<double>(wait_));
  }
  void restore(Progress&, const CallbackState& state) override {
    best_ = state.find("best");
    cooldown_ = state.whole("cooldown");
    wait_ = state.whole("wait");
  }

  void on_epoch_end(Progress& progress, int64_t epoch, Logs& logs) override {
    logs.set("learning_rate", rate_of(progress));
    const std::optional<double> current = monitor_.read(logs);
    if (!current) return;
    if (cooldown_ > 0) {
      --cooldown_;
      wait_ = 0;
    }
    if (monitor_.improves(*current, best_)) {
      best_ = current;
      wait_ = 0;
    } else if (cooldown_ == 0 && ++wait_ >= o_.patience) {
      reduce(progress, epoch);
    }
  }

 private:
  void reduce(const Progress& progress, int64_t epoch) {
    const double rate = rate_of(progress);
    if (!(rate > static_cast<double>(static_cast<float>(o_.min_lr)))) return;
    const double lower = std::max(rate * o_.factor, o_.min_lr);
    progress.optimizer->set_learning_rate(lower);
    if (o_.verbose)
      std::cout << "\nEpoch " << epoch + 1 << ": ReduceLROnPlateau reducing learning rate to " << lower << ".\n";
    cooldown_ = o_.cooldown;
    wait_ = 0;
  }

  ReduceLROnPlateauOptions o_;
  Monitor monitor_;
  std::optional<double> best_;
  int64_t cooldown_ = 0, wait_ = 0;
};

class LearningRateScheduler : public Callback {
 public:
  LearningRateScheduler(std::function<double(int64_t, double)> schedule, bool verbose)
      : schedule_(std::move(schedule)), verbose_(verbose) {
    if (!schedule_) throw InvalidArgument("[LearningRateScheduler] the schedule is none; give it a function");
  }
  void on_epoch_begin(Progress& progress, int64_t epoch) override {
    const double rate = schedule_(epoch, rate_of(progress));
    progress.optimizer->set_learning_rate(rate);
    if (verbose_)
      std::cout << "\nEpoch " << epoch + 1 << ": LearningRateScheduler setting learning rate to " << rate << ".\n";
  }
  void on_epoch_end(Progress& progress, int64_t, Logs& logs) override {
    logs.set("learning_rate", rate_of(progress));
  }

 private:
  std::function<double(int64_t, double)> schedule_;
  bool verbose_;
};

class CSVLogger : public Callback {
 public:
  CSVLogger(std::string path, CSVLoggerOptions o) : path_(std::move(path)), o_(o) {}

  // What a run that was cut off wrote behind its last checkpoint is written again.
  void save(CallbackState& state) const override {
    std::string& names = state.texts["keys"];
    for (const std::string& key : keys_) names += key + "\n";
    state.set("wants_header", wants_header_ ? 1 : 0);
    std::error_code error;
    const uintmax_t bytes = std::filesystem::file_size(path_, error);
    if (!error) state.set("bytes", static_cast<double>(bytes));
  }
  void restore(Progress&, const CallbackState& state) override {
    const std::string names = state.texts.contains("keys") ? state.texts.at("keys") : std::string();
    for (size_t begin = 0, end = 0; (end = names.find('\n', begin)) != std::string::npos; begin = end + 1)
      keys_.push_back(names.substr(begin, end - begin));
    wants_header_ = state.whole("wants_header") != 0;
    std::error_code error;
    if (const auto bytes = static_cast<uintmax_t>(state.whole("bytes"));
        std::filesystem::file_size(path_, error) > bytes && !error)
      std::filesystem::resize_file(path_, bytes, error);
    file_.open(path_, std::ios::app);
    check();
  }

  void on_train_begin(Progress& progress) override {
    keys_.clear();
    file_.close();
    file_.clear();
    if (progress.resumed) return;
    bool has_header = false;
    if (o_.append) {
      std::ifstream before(path_);
      has_header = before.peek() != std::ifstream::traits_type::eof() && before.good();
    }
    wants_header_ = !has_header;
    file_.open(path_, o_.append ? std::ios::app : std::ios::trunc);
    check();
  }

  void on_epoch_end(Progress&, int64_t epoch, Logs& logs) override {
    if (keys_.empty()) choose_keys(logs);
    if (std::exchange(wants_header_, false)) {
      file_ << "epoch";
      for (const std::string& key : keys_) file_ << o_.separator << key;
      file_ << "\r\n";
    }
    file_ << epoch;
    for (const std::string& key : keys_) {
      file_ << o_.separator;
      if (!logs.has(key)) {
        file_ << "NA";
        continue;
      }
      char text[32];  // as few digits as tell the number
      file_.write(text, std::to_chars(std::begin(text), std::end(text), logs[key]).ptr - text);
    }
    file_ << "\r\n" << std::flush;
    check();
  }

  void on_train_end(Progress&, const Logs&) override { file_.close(); }

 private:
  // The first epoch may be one without validation.
  void choose_keys(const Logs& logs) {
    for (const auto& [name, value] : logs) keys_.push_back(name);
    std::ranges::sort(keys_);
    const bool validated = std::ranges::any_of(keys_, [](const std::string& key) { return key.starts_with("val_"); });
    for (size_t i = 0, n = keys_.size(); !validated && i < n; ++i) keys_.push_back("val_" + keys_[i]);
  }
  void check() const {
    if (!file_) throw InvalidArgument(cat("[CSVLogger] cannot write to '", path_, "'; does its folder exist?"));
  }

  std::string path_;
  CSVLoggerOptions o_;
  std::ofstream file_;
  std::vector<std::string> keys_;
  bool wants_header_ = true;
};

class TerminateOnNaN : public Callback {
 public:
  void on_train_batch_end(Progress& progress, int64_t step) override {
    const Logs logs = progress.read();
    if (!logs.has("loss") || std::isfinite(logs["loss"])) return;
    std::cout << "Batch " << step << ": Invalid loss, terminating training\n";
    progress.stop_training = true;
  }
};

}  // namespace

CallbackPtr early_stopping(EarlyStoppingOptions o) { return std::make_shared<EarlyStopping>(std::move(o)); }
CallbackPtr reduce_lr_on_plateau(ReduceLROnPlateauOptions o) {
  return std::make_shared<ReduceLROnPlateau>(std::move(o));
}
CallbackPtr learning_rate_scheduler(std::function<double(int64_t, double)> schedule, bool verbose) {
  return std::make_shared<LearningRateScheduler>(std::move(schedule), verbose);
}
CallbackPtr csv_logger(std::string path, CSVLoggerOptions o) {
  return std::make_shared<CSVLogger>(std::move(path), o);
}
CallbackPtr terminate_on_nan() { return std::make_shared<TerminateOnNaN>(); }

}  // namespace brio::train
