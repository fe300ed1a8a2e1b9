// Shared by all stages that make one element from several: batch, padded_batch, ragged_batch, window. The inner
// tickets of a ticket are its rows. Several threads make the rows at once, directly in the element, with the shapes
// and types of the previous element. Rows that differ (other shapes, strings, the first row of all) are kept aside
// and gathered at the end. If the stage below makes several rows at once, they are copied into the element, or are
// the element if they are all of it.
#pragma once

#include <mutex>

#include "brio/data/engine/stage.h"

namespace brio::data {

Aval stacked(const std::string& name, const Aval& row, size_t n);  // n rows along a new first axis

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
  // For rows that were not written in place: ticket.inner[...].result. Stacks them if they are alike.
  virtual void gather(Ticket& ticket, Element& out);
  // Throws InvalidArgument unless all rows have the same number of parts; returns the number.
  size_t check_sizes(const Ticket& ticket) const;
  // Stacks one part of all rows, which are alike there, into a part of `to`.
  void stack(const Ticket& ticket, size_t part, const Element& placed, Element& whole, size_t to) const;
  std::string part_name(size_t part) const;  // "" or "'image' "
  const Structure& row_structure() const { return structure_; }

 private:
  static int64_t rows_a_part(const Ticket& ticket);
  static bool is_made_at_once(const Ticket& ticket) {  // the whole element
    return ticket.count > 1 && ticket.rows_at_once >= static_cast<int64_t>(ticket.count);
  }
  void make_rows(Ticket& ticket, size_t begin, size_t end, Element& out, Worker& worker);
  void make_block(Ticket& ticket, size_t begin, size_t end, Element& out, Worker& worker);
  [[noreturn]] void refuse(size_t row, size_t k, const Aval& aval, const Aval& first) const;

  Structure structure_;  // of a row
  std::mutex mutex_;
  std::shared_ptr<const RowLayout> rows_;  // as in the last element
};

}  // namespace brio::data
