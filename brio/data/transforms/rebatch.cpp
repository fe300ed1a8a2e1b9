// rebatch(sizes): the rows of all elements, in batches of other sizes.
#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/row_reader.h"
#include "brio/ir/graph.h"
#include "brio/tensor/strings.h"

namespace brio::data {
namespace {

class RebatchStage final : public Stage {
 public:
  RebatchStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const std::vector<int64_t>& sizes,
               bool drop_remainder)
      : Stage(pipeline, "rebatch", std::move(inputs)),
        rows_(input(), "rebatch"),
        sizes_(sizes),
        drop_(drop_remainder) {}

  // The inner tickets hold pieces of elements, rows of which make one batch.
  bool claim(Ticket& ticket) override {
    ticket.error = nullptr;
    ticket.count = 0;
    const int64_t size = sizes_[static_cast<size_t>(place_.at) % sizes_.size()];
    int64_t rows = 0;
    try {
      do {
        if (!rows_.fill()) {
          if (rows == 0 || drop_) return false;
          break;
        }
        const int64_t n = std::min(size - rows, rows_.left());
        Ticket& piece = ticket.add_inner();
        piece.element.resize(rows_.held().size());
        for (size_t k = 0; k < rows_.held().size(); ++k)
          piece.element.share(k, rows_of(rows_.held()[k], rows_.at(), rows_.at() + n));
        rows_.pass(n);
        rows += n;
      } while (rows < size);
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      ticket.error = std::current_exception();
    }
    place_.take(ticket);
    return true;
  }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    if (ticket.error) std::rethrow_exception(ticket.error);
    Element& first = ticket.inner[0].element;
    out.resize(first.size());
    for (size_t k = 0; k < first.size(); ++k) {
      if (ticket.count == 1) out.take(k, first, k);
      else join(ticket, k, out);
    }
  }
  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    rows_.reset(epoch);
  }
  void save(StateWriter& state) const override {
    place_.save(state);
    rows_.save(state);
  }
  void restore(StateReader& state) override {
    place_.restore(state);
    rows_.restore(state);
  }

 private:
  void join(const Ticket& ticket, size_t k, Element& out) const {
    Aval all = ticket.inner[0].element.aval(k);
    const Aval row{Shape(all.shape.dims().subspan(1)), all.dtype};
    int64_t rows = 0;
    for (size_t i = 0; i < ticket.count; ++i) {
      const Aval& piece = ticket.inner[i].element.aval(k);
      if (piece.dtype != row.dtype || !(Shape(piece.shape.dims().subspan(1)) == row.shape))
        throw InvalidArgument(cat("[rebatch] rows of one batch must be alike: they are of ", format_aval(all),
                                  " and of ", format_aval(piece)));
      rows += piece.shape[0];
    }
    all.shape.set(0, rows);
    if (all.dtype == DType::string) {
      std::vector<std::string_view> texts;
      for (size_t i = 0; i < ticket.count; ++i)
        for (int64_t t = 0; t < ticket.inner[i].element.aval(k).shape.elements(); ++t)
          texts.push_back(string_at(ticket.inner[i].element.data(k), t));
      out.share(k, string_array(texts, all.shape));
      return;
    }
    auto* to = static_cast<char*>(out.write(k, all));
    for (size_t i = 0; i < ticket.count; ++i) {
      const Element& piece = ticket.inner[i].element;
      std::memcpy(to, piece.data(k), piece.aval(k).bytes());
      to += piece.aval(k).bytes();
    }
  }

  RowReader rows_;
  const std::vector<int64_t>& sizes_;
  bool drop_;
  Place place_;
};

class RebatchNode final : public Transform {
 public:
  RebatchNode(NodePtr input, std::vector<int64_t> sizes, bool drop_remainder)
      : Transform(std::move(input)), sizes_(std::move(sizes)), drop_(drop_remainder) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<RebatchStage>(pipeline, list(std::move(ahead)), sizes_, drop_);
  }
  std::string describe() const override {
    std::string text = "rebatch(";
    for (size_t i = 0; i < sizes_.size(); ++i) text += cat(i ? ", " : "", sizes_[i]);
    return text + (drop_ ? ", drop_remainder)" : ")");
  }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    return n > 0 ? kUnknown : n;
  }

 private:
  std::vector<int64_t> sizes_;
  bool drop_;
};

}  // namespace

Dataset Dataset::rebatch(int64_t batch_size, BatchOptions options) const {
  if (batch_size < 1) throw InvalidArgument(cat("[rebatch] batch_size is ", batch_size, "; it must be 1 or more"));
  return rebatch(std::vector<int64_t>{batch_size}, options);
}

Dataset Dataset::rebatch(std::vector<int64_t> batch_sizes, BatchOptions options) const {
  bool any = false;
  for (const int64_t size : batch_sizes) {
    if (size < 0) throw InvalidArgument(cat("[rebatch] a batch size is ", size, "; it must be 0 or more"));
    any |= size > 0;
  }
  if (!any) throw InvalidArgument("[rebatch] no batch size is above 0; give one at least");
  return Dataset(std::make_shared<RebatchNode>(node_, std::move(batch_sizes), options.drop_remainder));
}

}  // namespace brio::data
