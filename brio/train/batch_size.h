// The number of rows of a batch: a number, or "auto", which tries sizes on the first steps and takes the one with the
// most rows per second that fits the memory (auto_batch.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/tensor/size.h"

namespace brio::train {

class BatchSize {
 public:
  template <typename T>
  requires std::integral<T> || std::same_as<T, Size> BatchSize(T rows) : rows_(static_cast<int64_t>(rows)) {}
  BatchSize(const char* word);  // "auto"; throws InvalidArgument for others

  bool automatic() const { return !rows_; }
  int64_t rows_or(int64_t otherwise) const { return rows_.value_or(otherwise); }

 private:
  std::optional<int64_t> rows_;
};

// The result of "auto".
struct BatchChoice {
  struct Tried {
    int64_t batch_size = 0;
    double samples_a_second = 0;  // of the median step
    int64_t bytes = 0;            // added to the ledger by batches and steps of this size
  };
  int64_t batch_size = 0;
  std::vector<Tried> tried;  // in order
  std::string why_no_larger;
  std::string str() const;  // one line
};

}  // namespace brio::train
