// CheckpointSchedule: decides when fit writes a checkpoint.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "brio/train/checkpoints.h"

namespace brio::train {

class CheckpointSchedule {
 public:
  CheckpointSchedule(CheckpointOptions options, bool resume) : files_(std::move(options), resume) {}

  Checkpoints& files() { return files_; }

  bool due_after_step() {
    ++steps_;
    const CheckpointOptions& o = files_.options();
    return (o.every_steps > 0 && steps_ % o.every_steps == 0) || is_time();
  }
  // If a number is monitored, the epoch may be the best one.
  bool due_after_epoch(const Logs& logs) const { return is_time() || monitored(logs); }
  std::optional<double> monitored(const Logs& logs) const {
    const std::string& name = files_.options().monitor;
    return logs.has(name) ? std::optional(logs[name]) : std::nullopt;
  }

  void save(RunState state) {
    saved_ = {state.epoch, state.step};
    state.steps_done = steps_;
    files_.save(std::move(state));
    last_ = Clock::now();
  }
  bool is_saved(int64_t epoch, int64_t step) const { return saved_ == std::pair(epoch, step); }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_time() const {
    return Clock::now() - last_ >= std::chrono::duration<double>(files_.options().every_seconds);
  }

  Checkpoints files_;
  int64_t steps_ = 0;
  Clock::time_point last_ = Clock::now();
  std::pair<int64_t, int64_t> saved_{-1, -1};
};

}  // namespace brio::train
