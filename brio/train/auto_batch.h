// batch_size = "auto": the first steps of a run try sizes. They are normal steps: the rows of an epoch come in their
// order, each once, only cut differently, until a size is chosen.
#pragma once

#include <chrono>
#include <optional>

#include "brio/train/batch_size.h"
#include "brio/train/batch_source.h"

namespace brio::train {

struct BatchSearchOptions {
  int64_t first = 32;  // doubled as long as that helps
  int64_t most = INT64_MAX;
  int64_t memory_budget = 0;  // bytes of one batch and its step; 0: half of what is free
};

// Chooses the next size from the times of the steps.
class BatchSearch {
 public:
  explicit BatchSearch(BatchSearchOptions options);

  int64_t size() const { return size_; }  // of the next batch: the chosen size once it is done
  bool done() const { return done_; }
  bool begins_size() const { return steps_ == 0; }
  // A step on a whole batch of size() has ended. The first step of each size makes the plan and does not count;
  // `bytes` is what it added to the ledger.
  void note(double seconds, int64_t bytes);
  // A step of size() ran out of memory. False: there is no smaller size left.
  bool out_of_memory();
  // Chooses from the sizes that were tried; all later steps have that size.
  const BatchChoice& settle(std::string why_no_larger = "training ended");
  const BatchChoice& choice() const { return choice_; }

 private:
  void finish_size();

  BatchSearchOptions options_;
  int64_t size_;
  int64_t steps_ = 0, bytes_ = 0;  // of this size
  std::vector<double> seconds_;
  double best_ = 0;
  int no_gain_ = 0;  // consecutive sizes without a gain
  bool done_ = false;
  BatchChoice choice_;
};

// Rows of tensors, in batches of the size that the search wants. It times the steps itself: from one request for a
// batch to the next.
class AutoBatchSource : public BatchSource {
 public:
  // An epoch has at least 8 steps: larger batches would save time by training less.
  explicit AutoBatchSource(ArraySource& rows, BatchSearchOptions options = {});

  void reset(int64_t epoch) override;
  bool next(Batch& batch) override;
  std::optional<int64_t> steps() const override;
  void set_memory(Memory& memory) override { rows_.set_memory(memory); }
  bool take_back(Batch& batch) override;
  const BatchChoice* choice(bool at_the_end) override;

 private:
  bool fits(Batch& batch);

  ArraySource& rows_;
  BatchSearch search_;
  std::optional<std::chrono::steady_clock::time_point> began_;  // the step that is being timed
  int64_t bytes_before_ = 0;                                    // on the ledger before the first batch of a size
};

}  // namespace brio::train
