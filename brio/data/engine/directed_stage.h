// A stage that takes each element from one of several inputs, where something else decides which one: shared by
// choose_from_datasets and sample_from_datasets. Inputs after the datasets belong to the deciding side.
#pragma once

#include "brio/data/dataset.h"

namespace brio::data {

class DirectedStage : public Stage {
 public:
  DirectedStage(Pipeline& pipeline, std::string name, std::vector<std::unique_ptr<Stage>> inputs, size_t datasets,
                bool stop_on_empty)
      : Stage(pipeline, std::move(name), std::move(inputs)), ended_(datasets), stop_(stop_on_empty) {}

  bool claim(Ticket& ticket) final;
  void compute(Ticket& ticket, Element& out, Worker& worker) final;
  void reset(uint64_t epoch) override;
  void save(StateWriter& state) const override;
  void restore(StateReader& state) override;

 protected:
  // The number of the next input; -1: the stage ends here. May throw: that place is then an error.
  virtual int64_t choose() = 0;
  bool ended(size_t dataset) const { return ended_[dataset]; }
  size_t datasets() const { return ended_.size(); }
  uint64_t epoch() const { return place_.epoch; }

 private:
  std::vector<bool> ended_;
  bool stop_, stopped_ = false;
  size_t left_ = 0;
  Place place_;
};

// A node with several inputs whose elements have the same structure.
class DirectedNode : public Node {
 public:
  DirectedNode(const char* name, const std::vector<Dataset>& datasets);  // throws InvalidArgument
  Structure structure() const override { return inputs_[0]->structure(); }
  std::vector<const Node*> inputs() const override;

 protected:
  std::vector<std::unique_ptr<Stage>> open_inputs(Pipeline& pipeline) const;
  const char* name_;
  std::vector<NodePtr> inputs_;
};

}  // namespace brio::data
