// zip: elements of several datasets side by side, until one of them ends. enumerate(): the same with a range.
#include "brio/base/error.h"
#include "brio/data/dataset.h"

namespace brio::data {
namespace {

class ZipStage final : public Stage {
 public:
  ZipStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs)
      : Stage(pipeline, "zip", std::move(inputs)) {}

  bool claim(Ticket& ticket) override {
    ticket.count = 0;
    for (const auto& each : inputs())
      if (!each->claim(ticket.add_inner())) return false;
    place_.take(ticket);
    return true;
  }
  int64_t skip(int64_t n) override {
    for (const auto& each : inputs()) n = std::min(n, each->skip(n));
    place_.at += n;
    return n;
  }
  void reset(uint64_t epoch) override {
    place_.begin(epoch);
    for (const auto& each : inputs()) each->reset(epoch);
  }
  void save(StateWriter& state) const override {
    place_.save(state);
    for (const auto& each : inputs()) each->save(state);
  }
  void restore(StateReader& state) override {
    place_.restore(state);
    for (const auto& each : inputs()) each->restore(state);
  }
  int64_t indexed() const override {
    int64_t n = INT64_MAX;
    for (const auto& each : inputs()) n = std::min(n, each->indexed());
    return n;
  }
  void locate(int64_t index, Ticket& ticket) override {
    ticket.count = 0;
    for (const auto& each : inputs()) each->locate(index, ticket.add_inner());
    place_.number(ticket, index);
  }
  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    Element& each = scratch(worker);
    out.resize(0);
    for (size_t i = 0; i < inputs().size(); ++i) {
      input(i).make(ticket.inner[i], each, worker);
      for (size_t k = 0; k < each.size(); ++k) out.take(out.size(), each, k);
    }
  }

 private:
  Place place_;
};

class ZipNode final : public Node {
 public:
  ZipNode(const std::vector<Dataset>& datasets, std::vector<std::string> names) {
    std::vector<Structure> items;
    for (const Dataset& each : datasets) {
      inputs_.push_back(each.node());
      items.push_back(each.structure());
    }
    structure_ =
        names.empty() ? Structure::tuple(std::move(items)) : Structure::named(std::move(names), std::move(items));
  }
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    std::vector<std::unique_ptr<Stage>> stages;
    for (const NodePtr& each : inputs_) stages.push_back(each->open(pipeline));
    return std::make_unique<ZipStage>(pipeline, std::move(stages));
  }
  std::string describe() const override { return cat("zip(", inputs_.size(), " datasets)"); }
  Structure structure() const override { return structure_; }
  int64_t cardinality() const override {
    int64_t least = kInfinite;
    bool unknown = false;
    for (const NodePtr& each : inputs_) {
      const int64_t n = each->cardinality();
      unknown |= n == kUnknown;
      if (n >= 0) least = least < 0 ? n : std::min(least, n);
    }
    return unknown && least != 0 ? kUnknown : least;
  }
  std::vector<const Node*> inputs() const override {
    std::vector<const Node*> list;
    for (const NodePtr& each : inputs_) list.push_back(each.get());
    return list;
  }

 private:
  std::vector<NodePtr> inputs_;
  Structure structure_;
};

}  // namespace

Dataset zip(const std::vector<Dataset>& datasets, std::vector<std::string> names) {
  if (datasets.empty()) throw InvalidArgument("[zip] there are no datasets; give one or more");
  return Dataset(std::make_shared<ZipNode>(datasets, std::move(names)));
}
Dataset zip(const std::vector<Dataset>& datasets) { return zip(datasets, {}); }

Dataset Dataset::enumerate(int64_t start) const {
  return zip({range(start, start < 0 ? start + INT64_MAX : INT64_MAX), *this});
}

}  // namespace brio::data
