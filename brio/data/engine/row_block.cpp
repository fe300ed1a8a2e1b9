#include "brio/data/engine/row_block.h"

#include <algorithm>

#include "brio/data/engine/gather.h"

namespace brio::data {
namespace {

void keep(Element& made, Ticket& ticket) {
  ticket.result.resize(made.size());
  for (size_t k = 0; k < made.size(); ++k) ticket.result.share(k, made.array(k));
  ticket.has_result = true;
}

}  // namespace

Aval row_of(const Aval& block) {
  Aval row{{}, block.dtype};
  for (int axis = 1; axis < block.shape.rank(); ++axis) row.shape.push_back(block.shape[axis]);
  return row;
}

void split_rows(const Element& block, std::span<Ticket> tickets) {
  for (size_t i = 0; i < tickets.size(); ++i) {
    tickets[i].result.resize(block.size());
    for (size_t k = 0; k < block.size(); ++k) {
      const Aval row = row_of(block.aval(k));
      tickets[i].result.copy(k, row, block.as<char>(k) + i * row.bytes());
    }
    tickets[i].has_result = true;
  }
}

bool RowBlock::expects(const Element& row) const {
  if (row_.empty() || row.size() != row_.size()) return false;
  for (size_t k = 0; k < row_.size(); ++k)
    if (!(row.aval(k) == row_[k])) return false;
  return true;
}

void RowBlock::begin(size_t rows) {
  block_.resize(0);
  for (size_t k = 0; k < row_.size(); ++k) block_.write(k, stacked("map", row_[k], rows));
}

bool RowBlock::gather(Stage& stage, std::span<Ticket> tickets, Worker& worker) {
  const struct Offers {  // end with this call, also where a row fails
    Element& element;
    ~Offers() { element.withdraw_offers(); }
  } offers{made_};
  begin(tickets.size());
  for (size_t i = 0; i < tickets.size(); ++i) {
    for (size_t k = 0; k < row_.size(); ++k)
      made_.offer(k, &row_[k], static_cast<char*>(const_cast<void*>(block_.data(k))) + i * row_[k].bytes());
    stage.make(tickets[i], made_, worker);
    if (expects(made_)) {
      for (size_t k = 0; k < row_.size(); ++k)
        if (!made_.in_place(k))
          std::memcpy(static_cast<char*>(const_cast<void*>(block_.data(k))) + i * row_[k].bytes(), made_.data(k),
                      row_[k].bytes());
      continue;
    }
    split_rows(block_, tickets.first(i));
    keep(made_, tickets[i]);
    made_.withdraw_offers();
    for (Ticket& ticket : tickets.subspan(i + 1)) {
      stage.make(ticket, made_, worker);
      keep(made_, ticket);
    }
    row_.clear();
    for (size_t k = 0; k < made_.size(); ++k) row_.push_back(made_.aval(k));
    // Strings have no rows of one size.
    if (std::ranges::any_of(row_, [](const Aval& aval) { return !is_real(aval.dtype); })) row_.clear();
    return false;
  }
  return true;
}

}  // namespace brio::data
