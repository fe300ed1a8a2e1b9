#include "brio/data/engine/row_reader.h"

#include "brio/base/error.h"
#include "brio/ir/graph.h"

namespace brio::data {

bool RowReader::fill() {
  while (held_.empty()) {
    StateWriter before;
    input_.save(before);
    ticket_.count = 0;
    if (!input_.claim(ticket_)) return false;
    if (ticket_.error) std::rethrow_exception(ticket_.error);
    Parts parts = parts_of(ticket_.element);
    for (const Array& part : parts) {
      if (part.aval.shape.rank() == 0)
        throw InvalidArgument(
            cat("[", name_, "] an element has a scalar ", format_aval(part.aval), "; all its parts must have rows"));
      if (part.aval.shape[0] != parts[0].aval.shape[0])
        throw InvalidArgument(cat("[", name_, "] the parts of an element have different numbers of rows: ",
                                  format_aval(parts[0].aval), " and ", format_aval(part.aval)));
    }
    if (parts.empty() || parts[0].aval.shape[0] == 0) continue;
    rows_ = parts[0].aval.shape[0];
    at_ = 0;
    held_ = std::move(parts);
    start_ = before.bytes();
  }
  return true;
}

void RowReader::pass(int64_t rows) {
  at_ += rows;
  if (at_ >= rows_) held_.clear();
}

void RowReader::reset(uint64_t epoch) {
  held_.clear();
  input_.reset(epoch);
}

void RowReader::save(StateWriter& state) const {
  state.number(!held_.empty());
  if (held_.empty()) return input_.save(state);
  state.text(start_);
  state.number(static_cast<uint64_t>(at_));
}

void RowReader::restore(StateReader& state) {
  held_.clear();
  if (state.count(1) == 0) return input_.restore(state);
  StateReader start(state.text());
  input_.restore(start);
  if (!start.done()) StateReader::refuse("a stage left a part of it unread");
  if (!fill()) StateReader::refuse("it lies behind the last element");
  at_ = state.count(rows_ - 1);
}

}  // namespace brio::data
