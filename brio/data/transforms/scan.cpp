// scan(state, f): f turns a state and an element into the next state and a result. reduce(state, f): the last state.
#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/parts.h"
#include "brio/data/engine/seeds.h"
#include "brio/data/engine/tensor_call.h"

namespace brio::data {
namespace {

// The state, and the function that changes it.
class Folding {
 public:
  Folding(const char* name, const std::vector<Tensor>& initial, const ElementFunction& f, size_t results,
          uint64_t seed)
      : name_(name), initial_(initial), state_(initial), results_(results), seed_(seed), call_(f) {}

  // The results, behind the new state, which is taken over. Where it throws, the state is the old one.
  std::vector<Tensor> operator()(const Ticket& ticket) {
    std::vector<Tensor> made = call_.call(state_, ticket.element, stream_of(seed_, ticket).u64(0));
    if (made.size() != state_.size() + results_)
      throw InvalidArgument(cat("[", name_, "] the function returned ", made.size(), " tensors; it must return the ",
                                state_.size(), " of the state", results_ ? cat(" and ", results_, " results") : ""));
    for (size_t i = 0; i < state_.size(); ++i)
      if (made[i].dtype() != state_[i].dtype())
        throw InvalidArgument(cat("[", name_, "] tensor ", i, " of the state is ", state_[i].dtype(),
                                  ", but the function returned ", made[i].dtype(), "; cast one of them"));
    for (const Tensor& each : made) each.array();
    std::copy_n(made.begin(), state_.size(), state_.begin());
    return made;
  }
  const std::vector<Tensor>& state() const { return state_; }
  void reset() { state_ = initial_; }
  void save(StateWriter& to) const {
    to.number(seed_);
    Parts parts;
    for (const Tensor& each : state_) parts.push_back(each.array());
    write_parts(parts, to);
  }
  void restore(StateReader& from) {
    seed_ = from.number();
    Parts parts = read_parts(from);
    bool fits = parts.size() == initial_.size();
    for (size_t i = 0; fits && i < parts.size(); ++i) fits = parts[i].aval.dtype == initial_[i].dtype();
    if (!fits) StateReader::refuse(cat("the state of ", name_, " has other tensors"));
    state_.clear();
    for (Array& part : parts) state_.emplace_back(std::move(part));
  }

 private:
  const char* name_;
  const std::vector<Tensor>& initial_;
  std::vector<Tensor> state_;
  size_t results_;
  uint64_t seed_;  // of random numbers that the function draws
  TensorCall call_;
};

class ScanStage final : public FollowingStage {
 public:
  ScanStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const std::vector<Tensor>& initial,
            const ElementFunction& f, size_t results, uint64_t seed)
      : FollowingStage(pipeline, "scan", std::move(inputs)), fold_("scan", initial, f, results, seed) {}

  bool claim(Ticket& ticket) override {
    ticket.count = 0;
    if (!input().claim(ticket)) return false;
    if (ticket.error) return true;
    try {
      const ClaimTimer timer(stats());
      const std::vector<Tensor> made = fold_(ticket);
      const size_t states = fold_.state().size();
      ticket.element.resize(made.size() - states);
      for (size_t i = states; i < made.size(); ++i) ticket.element.share(i - states, made[i].array());
    } catch (...) {
      ticket.error = std::current_exception();
    }
    return true;
  }
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): the stage below cannot know how many of its elements are skipped
  int64_t skip(int64_t n) override { return Stage::skip(n); }
  int64_t indexed() const override { return -1; }
  void reset(uint64_t epoch) override {
    fold_.reset();
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    fold_.save(state);
    input().save(state);
  }
  void restore(StateReader& state) override {
    fold_.restore(state);
    input().restore(state);
  }

 private:
  Folding fold_;
};

class ScanNode final : public Transform {
 public:
  ScanNode(NodePtr input, std::vector<Tensor> initial, ElementFunction f, Structure results)
      : Transform(std::move(input)),
        initial_(std::move(initial)),
        f_(std::move(f)),
        results_(std::move(results)),
        seed_(seed_or_new({})) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<ScanStage>(pipeline, list(std::move(ahead)), initial_, f_, results_.parts(), seed_);
  }
  std::string describe() const override { return "scan"; }
  Structure structure() const override { return results_; }

 private:
  std::vector<Tensor> initial_;
  ElementFunction f_;
  Structure results_;
  uint64_t seed_;
};

void check_state(const char* name, const std::vector<Tensor>& state) {
  for (size_t i = 0; i < state.size(); ++i) {
    if (!state[i].defined()) throw InvalidArgument(cat("[", name, "] tensor ", i, " of the initial state is none"));
    state[i].array();  // computed here, by the thread that recorded it
  }
}

}  // namespace

Dataset Dataset::scan(std::vector<Tensor> state, ElementFunction f, Structure results) const {
  check_state("scan", state);
  if (results.parts() == 0)
    throw InvalidArgument(cat("[scan] the function returns the ", state.size(),
                              " tensors of the state and no results; "
                              "let it return both, or set ScanOptions::structure where it returns a vector"));
  return Dataset(std::make_shared<ScanNode>(node_, std::move(state), std::move(f), std::move(results)));
}

std::vector<Tensor> Dataset::reduce(const std::vector<Tensor>& state, const ElementFunction& f) const {
  check_state("reduce", state);
  Folding fold("reduce", state, f, 0, seed_or_new({}));
  Iterator all = iterator();
  Ticket ticket;
  for (Item item; all.next(item); ++ticket.index) {
    ticket.element.resize(item.size());
    for (size_t i = 0; i < item.size(); ++i) ticket.element.share(i, item[i].array());
    fold(ticket);
  }
  return fold.state();
}

}  // namespace brio::data
