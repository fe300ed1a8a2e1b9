// Reads the rows of an input's elements one after the other, for unbatch and rebatch. Its state is the state of the
// input before the current element, and the number of the next row.
#pragma once

#include "brio/data/engine/parts.h"
#include "brio/data/engine/stage.h"

namespace brio::data {

class RowReader {
 public:
  RowReader(Stage& input, const char* name) : input_(input), name_(name) {}

  // Serial. Goes to the next element with rows if the last one has none left; false: there is none. Throws if the
  // element could not be made; the next call continues behind it.
  bool fill();
  int64_t left() const { return held_.empty() ? 0 : rows_ - at_; }
  const Parts& held() const { return held_; }
  int64_t at() const { return at_; }
  void pass(int64_t rows);  // at most the rows that are left

  void reset(uint64_t epoch);
  void save(StateWriter& state) const;
  void restore(StateReader& state);

 private:
  Stage& input_;
  const char* name_;
  Ticket ticket_;
  Parts held_;  // none: the next row is the first of the next element
  int64_t rows_ = 0, at_ = 0;
  std::string start_;
};

}  // namespace brio::data
