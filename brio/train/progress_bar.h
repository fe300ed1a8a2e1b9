// The progress bar, as Keras draws it:
//
//   Epoch 3/10
//   313/313 ━━━━━━━━━━━━━━━━━━━━ 0s 25us/step - accuracy: 0.5062 - loss: 0.6976
//
// On a terminal it is redrawn at most ten times a second; elsewhere a line is printed when an epoch ends (and every
// ten seconds of a long one). verbose: 0 nothing, 1 the bar, 2 one line per epoch.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "brio/train/callback.h"

namespace brio::train {

class ProgressBar : public Callback {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ProgressBar(int verbose);  // to stdout
  ProgressBar(int verbose, std::ostream& out, bool terminal);

  std::string shown_name() const override { return {}; }
  void on_train_begin(Progress&) override { in_fit_ = true; }
  void on_train_end(Progress& progress, const Logs&) override { say_batch_size(progress); }
  void on_epoch_begin(Progress& progress, int64_t epoch) override;
  void on_train_batch_end(Progress& progress, int64_t step) override;
  void on_epoch_end(Progress& progress, int64_t epoch, Logs& logs) override;
  void on_test_begin(Progress& progress) override;
  void on_test_batch_end(Progress& progress, int64_t step) override;
  void on_test_end(Progress& progress, const Logs& logs) override;
  void on_predict_begin(Progress&) override { start(); }
  void on_predict_batch_end(Progress& progress, int64_t step) override { advance(progress, step + 1); }
  void on_predict_end(Progress& progress) override { draw(progress, {}, true); }

 private:
  void start();
  void advance(Progress& progress, int64_t done);
  void say_batch_size(const Progress& progress);  // once it is chosen
  void draw(const Progress& progress, const Logs& logs, bool last);

  int verbose_;
  std::ostream& out_;
  bool terminal_, in_fit_ = false, said_batch_size_ = false;
  int64_t done_ = 0;
  Clock::time_point start_, after_first_, drawn_;
};

// Parts of the line.
std::string shown_step_time(double seconds);  // "25us/step"
std::string shown_duration(double seconds);   // "4s", "1:05", "2:00:09"

}  // namespace brio::train
