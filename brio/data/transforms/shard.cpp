// shard(n, i): every n-th element, from number i on.
#include "brio/base/error.h"
#include "brio/data/dataset.h"

namespace brio::data {
namespace {

class ShardStage final : public OrderingStage {
 public:
  ShardStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, int64_t shards, int64_t index)
      : OrderingStage(pipeline, "shard", std::move(inputs)), shards_(shards), index_(index) {}

  bool claim(Ticket& ticket) override {
    const int64_t others = std::exchange(begun_, true) ? shards_ - 1 : index_;
    return input().skip(others) == others && input().claim(ticket);
  }
  int64_t skip(int64_t n) override {
    if (n <= 0) return 0;
    const int64_t others = std::exchange(begun_, true) ? shards_ - 1 : index_;
    n = std::min(n, (INT64_MAX - others - 1) / shards_ + 1);
    const int64_t passed = input().skip(others + 1 + (n - 1) * shards_) - others;
    return passed <= 0 ? 0 : (passed - 1) / shards_ + 1;
  }
  void reset(uint64_t epoch) override {
    begun_ = false;
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    state.number(begun_);
    input().save(state);
  }
  void restore(StateReader& state) override {
    begun_ = state.count(1) != 0;
    input().restore(state);
  }
  int64_t indexed() const override {
    const int64_t n = input().indexed();
    return n < 0 ? -1 : n <= index_ ? 0 : (n - index_ - 1) / shards_ + 1;
  }
  void locate(int64_t index, Ticket& ticket) override { input().locate(index_ + index * shards_, ticket); }

 private:
  int64_t shards_, index_;
  bool begun_ = false;
};

class ShardNode final : public Transform {
 public:
  ShardNode(NodePtr input, int64_t shards, int64_t index)
      : Transform(std::move(input)), shards_(shards), index_(index) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<ShardStage>(pipeline, open_input(pipeline), shards_, index_);
  }
  std::string describe() const override { return cat("shard(", shards_, ", ", index_, ")"); }
  Keeps keeps() const override { return Keeps::tickets; }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    return n < 0 ? n : n <= index_ ? 0 : (n - index_ - 1) / shards_ + 1;
  }

 private:
  int64_t shards_, index_;
};

}  // namespace

Dataset Dataset::shard(int64_t num_shards, int64_t index) const {
  if (num_shards < 1) throw InvalidArgument(cat("[shard] num_shards is ", num_shards, "; it must be 1 or more"));
  if (index < 0 || index >= num_shards)
    throw InvalidArgument(
        cat("[shard] index is ", index, "; with ", num_shards, " shards it must be from 0 to ", num_shards - 1));
  return Dataset(std::make_shared<ShardNode>(node_, num_shards, index));
}

}  // namespace brio::data
