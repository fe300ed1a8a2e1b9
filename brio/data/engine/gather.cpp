#include "brio/data/engine/gather.h"

#include "brio/base/error.h"
#include "brio/data/engine/row_block.h"
#include "brio/ir/graph.h"
#include "brio/tensor/strings.h"

namespace brio::data {
namespace {

constexpr int64_t kRowsAPart = 4;

}  // namespace

Aval stacked(const std::string& name, const Aval& row, size_t n) {
  if (row.shape.rank() == kMaxRank)
    throw InvalidArgument(cat("[", name, "] an element of shape ", row.shape, " has no room for one more axis"));
  Aval all{{}, row.dtype};
  all.shape.push_back(static_cast<int64_t>(n));
  for (const int64_t dim : row.shape) all.shape.push_back(dim);
  return all;
}

int64_t GatherStage::rows_a_part(const Ticket& ticket) {
  return ticket.rows_at_once > 1 ? ticket.rows_at_once : kRowsAPart;
}

int64_t GatherStage::parts(const Ticket& ticket) const {
  const int64_t rows = rows_a_part(ticket);
  return input().has_work() ? (static_cast<int64_t>(ticket.count) + rows - 1) / rows : 1;
}

void GatherStage::start(Ticket& ticket, Element& out, Worker&) {
  {
    const std::lock_guard lock(mutex_);
    ticket.rows = rows_;
  }
  out.resize(0);
  if (!ticket.rows || is_made_at_once(ticket)) return;
  for (size_t k = 0; k < ticket.rows->parts.size(); ++k)
    if (const Aval& row = ticket.rows->parts[k]; row.dtype != DType::string)
      out.write(k, stacked(name(), row, ticket.count));
}

void GatherStage::compute_part(Ticket& ticket, int64_t part, Element& out, Worker& worker) {
  const int64_t rows = rows_a_part(ticket);
  const auto first = static_cast<size_t>(part * rows);
  if (parts(ticket) == 1) return make(ticket, out, worker);
  make_rows(ticket, first, std::min(ticket.count, first + static_cast<size_t>(rows)), out, worker);
}

void GatherStage::finish(Ticket& ticket, Element& out, Worker&) {
  bool fits = true;
  for (size_t row = 0; row < ticket.count; ++row) fits &= !ticket.inner[row].has_result;
  if (fits) return;
  gather(ticket, out);
  for (size_t row = 0; row < ticket.count; ++row) ticket.inner[row].result = Element();
}

void GatherStage::compute(Ticket& ticket, Element& out, Worker& worker) {
  start(ticket, out, worker);
  make_rows(ticket, 0, ticket.count, out, worker);
  finish(ticket, out, worker);
}

// Rows that were made at once: the whole element, or some of it.
void GatherStage::make_block(Ticket& ticket, size_t begin, size_t end, Element& out, Worker& worker) {
  const std::span<Ticket> rows(ticket.inner.data() + begin, end - begin);
  Element& block = scratch(worker);
  if (!input().make_rows(rows, block, worker)) return;
  if (is_made_at_once(ticket)) {
    out.resize(block.size());
    for (size_t k = 0; k < block.size(); ++k) out.take(k, block, k);
  } else {
    bool fits = ticket.rows && block.size() == ticket.rows->parts.size();
    for (size_t k = 0; fits && k < block.size(); ++k) fits = row_of(block.aval(k)) == ticket.rows->parts[k];
    if (!fits) return split_rows(block, rows);
    for (size_t k = 0; k < block.size(); ++k)
      std::memcpy(static_cast<char*>(const_cast<void*>(out.data(k))) + begin * ticket.rows->parts[k].bytes(),
                  block.data(k), block.aval(k).bytes());
  }
  for (Ticket& row : rows) row.has_result = false;
}

void GatherStage::make_rows(Ticket& ticket, size_t begin, size_t end, Element& out, Worker& worker) {
  const auto at_once = static_cast<size_t>(ticket.rows_at_once);
  while (at_once > 1 && end - begin > 1) {
    const size_t until = std::min(end, begin + at_once);
    make_block(ticket, begin, until, out, worker);
    begin = until;
  }
  Element& mine = scratch(worker);
  const size_t parts = ticket.rows ? ticket.rows->parts.size() : 0;
  const struct Offers {  // end with this call, also where a row fails
    Element& element;
    ~Offers() { element.withdraw_offers(); }
  } offers{mine};
  for (size_t row = begin; row < end; ++row) {
    for (size_t k = 0; k < parts; ++k)
      if (const Aval& aval = ticket.rows->parts[k]; aval.dtype != DType::string)
        mine.offer(k, &aval, static_cast<char*>(const_cast<void*>(out.data(k))) + row * aval.bytes());
    Ticket& from = ticket.inner[row];
    input().make(from, mine, worker);
    bool fits = ticket.rows && mine.size() == parts;
    for (size_t k = 0; fits && k < parts; ++k) fits = mine.in_place(k);
    from.has_result = !fits;
    if (fits) continue;
    from.result.resize(mine.size());
    for (size_t k = 0; k < mine.size(); ++k) from.result.share(k, mine.array(k));
  }
}

void GatherStage::stack(const Ticket& ticket, size_t part, const Element& placed, Element& whole, size_t to) const {
  const Aval& row_aval = ticket.inner[0].has_result ? ticket.inner[0].result.aval(part) : ticket.rows->parts[part];
  const Aval all = stacked(name(), row_aval, ticket.count);
  if (row_aval.dtype == DType::string) {
    std::vector<std::string_view> texts;
    for (size_t row = 0; row < ticket.count; ++row)
      for (int64_t i = 0; i < row_aval.shape.elements(); ++i)
        texts.push_back(string_at(ticket.inner[row].result.data(part), i));
    whole.share(to, string_array(texts, all.shape));
    return;
  }
  auto* into = static_cast<char*>(whole.write(to, all));
  const size_t bytes = row_aval.bytes();
  for (size_t row = 0; row < ticket.count; ++row) {
    const Ticket& from = ticket.inner[row];
    std::memcpy(into + row * bytes,
                from.has_result ? from.result.as<char>(part) : placed.as<char>(part) + row * bytes, bytes);
  }
}

size_t GatherStage::check_sizes(const Ticket& ticket) const {
  auto size_of_row = [&](size_t row) {
    return ticket.inner[row].has_result ? ticket.inner[row].result.size() : ticket.rows->parts.size();
  };
  for (size_t row = 1; row < ticket.count; ++row)
    if (size_of_row(row) != size_of_row(0))
      throw InvalidArgument(cat("[", name(), "] element ", row, " of the batch has ", size_of_row(row),
                                " parts, but the first has ", size_of_row(0)));
  return size_of_row(0);
}

void GatherStage::gather(Ticket& ticket, Element& out) {
  const RowLayout* expected = ticket.rows.get();
  auto aval_of = [&](size_t row, size_t k) -> const Aval& {
    return ticket.inner[row].has_result ? ticket.inner[row].result.aval(k) : expected->parts[k];
  };
  auto layout = std::make_shared<RowLayout>();
  for (size_t k = 0, parts = check_sizes(ticket); k < parts; ++k) layout->parts.push_back(aval_of(0, k));
  for (size_t row = 1; row < ticket.count; ++row)
    for (size_t k = 0; k < layout->parts.size(); ++k)
      if (!(aval_of(row, k) == layout->parts[k])) refuse(row, k, aval_of(row, k), layout->parts[k]);
  Element whole;
  for (size_t k = 0; k < layout->parts.size(); ++k) stack(ticket, k, out, whole, k);
  out.resize(layout->parts.size());
  for (size_t k = 0; k < out.size(); ++k) out.take(k, whole, k);
  const std::lock_guard lock(mutex_);
  rows_ = std::move(layout);
}

std::string GatherStage::part_name(size_t part) const {
  const std::string name = structure_.part_name(part);
  return name.empty() ? name : cat("'", name, "' ");
}

void GatherStage::refuse(size_t row, size_t k, const Aval& aval, const Aval& first) const {
  throw InvalidArgument(cat("[", name(), "] elements of one batch must be alike: the first has ", part_name(k),
                            format_aval(first), ", element ", row, " has ", format_aval(aval),
                            "; use padded_batch() for shapes that differ"));
}

}  // namespace brio::data
