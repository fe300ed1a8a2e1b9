// ignore_errors(): elements that cannot be made are left out, counted, and reported. What lies below is computed
// ahead, as a place is taken only by an element that is there.
#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/skip_log.h"

namespace brio::data {
namespace {

class IgnoreErrorsStage final : public FollowingStage {
 public:
  IgnoreErrorsStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs)
      : FollowingStage(pipeline, "ignore_errors", std::move(inputs)) {}

  bool claim(Ticket& ticket) override {
    for (;;) {
      ticket.count = 0;
      if (!input().claim(ticket)) return false;
      if (!ticket.error) return true;
      ++skipped_;
      pipeline_.skipped->add(message_of(ticket.error));
    }
  }
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): the stage below cannot know how many of its elements are skipped
  int64_t skip(int64_t n) override { return Stage::skip(n); }
  int64_t indexed() const override { return -1; }
  // The count is of the place: what is claimed again after a restore is not counted twice.
  void save(StateWriter& state) const override {
    state.number(static_cast<uint64_t>(skipped_));
    input().save(state);
  }
  void restore(StateReader& state) override {
    const int64_t skipped = state.count();
    pipeline_.skipped->correct(skipped - skipped_);
    skipped_ = skipped;
    input().restore(state);
  }

 private:
  int64_t skipped_ = 0;  // in all epochs
};

class IgnoreErrorsNode final : public Transform {
 public:
  using Transform::Transform;
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<IgnoreErrorsStage>(pipeline, list(std::move(ahead)));
  }
  std::string describe() const override { return "ignore_errors"; }
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }
};

}  // namespace

Dataset Dataset::ignore_errors() const { return Dataset(std::make_shared<IgnoreErrorsNode>(node_)); }

}  // namespace brio::data
