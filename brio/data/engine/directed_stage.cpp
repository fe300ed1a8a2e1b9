#include "brio/data/engine/directed_stage.h"

#include "brio/base/error.h"
#include "brio/base/interrupt.h"

namespace brio::data {

bool DirectedStage::claim(Ticket& ticket) {
  ticket.error = nullptr;
  while (!stopped_ && left_ > 0) {
    ticket.count = 0;
    try {
      const int64_t chosen = choose();
      if (chosen < 0) break;
      ticket.input = static_cast<size_t>(chosen);
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      ticket.error = std::current_exception();
      place_.take(ticket);
      return true;
    }
    if (!ended_[ticket.input] && input(ticket.input).claim(ticket.add_inner())) {
      place_.take(ticket);
      return true;
    }
    if (!ended_[ticket.input]) --left_;
    ended_[ticket.input] = true;
    stopped_ = stop_;
  }
  stopped_ = true;
  return false;
}

void DirectedStage::compute(Ticket& ticket, Element& out, Worker& worker) {
  if (ticket.error) std::rethrow_exception(ticket.error);
  input(ticket.input).make(ticket.inner[0], out, worker);
}

void DirectedStage::reset(uint64_t epoch) {
  ended_.assign(ended_.size(), false);
  left_ = ended_.size();
  stopped_ = false;
  place_.begin(epoch);
  for (const auto& each : inputs()) each->reset(epoch);
}

void DirectedStage::save(StateWriter& state) const {
  place_.save(state);
  state.number(stopped_);
  for (const bool each : ended_) state.number(each);
  for (const auto& each : inputs()) each->save(state);
}

void DirectedStage::restore(StateReader& state) {
  place_.restore(state);
  stopped_ = state.count(1) != 0;
  left_ = 0;
  for (size_t i = 0; i < ended_.size(); ++i) {
    ended_[i] = state.count(1) != 0;
    left_ += !ended_[i];
  }
  for (const auto& each : inputs()) each->restore(state);
}

DirectedNode::DirectedNode(const char* name, const std::vector<Dataset>& datasets) : name_(name) {
  if (datasets.empty()) throw InvalidArgument(cat("[", name, "] there are no datasets; give one or more"));
  for (const Dataset& each : datasets) {
    if (!(each.structure() == datasets[0].structure()))
      throw InvalidArgument(cat("[", name, "] elements of the first dataset are ", datasets[0].structure().str(),
                                ", those of dataset ", inputs_.size(), " ", each.structure().str(),
                                "; all must be alike"));
    inputs_.push_back(each.node());
  }
}

std::vector<const Node*> DirectedNode::inputs() const {
  std::vector<const Node*> list;
  for (const NodePtr& each : inputs_) list.push_back(each.get());
  return list;
}

std::vector<std::unique_ptr<Stage>> DirectedNode::open_inputs(Pipeline& pipeline) const {
  std::vector<std::unique_ptr<Stage>> stages;
  for (const NodePtr& each : inputs_) stages.push_back(each->open(pipeline));
  return stages;
}

}  // namespace brio::data
