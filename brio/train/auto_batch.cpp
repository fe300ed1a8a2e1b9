#include "brio/train/auto_batch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "brio/base/error.h"
#include "brio/base/memory_limit.h"
#include "brio/tensor/memory.h"

namespace brio::train {
namespace {

// A size is measured over this many steps: more where they are short, as those are disturbed by less.
constexpr size_t kLeastSteps = 5, kMostSteps = 16;
constexpr double kEnoughSeconds = 5e-3;
constexpr double kSame = 0.02;  // rates that differ by less are alike: the smaller batch is taken
constexpr int64_t kLeastStepsAnEpoch = 8;

// What depends on the batch; parameters and the optimizer's state do not.
int64_t working_bytes() {
  int64_t bytes = 0;
  for (const LedgerRow& row : memory_ledger())
    if (row.owner == Owner::activations || row.owner == Owner::input || row.owner == Owner::other) bytes += row.bytes;
  return bytes;
}

BatchSearchOptions bounded(BatchSearchOptions options, int64_t rows) {
  options.first = std::min(options.first, rows);
  options.most = std::min(options.most, std::max(options.first, rows / kLeastStepsAnEpoch));
  return options;
}

std::string shown_rate(double samples_a_second) {
  char text[32];
  std::snprintf(text, sizeof text, samples_a_second < 100 ? "%.3g" : "%.0f", samples_a_second);
  return text;
}

}  // namespace

BatchSize::BatchSize(const char* word) {
  if (std::string_view(word) != "auto")
    throw InvalidArgument(cat("[fit] batch_size is '", word, "'; give a number of rows, or 'auto'"));
}

std::string BatchChoice::str() const {
  std::string text = cat("batch_size auto: ", batch_size, " taken");
  for (const Tried& each : tried)
    text += cat(each.batch_size == tried[0].batch_size ? "; samples/s " : ", ", each.batch_size, ": ",
                shown_rate(each.samples_a_second));
  return text + cat("; no larger: ", why_no_larger);
}

BatchSearch::BatchSearch(BatchSearchOptions options) : options_(options), size_(options.first) {}

void BatchSearch::note(double seconds, int64_t bytes) {
  if (steps_++ == 0) {
    bytes_ = bytes;
    return;
  }
  seconds_.push_back(seconds);
  double sum = 0;
  for (const double each : seconds_) sum += each;
  if (seconds_.size() >= kLeastSteps && (sum >= kEnoughSeconds || seconds_.size() >= kMostSteps)) finish_size();
}

void BatchSearch::finish_size() {
  std::ranges::sort(seconds_);
  const double rate = static_cast<double>(size_) / std::max(seconds_[seconds_.size() / 2], 1e-9);
  choice_.tried.push_back({size_, rate, bytes_});
  no_gain_ = rate > best_ * (1 + kSame) ? 0 : no_gain_ + 1;
  best_ = std::max(best_, rate);
  const int64_t next = size_ * 2;
  if (no_gain_ == 2) {
    settle("two in a row gained nothing");
  } else if (next > options_.most) {
    settle(cat(next, " is more than the data allow"));
  } else if (const int64_t free = options_.memory_budget > 0 ? options_.memory_budget : available_memory() / 2;
             bytes_ > free / 2) {
    settle(cat(next, " would take about ", bytes_ / 500'000, " MB, and there are ", free / 1'000'000));
  } else {
    size_ = next;
    steps_ = 0;
    seconds_.clear();
  }
}

bool BatchSearch::out_of_memory() {
  if (done_) return false;
  if (!choice_.tried.empty()) {
    settle(cat(size_, " found no memory"));
    return true;
  }
  if (size_ == 1) return false;
  options_.most = size_ /= 2;
  steps_ = 0;
  seconds_.clear();
  return true;
}

const BatchChoice& BatchSearch::settle(std::string why_no_larger) {
  if (std::exchange(done_, true)) return choice_;
  const auto good = std::ranges::find_if(
      choice_.tried, [&](const BatchChoice::Tried& each) { return each.samples_a_second * (1 + kSame) >= best_; });
  if (good != choice_.tried.end()) size_ = good->batch_size;
  choice_.batch_size = size_;
  choice_.why_no_larger = std::move(why_no_larger);
  return choice_;
}

AutoBatchSource::AutoBatchSource(ArraySource& rows, BatchSearchOptions options)
    : rows_(rows), search_(bounded(options, rows.rows())) {
  rows_.set_batch_size(search_.size());
}

void AutoBatchSource::reset(int64_t epoch) {
  began_.reset();
  rows_.reset(epoch);
}

// False: there was no memory for the batch itself, and a smaller one is to be tried. At the end of the epoch it is
// empty.
bool AutoBatchSource::fits(Batch& batch) {
  try {
    if (!rows_.next(batch)) batch = {};
    return true;
  } catch (const ResourceError&) {
    batch = {};
    if (!search_.out_of_memory()) throw;
    return false;
  }
}

bool AutoBatchSource::next(Batch& batch) {
  if (search_.done() && !began_) return rows_.next(batch);
  const auto now = std::chrono::steady_clock::now();
  if (began_) {
    const std::chrono::duration<double> took = now - *std::exchange(began_, std::nullopt);
    search_.note(took.count(), search_.begins_size() ? working_bytes() - bytes_before_ : 0);
    rows_.set_batch_size(search_.size());
  }
  if (search_.begins_size()) bytes_before_ = working_bytes();
  while (!fits(batch)) rows_.set_batch_size(search_.size());
  if (batch.x.empty()) return false;
  if (!search_.done() && batch.rows() == search_.size()) began_ = now;
  return true;
}

std::optional<int64_t> AutoBatchSource::steps() const { return search_.done() ? rows_.steps() : std::nullopt; }

bool AutoBatchSource::take_back(Batch& batch) {
  const int64_t rows = batch.rows();
  if (!search_.out_of_memory()) return false;
  batch = {};
  began_.reset();
  rows_.go_back(rows);
  rows_.set_batch_size(search_.size());
  return true;
}

const BatchChoice* AutoBatchSource::choice(bool at_the_end) {
  if (at_the_end) return &search_.settle();
  return search_.done() ? &search_.choice() : nullptr;
}

}  // namespace brio::train
