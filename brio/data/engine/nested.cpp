#include "brio/data/engine/nested.h"

#include "brio/base/error.h"
#include "brio/data/engine/seeds.h"

namespace brio::data {
namespace {

// What a thread keeps of the nested pipeline that it computed for last.
struct NestedWorker {
  std::shared_ptr<Nested> nested;
  Worker worker;  // goes first: it refers to the nodes
};

}  // namespace

std::shared_ptr<Nested> Nested::open(const char* name, const Dataset& dataset, const Structure& promised,
                                     const Pipeline& outer, uint64_t epoch, std::shared_ptr<NestedTotals> totals) {
  if (!dataset.node()) throw InvalidArgument(cat("[", name, "] the function returned no dataset"));
  if (!(dataset.structure() == promised))
    throw InvalidArgument(cat("[", name, "] the function returned a dataset of elements ", dataset.structure().str(),
                              "; the options promise ", promised.str(), ": set their .structure"));
  auto nested = std::make_shared<Nested>();
  nested->node = dataset.node();
  nested->pipeline.cpu_budget = outer.cpu_budget;
  nested->pipeline.ram_budget = outer.ram_budget;
  nested->pipeline.deterministic = outer.deterministic;
  nested->pipeline.skipped = outer.skipped;
  nested->pipeline.replay = outer.replay;
  nested->stage = nested->node->open(nested->pipeline);
  nested->stage->reset(epoch);
  totals->opened(*nested->stage);
  nested->totals = std::move(totals);
  return nested;
}

Nested::~Nested() {
  if (totals) totals->closes(*stage);
}

bool NestedStage::claim_from(const std::shared_ptr<Nested>& nested, Ticket& ticket) {
  ticket.error = nullptr;
  ticket.count = 0;
  if (!nested->stage->claim(ticket.add_inner())) return false;
  ticket.source = nested;
  place_.take(ticket);
  return true;
}

void NestedStage::fail(Ticket& ticket) {
  ticket.error = std::current_exception();
  place_.take(ticket);
}

void NestedStage::compute(Ticket& ticket, Element& out, Worker& worker) {
  if (ticket.error) std::rethrow_exception(ticket.error);
  const auto nested = std::static_pointer_cast<Nested>(ticket.source);
  NestedWorker& mine = private_of<NestedWorker>(worker);
  if (mine.nested != nested) {
    mine.worker = Worker();
    mine.nested = nested;
  }
  mine.worker.timed = worker.timed;
  nested->stage->make(ticket.inner[0], out, mine.worker);
}

std::optional<FilePlace> NestedStage::origin(const Ticket& ticket) const {
  if (ticket.error) return {};
  return std::static_pointer_cast<Nested>(ticket.source)->stage->origin(ticket.inner[0]);
}

std::shared_ptr<Nested> DatasetCall::operator()(const Ticket& ticket, const Pipeline& outer,
                                                std::shared_ptr<NestedTotals> totals) {
  const SeededScope scope(stream_of(seed_, ticket).u64(0));
  return Nested::open(name_, f_(Item(ticket.element, in_)), out_, outer, ticket.epoch, std::move(totals));
}

}  // namespace brio::data
