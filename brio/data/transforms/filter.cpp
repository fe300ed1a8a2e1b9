// filter(f): the elements for which f is true. What lies below is computed ahead, as a place can be taken only when
// the answer is known.
#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/predicate.h"

namespace brio::data {
namespace {

class FilterStage final : public FollowingStage {
 public:
  FilterStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const ElementFunction& f, uint64_t seed)
      : FollowingStage(pipeline, "filter", std::move(inputs)), passes_("filter", f, seed) {}

  bool claim(Ticket& ticket) override {
    for (;;) {
      ticket.count = 0;
      if (!input().claim(ticket)) return false;
      if (ticket.error) return true;
      try {
        const ClaimTimer timer(stats());
        if (passes_(ticket)) {
          stats().passed.fetch_add(1, std::memory_order_relaxed);
          return true;
        }
      } catch (...) {
        ticket.error = std::current_exception();
        return true;
      }
    }
  }
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): the stage below cannot know how many of its elements are skipped
  int64_t skip(int64_t n) override { return Stage::skip(n); }
  int64_t indexed() const override { return -1; }
  void describe(profile::StageFacts& facts) const override { facts.kind = profile::StageKind::filter; }
  void save(StateWriter& state) const override {
    passes_.save(state);
    input().save(state);
  }
  void restore(StateReader& state) override {
    passes_.restore(state);
    input().restore(state);
  }

 private:
  Predicate passes_;
};

class FilterNode final : public Transform {
 public:
  FilterNode(NodePtr input, ElementFunction f)
      : Transform(std::move(input)), f_(std::move(f)), seed_(seed_or_new({})) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<FilterStage>(pipeline, list(std::move(ahead)), f_, seed_);
  }
  std::string describe() const override { return "filter"; }
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }

 private:
  ElementFunction f_;
  uint64_t seed_;
};

}  // namespace

Dataset Dataset::filter(ElementFunction f) const {
  return Dataset(std::make_shared<FilterNode>(node_, std::move(f)));
}

}  // namespace brio::data
