// What all stages share that make one element of several: batch, padded_batch, ragged_batch, window. A ticket's inner
// tickets are its rows. They are made where they will lie, by several threads at once; what they look like is
// expected to be as in the element before. Rows that are not so (other shapes, strings, the first of all) are kept
// aside and gathered at the end. Where the stage below makes several rows at once, they are copied to where they will
// lie, or, all of them, are the element.
#pragma once

#include <mutex>

#include "brio/data/engine/stage.h"

namespace brio::data {

Aval stacked(const std::string& name, const Aval& row, size_t n);  // n of them along a new first axis

class GatherStage : public Stage {
 public:
  GatherStage(Pipeline& pipeline, std::string name, std::vector<std::unique_ptr<Stage>> inputs, Structure structure)
      : Stage(pipeline, std::move(name), std::move(inputs)), structure_(std::move(structure)) {}

  int64_t parts(const Ticket& ticket) const override;
  void start(Ticket& ticket, Element& out, Worker&) override;
  void compute_part(Ticket& ticket, int64_t part, Element& out, Worker& worker) override;
  void finish(Ticket& ticket, Element& out, Worker&) override;
  void compute(Ticket& ticket, Element& out, Worker& worker) override;

 protected:
  // Of rows that were not written where they will lie: ticket.inner[...].result. Stacks them, where they are alike.
  virtual void gather(Ticket& ticket, Element& out);
  // Throws InvalidArgument unless all rows have as many parts; returns the number.
  size_t check_sizes(const Ticket& ticket) const;
  // One part of all rows, which are alike there, in a part of `to`.
  void stack(const Ticket& ticket, size_t part, const Element& placed, Element& whole, size_t to) const;
  std::string part_name(size_t part) const;  // "" or "'image' "
  const Structure& row_structure() const { return structure_; }

 private:
  static int64_t rows_a_part(const Ticket& ticket);
  static bool is_made_at_once(const Ticket& ticket) {  // all of it
    return ticket.count > 1 && ticket.rows_at_once >= static_cast<int64_t>(ticket.count);
  }
  void make_rows(Ticket& ticket, size_t begin, size_t end, Element& out, Worker& worker);
  void make_block(Ticket& ticket, size_t begin, size_t end, Element& out, Worker& worker);
  [[noreturn]] void refuse(size_t row, size_t k, const Aval& aval, const Aval& first) const;

  Structure structure_;  // of a row
  std::mutex mutex_;
  std::shared_ptr<const RowLayout> rows_;  // as in the last element that was gathered
};

}  // namespace brio::data
