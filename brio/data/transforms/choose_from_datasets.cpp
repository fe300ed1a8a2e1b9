// choose_from_datasets: a dataset of numbers says which dataset each element comes from.
#include "brio/base/error.h"
#include "brio/data/engine/directed_stage.h"
#include "brio/data/engine/parallel_stage.h"
#include "brio/ir/graph.h"

namespace brio::data {
namespace {

class ChooseStage final : public DirectedStage {
 public:
  using DirectedStage::DirectedStage;

 private:
  int64_t choose() override {
    choice_.count = 0;
    if (!input(datasets()).claim(choice_)) return -1;
    if (choice_.error) std::rethrow_exception(choice_.error);
    const Aval& aval = choice_.element.aval(0);
    if (aval.dtype != DType::i64 || aval.shape.rank() != 0)
      throw InvalidArgument(
          cat("[choose_from_datasets] a choice is ", format_aval(aval), "; it must be one number, i64[]"));
    const int64_t chosen = *choice_.element.as<int64_t>(0);
    if (chosen < 0 || chosen >= static_cast<int64_t>(datasets()))
      throw InvalidArgument(
          cat("[choose_from_datasets] dataset ", chosen, " was chosen; there are ", datasets(), ", counted from 0"));
    return chosen;
  }
  Ticket choice_;
};

class ChooseNode final : public DirectedNode {
 public:
  ChooseNode(const std::vector<Dataset>& datasets, NodePtr choice, bool stop)
      : DirectedNode("choose_from_datasets", datasets), choice_(std::move(choice)), stop_(stop) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    auto stages = open_inputs(pipeline);
    const size_t datasets = stages.size();
    stages.push_back(std::make_unique<ParallelStage>(pipeline, choice_->open(pipeline), ParallelOptions{}));
    return std::make_unique<ChooseStage>(pipeline, name_, std::move(stages), datasets, stop_);
  }
  std::string describe() const override {
    return cat(name_, "(", inputs_.size(), " datasets", stop_ ? ", stop_on_empty_dataset)" : ")");
  }
  int64_t cardinality() const override { return kUnknown; }
  std::vector<const Node*> inputs() const override {
    std::vector<const Node*> list = DirectedNode::inputs();
    list.push_back(choice_.get());
    return list;
  }

 private:
  NodePtr choice_;
  bool stop_;
};

}  // namespace

Dataset choose_from_datasets(const std::vector<Dataset>& datasets, const Dataset& choice, ChooseFromOptions options) {
  if (choice.structure().parts() != 1)
    throw InvalidArgument(cat("[choose_from_datasets] elements of the choice are ", choice.structure().str(),
                              "; they must be numbers"));
  return Dataset(std::make_shared<ChooseNode>(datasets, choice.node(), options.stop_on_empty_dataset));
}

}  // namespace brio::data
