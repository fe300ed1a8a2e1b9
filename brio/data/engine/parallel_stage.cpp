#include "brio/data/engine/parallel_stage.h"

#include "brio/base/interrupt.h"

namespace brio::data {
namespace {

std::vector<std::unique_ptr<Stage>> only(std::unique_ptr<Stage> stage) {
  std::vector<std::unique_ptr<Stage>> list;
  list.push_back(std::move(stage));
  return list;
}

}  // namespace

ParallelStage::ParallelStage(Pipeline& pipeline, std::unique_ptr<Stage> input, ParallelOptions options)
    : Stage(pipeline, "prefetch", only(std::move(input))), parallel_(Stage::input(), pipeline, options) {}

bool ParallelStage::claim(Ticket& ticket) {
  ticket.error = nullptr;
  try {
    if (!parallel_.next(ticket.element)) return false;
  } catch (const Interrupted&) {
    throw;
  } catch (...) {
    ticket.error = std::current_exception();
  }
  place_.take(ticket);
  return true;
}

void ParallelStage::compute(Ticket& ticket, Element& out, Worker&) {
  if (ticket.error) std::rethrow_exception(ticket.error);
  out.resize(ticket.element.size());
  for (size_t i = 0; i < ticket.element.size(); ++i) out.take(i, ticket.element, i);
}

void ParallelStage::reset(uint64_t epoch) {
  parallel_.reset(epoch);
  place_.begin(epoch);
}

void ParallelStage::save(StateWriter& state) const {
  place_.save(state);
  parallel_.save(state);
}

void ParallelStage::restore(StateReader& state) {
  place_.restore(state);
  parallel_.restore(state);
}

}  // namespace brio::data
