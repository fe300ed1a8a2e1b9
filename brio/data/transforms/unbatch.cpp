// unbatch(): the rows of each element, one after the other.
#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/row_reader.h"

namespace brio::data {
namespace {

class UnbatchStage final : public Stage {
 public:
  UnbatchStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs)
      : Stage(pipeline, "unbatch", std::move(inputs)), rows_(input(), "unbatch") {}

  bool claim(Ticket& ticket) override {
    ticket.error = nullptr;
    try {
      if (!rows_.fill()) return false;
      ticket.element.resize(rows_.held().size());
      for (size_t k = 0; k < rows_.held().size(); ++k) {
        Array row = rows_of(rows_.held()[k], rows_.at(), rows_.at() + 1);
        row.aval.shape = Shape(rows_.held()[k].aval.shape.dims().subspan(1));
        ticket.element.share(k, row);
      }
      rows_.pass(1);
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
    out.resize(ticket.element.size());
    for (size_t k = 0; k < ticket.element.size(); ++k) out.take(k, ticket.element, k);
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
  bool has_work() const override { return false; }

 private:
  RowReader rows_;
  Place place_;
};

class UnbatchNode final : public Transform {
 public:
  using Transform::Transform;
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<UnbatchStage>(pipeline, list(std::move(ahead)));
  }
  std::string describe() const override { return "unbatch"; }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    return n > 0 ? kUnknown : n;
  }
};

}  // namespace

Dataset Dataset::unbatch() const { return Dataset(std::make_shared<UnbatchNode>(node_)); }

}  // namespace brio::data
