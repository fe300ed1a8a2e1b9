// repeat(n): the input n times, each an epoch of its own, so that a shuffle below it has a new order each time.
#include "brio/base/error.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/restore_time.h"

namespace brio::data {
namespace {

class RepeatStage final : public OrderingStage {
 public:
  RepeatStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, int64_t times)
      : OrderingStage(pipeline, "repeat", std::move(inputs)), times_(times) {}

  bool claim(Ticket& ticket) override {
    while (times_ < 0 || done_ < times_) {
      if (input().claim(ticket)) {
        empty_ = false;
        return true;
      }
      if (!next_epoch()) return false;
    }
    return false;
  }
  int64_t skip(int64_t n) override {
    if (times_ >= 0 && done_ >= times_) return 0;
    int64_t passed = 0;
    if (const int64_t each = input().indexed(); each > 0 && n / each > 1) {  // whole epochs at once
      // All of this epoch that is left, then as many whole ones as there are.
      passed = input().skip(n);
      const int64_t epochs = std::min((n - passed) / each, times_ < 0 ? INT64_MAX : times_ - done_ - 1);
      done_ += epochs;
      passed += epochs * each;
      empty_ = false;
      if (passed < n && !next_epoch()) return passed;
    }
    while (passed < n && (times_ < 0 || done_ < times_)) {
      pipeline_.replay->check();
      const int64_t now = input().skip(n - passed);
      passed += now;
      empty_ &= now == 0;
      if (passed < n && !next_epoch()) break;
    }
    return passed;
  }

  void reset(uint64_t epoch) override {
    epoch_ = epoch;
    done_ = 0;
    empty_ = true;
    input().reset(first_epoch());
  }
  void save(StateWriter& state) const override {
    state.number(epoch_);
    state.number(static_cast<uint64_t>(done_));
    state.number(empty_);
    input().save(state);
  }
  void restore(StateReader& state) override {
    epoch_ = state.number();
    done_ = times_ < 0 ? state.count() : state.count(times_);
    empty_ = state.count(1) != 0;
    input().restore(state);
  }
  int64_t indexed() const override { return -1; }

 private:
  uint64_t first_epoch() const { return times_ > 0 ? epoch_ * static_cast<uint64_t>(times_) : epoch_ << 32; }
  bool next_epoch() {
    ++done_;
    if (times_ < 0 && empty_) return false;  // for ever nothing is nothing
    if (times_ >= 0 && done_ >= times_) return false;
    input().reset(first_epoch() + static_cast<uint64_t>(done_));
    return true;
  }
  int64_t times_, done_ = 0;
  uint64_t epoch_ = 0;
  bool empty_ = true;
};

class RepeatNode final : public Transform {
 public:
  RepeatNode(NodePtr input, int64_t times) : Transform(std::move(input)), times_(times) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<RepeatStage>(pipeline, open_input(pipeline), times_);
  }
  std::string describe() const override { return times_ < 0 ? "repeat()" : cat("repeat(", times_, ")"); }
  Keeps keeps() const override { return Keeps::tickets; }
  int64_t cardinality() const override {
    const int64_t n = input().cardinality();
    if (n == 0 || times_ == 0) return 0;
    if (times_ < 0) return n == kUnknown ? kUnknown : kInfinite;
    if (n < 0) return n;
    return n > INT64_MAX / times_ ? kInfinite : n * times_;
  }

 private:
  int64_t times_;
};

}  // namespace

Dataset Dataset::repeat(int64_t count) const {
  return Dataset(std::make_shared<RepeatNode>(node_, count < 0 ? -1 : count));
}

}  // namespace brio::data
