// batch(n): n elements of equal shapes as one, along a new first axis. Rows are made where they will lie, by several
// threads at once. What they look like is expected to be as in the batch before; rows that are not so (other shapes,
// strings, the first batch of all) are kept aside and gathered at the end.
#include <mutex>

#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/ir/graph.h"
#include "brio/tensor/strings.h"

namespace brio::data {
namespace {

constexpr int64_t kRowsAPart = 4;

Aval stacked(const Aval& row, size_t n) {
  if (row.shape.rank() == kMaxRank)
    throw InvalidArgument(cat("[batch] an element of shape ", row.shape, " has no room for one more axis"));
  Aval all{{}, row.dtype};
  all.shape.push_back(static_cast<int64_t>(n));
  for (const int64_t dim : row.shape) all.shape.push_back(dim);
  return all;
}

class BatchStage final : public Stage {
 public:
  BatchStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, int64_t size, bool drop_remainder,
             Structure structure)
      : Stage(pipeline, "batch", std::move(inputs)),
        size_(size),
        drop_(drop_remainder),
        structure_(std::move(structure)) {}

  bool claim(Ticket& ticket) override {
    ticket.count = 0;
    for (int64_t i = 0; i < size_; ++i) {
      if (input().claim(ticket.add_inner())) continue;
      --ticket.count;
      break;
    }
    if (ticket.count == 0 || (drop_ && static_cast<int64_t>(ticket.count) < size_)) return false;
    number_it(ticket, at_++);
    return true;
  }
  int64_t skip(int64_t n) override {
    const int64_t whole = std::min(n, INT64_MAX / size_);
    const int64_t passed = batches_of(input().skip(whole * size_));
    at_ += passed;
    return passed;
  }
  void reset(uint64_t epoch) override {
    at_ = 0;
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    state.number(static_cast<uint64_t>(at_));
    input().save(state);
  }
  void restore(StateReader& state) override {
    at_ = state.count();
    input().restore(state);
  }
  int64_t indexed() const override {
    const int64_t n = input().indexed();
    return n < 0 ? -1 : batches_of(n);
  }
  void locate(int64_t index, Ticket& ticket) override {
    ticket.count = 0;
    const int64_t end = std::min(input().indexed(), (index + 1) * size_);
    for (int64_t i = index * size_; i < end; ++i) input().locate(i, ticket.add_inner());
    number_it(ticket, index);
  }

  int64_t parts(const Ticket& ticket) const override {
    return input().has_work() ? (static_cast<int64_t>(ticket.count) + kRowsAPart - 1) / kRowsAPart : 1;
  }
  void start(Ticket& ticket, Element& out, Worker&) override {
    {
      const std::lock_guard lock(mutex_);
      ticket.rows = rows_;
    }
    out.resize(0);
    if (!ticket.rows) return;
    for (size_t k = 0; k < ticket.rows->parts.size(); ++k)
      if (const Aval& row = ticket.rows->parts[k]; row.dtype != DType::string)
        out.write(k, stacked(row, ticket.count));
  }
  void compute_part(Ticket& ticket, int64_t part, Element& out, Worker& worker) override {
    const size_t first = static_cast<size_t>(part * kRowsAPart);
    if (parts(ticket) == 1) return make(ticket, out, worker);
    make_rows(ticket, first, std::min(ticket.count, first + kRowsAPart), out, worker);
  }
  void finish(Ticket& ticket, Element& out, Worker&) override {
    bool fits = ticket.rows != nullptr;
    for (size_t row = 0; row < ticket.count; ++row) fits &= !ticket.inner[row].has_result;
    if (!fits) gather(ticket, out);
  }
  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    start(ticket, out, worker);
    make_rows(ticket, 0, ticket.count, out, worker);
    finish(ticket, out, worker);
  }

 private:
  int64_t batches_of(int64_t rows) const { return drop_ ? rows / size_ : rows / size_ + (rows % size_ != 0); }
  void number_it(Ticket& ticket, int64_t index) const {
    ticket.epoch = ticket.inner[0].epoch;
    ticket.index = index;
  }

