// Rows that lie one after another in an element, along its first axis, for a stage that works on several at once; and
// the way back, where they turn out not to be alike: each row as the result of its ticket.
#pragma once

#include <span>

#include "brio/data/engine/stage.h"

namespace brio::data {

Aval row_of(const Aval& block);  // without the first axis

// The rows of a block, as the results of their tickets.
void split_rows(const Element& block, std::span<Ticket> tickets);

// Of one thread: makes the elements of tickets where they will lie, as GatherStage does. True: block() has them.
// False: each is the result of its ticket.
class RowBlock {
 public:
  bool gather(Stage& stage, std::span<Ticket> tickets, Worker& worker);
  Element& block() { return block_; }

 private:
  bool expects(const Element& row) const;
  void begin(size_t rows);

  std::vector<Aval> row_;  // what a row is expected to be: as the last one
  Element block_, made_;
};

}  // namespace brio::data
