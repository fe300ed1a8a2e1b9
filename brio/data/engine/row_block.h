// Rows that are stored one after another in an element, along its first axis, for a stage that works on several at
// once. If they are not alike, they are split again: each row is then the result of its ticket.
#pragma once

#include <span>

#include "brio/data/engine/stage.h"

namespace brio::data {

Aval row_of(const Aval& block);  // without the first axis

// The rows of a block, as the results of their tickets.
void split_rows(const Element& block, std::span<Ticket> tickets);

// For one thread: makes the elements of tickets in one block, as GatherStage does. True: block() has them. False:
// each is the result of its ticket.
class RowBlock {
 public:
  bool gather(Stage& stage, std::span<Ticket> tickets, Worker& worker);
  Element& block() { return block_; }

 private:
  bool expects(const Element& row) const;
  void begin(size_t rows);

  std::vector<Aval> row_;  // the expected row: as the last one
  Element block_, made_;
};

}  // namespace brio::data
