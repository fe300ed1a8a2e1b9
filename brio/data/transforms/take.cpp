// take(n): the first n elements. skip(n): all but those.
#include "brio/base/error.h"
#include "brio/data/dataset.h"

namespace brio::data {
namespace {

class TakeStage final : public OrderingStage {
 public:
  TakeStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, int64_t count)
      : OrderingStage(pipeline, "take", std::move(inputs)), count_(count) {}

  bool claim(Ticket& ticket) override {
    if (taken_ >= count_ || !input().claim(ticket)) return false;
    ++taken_;
    return true;
  }
  int64_t skip(int64_t n) override {
    const int64_t passed = input().skip(std::min(n, count_ - taken_));
    taken_ += passed;
    return passed;
  }
  void reset(uint64_t epoch) override {
    taken_ = 0;
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    state.number(static_cast<uint64_t>(taken_));
    input().save(state);
  }
  void restore(StateReader& state) override {
    taken_ = state.count(count_);
    input().restore(state);
  }
  int64_t indexed() const override { return std::min(input().indexed(), count_); }

 private:
  int64_t count_, taken_ = 0;
};

class SkipStage final : public OrderingStage {
 public:
  SkipStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, int64_t count)
      : OrderingStage(pipeline, "skip", std::move(inputs)), count_(count) {}

  bool claim(Ticket& ticket) override {
    pass();
    return input().claim(ticket);
  }
  int64_t skip(int64_t n) override {
    pass();
    return input().skip(n);
  }
  void reset(uint64_t epoch) override {
    passed_ = false;
    input().reset(epoch);
  }
  void save(StateWriter& state) const override {
    state.number(passed_);
    input().save(state);
  }
  void restore(StateReader& state) override {
    passed_ = state.count(1) != 0;
    input().restore(state);
  }
  int64_t indexed() const override {
    const int64_t n = input().indexed();
    return n < 0 ? -1 : std::max<int64_t>(0, n - count_);
  }
  void locate(int64_t index, Ticket& ticket) override { input().locate(index + count_, ticket); }

 private:
  void pass() {  // when the first element is asked for: opening a pipeline reads nothing
    if (std::exchange(passed_, true)) return;
    input().skip(count_);
  }
  int64_t count_;
  bool passed_ = false;
};

class TakeNode final : public Transform {
 public:
  TakeNode(NodePtr input, int64_t count) : Transform(std::move(input)), count_(count) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<TakeStage>(pipeline, open_input(pipeline), count_);
  }
  std::string describe() const override { return cat("take(", count_, ")"); }
  Keeps keeps() const override { return Keeps::tickets; }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    return n == kUnknown && count_ > 0 ? kUnknown
           : n == kInfinite            ? count_
                                       : std::min(std::max<int64_t>(n, 0), count_);
  }

 private:
  int64_t count_;
};

class SkipNode final : public Transform {
 public:
  SkipNode(NodePtr input, int64_t count) : Transform(std::move(input)), count_(count) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<SkipStage>(pipeline, open_input(pipeline), count_);
  }
  std::string describe() const override { return cat("skip(", count_, ")"); }
  Keeps keeps() const override { return Keeps::tickets; }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    return n < 0 ? n : std::max<int64_t>(0, n - count_);
  }

 private:
  int64_t count_;
};

}  // namespace

// A count below 0 means all elements, as in TensorFlow.
Dataset Dataset::take(int64_t count) const {
  return count < 0 ? *this : Dataset(std::make_shared<TakeNode>(node_, count));
}
Dataset Dataset::skip(int64_t count) const {
  return count < 0 ? take(0) : Dataset(std::make_shared<SkipNode>(node_, count));
}

}  // namespace brio::data
