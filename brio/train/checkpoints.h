// Checkpoints: a directory with the states of one run. The newest ones are kept, and the best one. If a checkpoint is
// damaged, the one before it is used, and a line says so.
//
//   model.fit(x, y, {.epochs = 100, .checkpoint = {.directory = "run"}, .resume = true});
//
// A separate thread writes the files, from copies whose memory is reused. A step waits for the copy, and for the
// previous write if that is not finished.
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
  std::string directory = {};  // empty: no checkpoints
  int64_t every_steps = 0;     // 0: only by time
  double every_seconds = 60;   // and at the end of an epoch that ends later than this after the last checkpoint
  int64_t keep = 2;            // the number of newest ones to keep
  std::string monitor = {};    // the best one by this number of the logs is also kept; "val_loss", "val_accuracy"
};

class Checkpoints {
 public:
  // Throws InvalidArgument if the directory holds another run and `resume` is false.
  Checkpoints(CheckpointOptions options, bool resume);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;

  const CheckpointOptions& options() const { return options_; }
  // The newest undamaged one; none if there is none. Damaged ones are named on stderr.
  std::optional<RunState> last();

  // Starts a write; the tensors of the state are copied first. A full disk does not end the run: a line on stderr
  // says so, and the earlier checkpoints stay.
  void save(RunState state);
  void wait();                 // for the write in progress
  std::string newest() const;  // the name of the last one on disk
  void remove_all();

 private:
  void write_all();
  void write_one(const RunState& state);
  void prune();
  std::vector<int64_t> numbers() const;  // of the existing ones, oldest first
  std::string name_of(int64_t number) const;

  CheckpointOptions options_;
  int64_t next_ = 0;
  std::vector<Array> staging_;                      // copies of the tensors of the state that is being written
  std::vector<std::pair<int64_t, double>> values_;  // the monitored values, by number

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<RunState> pending_;
  bool busy_ = false, ends_ = false;
  std::string newest_;
  std::thread writer_;
};

}  // namespace brio::train
