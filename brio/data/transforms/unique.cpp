// unique(): elements that were not there before, bit for bit. It holds the bytes of each one that was.
#include <deque>
#include <unordered_set>

#include "brio/data/dataset.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/data/engine/parts.h"

namespace brio::data {
namespace {

class UniqueStage final : public FollowingStage {
 public:
  UniqueStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs)
      : FollowingStage(pipeline, "unique", std::move(inputs)) {}

  bool claim(Ticket& ticket) override {
    for (;;) {
      ticket.count = 0;
      if (!input().claim(ticket)) return false;
      if (ticket.error) return true;
      StateWriter bytes;
      write_parts(parts_of(ticket.element), bytes);
      if (add(bytes.bytes())) return true;
    }
  }
  // NOLINTNEXTLINE(bugprone-parent-virtual-call): the stage below cannot know how many of its elements are skipped
  int64_t skip(int64_t n) override { return Stage::skip(n); }
  int64_t indexed() const override { return -1; }
  void reset(uint64_t epoch) override {
    clear();
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    state.number(list_.size());
    for (const std::string& each : list_) state.text(each);
    input().save(state);
  }
  void restore(StateReader& state) override {
    clear();
    for (int64_t left = state.count(); left > 0; --left) add(std::string(state.text()));
    input().restore(state);
  }

 private:
  bool add(const std::string& bytes) {
    if (seen_.count(bytes)) return false;
    seen_.insert(list_.emplace_back(bytes));
    stats().held_bytes.fetch_add(static_cast<int64_t>(bytes.size()), std::memory_order_relaxed);
    return true;
  }
  void clear() {
    seen_.clear();
    list_.clear();
    stats().held_bytes.store(0, std::memory_order_relaxed);
  }
  std::deque<std::string> list_;  // in their order, so that equal states are equal bytes
  std::unordered_set<std::string_view> seen_;
};

class UniqueNode final : public Transform {
 public:
  using Transform::Transform;
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto ahead = std::make_unique<ParallelStage>(pipeline, input().open(pipeline), ParallelOptions{});
    return std::make_unique<UniqueStage>(pipeline, list(std::move(ahead)));
  }
  std::string describe() const override { return "unique"; }
  int64_t cardinality() const override { return input().cardinality() == 0 ? 0 : kUnknown; }
};

}  // namespace

Dataset Dataset::unique() const { return Dataset(std::make_shared<UniqueNode>(node_)); }

}  // namespace brio::data
