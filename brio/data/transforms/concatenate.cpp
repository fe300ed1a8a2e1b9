// concatenate(other): the elements of this dataset, then those of the other.
#include "brio/base/error.h"
#include "brio/data/dataset.h"

namespace brio::data {
namespace {

class ConcatenateStage final : public Stage {
 public:
  ConcatenateStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs)
      : Stage(pipeline, "concatenate", std::move(inputs)) {}

  bool claim(Ticket& ticket) override {
    for (; which_ < inputs().size(); ++which_) {
      ticket.count = 0;
      if (!input(which_).claim(ticket.add_inner())) continue;
      ticket.input = which_;
      place_.take(ticket);
      return true;
    }
    return false;
  }
  int64_t skip(int64_t n) override {
    int64_t passed = 0;
    for (; which_ < inputs().size(); ++which_) {
      passed += input(which_).skip(n - passed);
      if (passed == n) break;
    }
    place_.at += passed;
    return passed;
  }
  void reset(uint64_t epoch) override {
    which_ = 0;
    place_.begin(epoch);
    for (const auto& each : inputs()) each->reset(epoch);
  }
  void save(StateWriter& state) const override {
    state.number(which_);
    place_.save(state);
    for (const auto& each : inputs()) each->save(state);
  }
  void restore(StateReader& state) override {
    which_ = static_cast<size_t>(state.count(static_cast<int64_t>(inputs().size())));
    place_.restore(state);
    for (const auto& each : inputs()) each->restore(state);
  }
  int64_t indexed() const override {
    const int64_t first = input(0).indexed(), second = input(1).indexed();
    return first < 0 || second < 0 || first > INT64_MAX - second ? -1 : first + second;
  }
  void locate(int64_t index, Ticket& ticket) override {
    const int64_t first = input(0).indexed();
    const size_t which = index < first ? 0 : 1;
    ticket.count = 0;
    input(which).locate(which == 0 ? index : index - first, ticket.add_inner());
    ticket.input = which;
    place_.number(ticket, index);
  }
  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    input(ticket.input).make(ticket.inner[0], out, worker);
  }
  std::optional<FilePlace> origin(const Ticket& ticket) const override {
    return input(ticket.input).origin(ticket.inner[0]);
  }

 private:
  size_t which_ = 0;
  Place place_;
};

class ConcatenateNode final : public Transform {
 public:
  ConcatenateNode(NodePtr first, NodePtr second) : Transform(std::move(first)), second_(std::move(second)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto stages = open_input(pipeline);
    stages.push_back(second_->open(pipeline));
    return std::make_unique<ConcatenateStage>(pipeline, std::move(stages));
  }
  std::string describe() const override { return "concatenate"; }
  int64_t cardinality() const override {
    const int64_t first = input().cardinality(), second = second_->cardinality();
    if (first == kInfinite || second == kInfinite) return kInfinite;
    if (first < 0 || second < 0) return kUnknown;
    return first > INT64_MAX - second ? kInfinite : first + second;
  }
  std::vector<const Node*> inputs() const override { return {&input(), second_.get()}; }

 private:
  NodePtr second_;
};

}  // namespace

Dataset Dataset::concatenate(const Dataset& other) const {
  if (!(structure() == other.structure()))
    throw InvalidArgument(cat("[concatenate] elements here are ", structure().str(), ", those of the other dataset ",
                              other.structure().str(), "; map() one of them to the other's structure"));
  return Dataset(std::make_shared<ConcatenateNode>(node_, other.node()));
}

}  // namespace brio::data
