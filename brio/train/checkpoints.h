// Checkpoints: a directory with the states of one run. The last few are kept, and the best; a damaged one is passed
// over for the one before it, with a line that says so.
//
//   model.fit(x, y, {.epochs = 100, .checkpoint = {.directory = "run"}, .resume = true});
//
// Files are written by a thread of their own, from copies that are made once and used again: a step waits for the
// copy, and for the write before it where that is not done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "brio/train/run_state.h"

namespace brio::train {

struct CheckpointOptions {
  std::string directory = {};  // none: no checkpoints
  int64_t every_steps = 0;     // 0: by time alone
  double every_seconds = 60;   // and at the end of each epoch that ends later than this after the last one
  int64_t keep = 2;            // the newest ones
  std::string monitor = {};    // the best by this number of the logs is kept besides; "val_loss", "val_accuracy"
};

class Checkpoints {
 public:
  // Throws InvalidArgument where the directory holds another run and `resume` is false.
  Checkpoints(CheckpointOptions options, bool resume);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;

  const CheckpointOptions& options() const { return options_; }
  // The newest one that is whole; none where there is none. Those that are damaged are named on stderr.
  std::optional<RunState> last();

  // Begins to write; the tensors of the state are copied first. A disk that is full is no reason to stop: a line on
  // stderr says so, and the checkpoints before stay.
  void save(RunState state);
  void wait();                 // for what is being written
  std::string newest() const;  // the name of the last one that is on the disk
  void remove_all();

 private:
  void write_all();
  void write_one(const RunState& state);
  void prune();
  std::vector<int64_t> numbers() const;  // of those that are there, oldest first
  std::string name_of(int64_t number) const;

  CheckpointOptions options_;
  int64_t next_ = 0;
  std::vector<Array> staging_;                      // copies of the tensors of the state that is being written
  std::vector<std::pair<int64_t, double>> values_;  // what was monitored, by number

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RunState> pending_;
  bool busy_ = false, ends_ = false;
  std::string newest_;
  std::thread writer_;
};

}  // namespace brio::train