  void make_rows(Ticket& ticket, size_t begin, size_t end, Element& out, Worker& worker) {
    Element& mine = scratch(worker);
    const size_t parts = ticket.rows ? ticket.rows->parts.size() : 0;
    for (size_t row = begin; row < end; ++row) {
      for (size_t k = 0; k < parts; ++k)
        if (const Aval& aval = ticket.rows->parts[k]; aval.dtype != DType::string)
          mine.offer(k, &aval, static_cast<char*>(const_cast<void*>(out.data(k))) + row * aval.bytes());
      Ticket& from = ticket.inner[row];
      input().make(from, mine, worker);
      bool fits = mine.size() == parts;
      for (size_t k = 0; fits && k < parts; ++k) fits = mine.in_place(k);
      from.has_result = !fits;
      if (fits) continue;
      from.result.resize(mine.size());
      for (size_t k = 0; k < mine.size(); ++k) from.result.share(k, mine.array(k));
    }
    mine.withdraw_offers();
  }

  // The slow way: rows are checked against the first one and copied.
  void gather(Ticket& ticket, Element& out) {
    const RowLayout* expected = ticket.rows.get();
    auto aval_of = [&](size_t row, size_t k) -> const Aval& {
      return ticket.inner[row].has_result ? ticket.inner[row].result.aval(k) : expected->parts[k];
    };
    auto size_of_row = [&](size_t row) {
      return ticket.inner[row].has_result ? ticket.inner[row].result.size() : expected->parts.size();
    };
    auto layout = std::make_shared<RowLayout>();
    for (size_t k = 0; k < size_of_row(0); ++k) layout->parts.push_back(aval_of(0, k));
    for (size_t row = 1; row < ticket.count; ++row) {
      if (size_of_row(row) != layout->parts.size())
        throw InvalidArgument(cat("[batch] element ", row, " of the batch has ", size_of_row(row),
                                  " parts, but the first has ", layout->parts.size()));
      for (size_t k = 0; k < layout->parts.size(); ++k)
        if (!(aval_of(row, k) == layout->parts[k])) refuse(row, k, aval_of(row, k), layout->parts[k]);
    }
    Element whole;
    for (size_t k = 0; k < layout->parts.size(); ++k) {
      const Aval& row_aval = layout->parts[k];
      const Aval all = stacked(row_aval, ticket.count);
      if (row_aval.dtype == DType::string) {
        std::vector<std::string_view> texts;
        for (size_t row = 0; row < ticket.count; ++row)
          for (int64_t i = 0; i < row_aval.shape.elements(); ++i)
            texts.push_back(string_at(ticket.inner[row].result.data(k), i));
        whole.share(k, string_array(texts, all.shape));
        continue;
      }
      auto* to = static_cast<char*>(whole.write(k, all));
      const size_t bytes = row_aval.bytes();
      for (size_t row = 0; row < ticket.count; ++row)
        std::memcpy(
            to + row * bytes,
            ticket.inner[row].has_result ? ticket.inner[row].result.as<char>(k) : out.as<char>(k) + row * bytes,
            bytes);
    }
    for (size_t row = 0; row < ticket.count; ++row) ticket.inner[row].result = Element();
    out.resize(layout->parts.size());
    for (size_t k = 0; k < out.size(); ++k) out.take(k, whole, k);
    const std::lock_guard lock(mutex_);
    rows_ = std::move(layout);
  }

  [[noreturn]] void refuse(size_t row, size_t k, const Aval& aval, const Aval& first) const {
    const std::string part = structure_.part_name(k);
    throw InvalidArgument(cat("[batch] elements of one batch must be alike: the first has ",
                              part.empty() ? "" : cat("'", part, "' "), format_aval(first), ", element ", row,
                              " has ", format_aval(aval), "; use padded_batch() for shapes that differ"));
  }

  int64_t size_, at_ = 0;
  bool drop_;
  Structure structure_;
  std::mutex mutex_;
  std::shared_ptr<const RowLayout> rows_;  // as in the last batch that was gathered
};

class BatchNode final : public Transform {
 public:
  BatchNode(NodePtr input, int64_t size, BatchOptions options)
      : Transform(std::move(input)), size_(size), options_(options) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<BatchStage>(pipeline, open_input(pipeline), size_, options_.drop_remainder, structure());
  }
  std::string describe() const override {
    return cat("batch(", size_, options_.drop_remainder ? ", drop_remainder)" : ")");
  }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    if (n < 0) return n;
    return options_.drop_remainder ? n / size_ : n / size_ + (n % size_ != 0);
  }

 private:
  int64_t size_;
  BatchOptions options_;
};

}  // namespace

Dataset Dataset::batch(int64_t batch_size, BatchOptions options) const {
  if (batch_size < 1) throw InvalidArgument(cat("[batch] batch_size is ", batch_size, "; it must be 1 or more"));
  return Dataset(std::make_shared<BatchNode>(node_, batch_size, options));
}

}  // namespace brio::data
