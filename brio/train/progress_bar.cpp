#include "brio/train/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <utility>

#include "brio/base/error.h"

namespace brio::train {
namespace {

constexpr int64_t kWidth = 20;
constexpr std::chrono::milliseconds kRedraw(100);
constexpr std::chrono::seconds kNewLine(10);

template <typename... Args>
std::string format(const char* pattern, Args... args) {
  char text[128];
  std::snprintf(text, sizeof(text), pattern, args...);
  return text;
}

double seconds(ProgressBar::Clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::string bar_of(int64_t filled, bool colour) {
  std::string done, rest;
  for (int64_t i = 0; i < kWidth; ++i) (i < filled ? done : rest) += "━";
  if (!colour) return done + rest;
  return cat("\x1b[32m", done, "\x1b[0m\x1b[37m", rest, "\x1b[0m");
}

}  // namespace

std::string shown_step_time(double s) {
  if (s >= 1 || s == 0) return format("%.0fs/step", s);
  return s >= 1e-3 ? format("%.0fms/step", s * 1e3) : format("%.0fus/step", s * 1e6);
}

std::string shown_duration(double s) {
  const auto whole = static_cast<long>(s);
  if (s > 3600) return format("%ld:%02ld:%02ld", whole / 3600, whole % 3600 / 60, whole % 60);
  return s > 60 ? format("%ld:%02ld", whole / 60, whole % 60) : format("%lds", whole);
}

ProgressBar::ProgressBar(int verbose) : ProgressBar(verbose, std::cout, isatty(STDOUT_FILENO) == 1) {}
ProgressBar::ProgressBar(int verbose, std::ostream& out, bool terminal)
    : verbose_(verbose), out_(out), terminal_(terminal) {}

void ProgressBar::start() {
  done_ = 0;
  start_ = after_first_ = Clock::now();
  drawn_ = terminal_ ? start_ - kRedraw : start_;
}

void ProgressBar::on_epoch_begin(Progress& progress, int64_t epoch) {
  start();
  if (verbose_ > 0 && progress.epochs > 1) out_ << "Epoch " << epoch + 1 << "/" << progress.epochs << std::endl;
}

void ProgressBar::on_train_batch_end(Progress& progress, int64_t step) {
  say_batch_size(progress);
  advance(progress, step + 1);
}

void ProgressBar::say_batch_size(const Progress& progress) {
  if (!progress.batch_choice || std::exchange(said_batch_size_, true) || verbose_ <= 0) return;
  if (terminal_ && verbose_ == 1) out_ << "\r\x1b[K";  // in place of the bar, which is drawn anew below
  out_ << progress.batch_choice->str() << std::endl;
}

void ProgressBar::on_epoch_end(Progress& progress, int64_t, Logs& logs) { draw(progress, logs, true); }
void ProgressBar::on_test_begin(Progress&) {
  if (!in_fit_) start();
}
void ProgressBar::on_test_batch_end(Progress& progress, int64_t step) {
  if (!in_fit_) advance(progress, step + 1);
}
void ProgressBar::on_test_end(Progress& progress, const Logs& logs) {
  if (!in_fit_) draw(progress, logs, true);
}

void ProgressBar::advance(Progress& progress, int64_t done) {
  done_ = done;
  if (verbose_ != 1) return;
  const auto now = Clock::now();
  if (done == 1) after_first_ = now;
  if (now - drawn_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kNewLine))) return;
  drawn_ = now;
  draw(progress, progress.read(), false);
}

void ProgressBar::draw(const Progress& progress, const Logs& logs, bool last) {
  if (verbose_ <= 0 || (verbose_ == 2 && !last)) return;
  const auto now = Clock::now();
  // The first step, which makes the plan, does not count where others are known.
  const double step = done_ == 0                    ? 0
                      : done_ == 1 || verbose_ == 2 ? seconds(now - start_) / static_cast<double>(done_)
                                                    : seconds(now - after_first_) / static_cast<double>(done_ - 1);
  const bool colour = terminal_ && verbose_ == 1;
  const char *bold = colour ? "\x1b[1m" : "", *plain = colour ? "\x1b[0m" : "";
  std::string line;
  if (const int64_t total = progress.steps.value_or(last ? done_ : 0); total > 0) {
    const std::string goal = std::to_string(total);
    const std::string count =
        format("%*lld/%s", static_cast<int>(goal.size()), static_cast<long long>(done_), goal.c_str());
    line =
        verbose_ == 2 ? count : cat(bold, count, plain, " ", bar_of(kWidth * std::min(done_, total) / total, colour));
    const double time = last ? seconds(now - start_) : step * static_cast<double>(total - done_);
    const std::string when = last ? format("%.0fs", time) : shown_duration(time);
    line += verbose_ == 2 ? cat(" - ", when, " - ") : cat(" ", bold, when, plain, " ");
  } else {
    line = format("%7lld/Unknown ", static_cast<long long>(done_));
  }
  line += shown_step_time(step);
  for (const auto& [name, value] : logs) line += cat(" - ", name, ": ", shown_number(value));
  if (colour) out_ << "\r" << line << "\x1b[K";
  else out_ << line;
  if (last || !colour) out_ << "\n";
  out_.flush();
}

}  // namespace brio::train
