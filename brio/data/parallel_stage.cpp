#include "brio/data/parallel_stage.h"

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
  } catch (...) {
    ticket.error = std::current_exception();
  }
  ticket.index = at_++;
  ticket.epoch = epoch_;
  return true;
}

void ParallelStage::compute(Ticket& ticket, Element& out, Worker&) {
  if (ticket.error) std::rethrow_exception(ticket.error);
  out.resize(ticket.element.size());
  for (size_t i = 0; i < ticket.element.size(); ++i) out.take(i, ticket.element, i);
}

void ParallelStage::reset(uint64_t epoch) {
  parallel_.reset(epoch);
  epoch_ = epoch;
  at_ = 0;
}

void ParallelStage::save(StateWriter& state) const {
  state.number(epoch_);
  state.number(static_cast<uint64_t>(at_));
  parallel_.save(state);
}

void ParallelStage::restore(StateReader& state) {
  epoch_ = state.number();
  at_ = state.count();
  parallel_.restore(state);
}

}  // namespace brio::data
