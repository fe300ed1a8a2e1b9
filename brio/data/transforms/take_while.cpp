// take_while(f): elements up to the first for which f is false.
#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/predicate.h"

namespace brio::data {
namespace {

class TakeWhileStage final : public FollowingStage {
 public:
  TakeWhileStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const ElementFunction& f,
                 uint64_t seed)
      : FollowingStage(pipeline, "take_while", std::move(inputs)), passes_("take_while", f, seed) {}

  bool claim(Ticket& ticket) override {
    ticket.count = 0;
    if (ended_ || !input().claim(ticket)) return false;
    if (ticket.error) return true;
    try {
      const ClaimTimer timer(stats());
      ended_ = !passes_(ticket);
    } catch (...) {
      ticket.error = std::current_exception();
    }
    return !ended_;
  }
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): the stage below cannot know how many of its elements are skipped
  int64_t skip(int64_t n) override { return Stage::skip(n); }
  int64_t indexed() const override { return -1; }
  void reset(uint64_t epoch) override {
    ended_ = false;
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    passes_.save(state);
    state.number(ended_);
    input().save(state);
  }
  void restore(StateReader& state) override {
    passes_.restore(state);
    ended_ = state.count(1) != 0;
    input().restore(state);
  }

 private:
  Predicate passes_;
  bool ended_ = false;
};

class TakeWhileNode final : public Transform {
 public:
  TakeWhileNode(NodePtr input, ElementFunction f)
      : Transform(std::move(input)), f_(std::move(f)), seed_(seed_or_new({})) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<TakeWhileStage>(pipeline, list(std::move(ahead)), f_, seed_);
  }
  std::string describe() const override { return "take_while"; }
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }

 private:
  ElementFunction f_;
  uint64_t seed_;
};

}  // namespace

Dataset Dataset::take_while(ElementFunction f) const {
  return Dataset(std::make_shared<TakeWhileNode>(node_, std::move(f)));
}

}  // namespace brio::data
