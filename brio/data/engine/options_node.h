// with_options: how a pipeline runs. The options nearest to the reader apply.
#pragma once

#include "brio/data/dataset.h"

namespace brio::data {

class OptionsNode final : public Transform {
 public:
  OptionsNode(NodePtr input, Options options) : Transform(std::move(input)), options_(options) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override { return input().open(pipeline); }
  std::string describe() const override { return "with_options"; }
  Keeps keeps() const override { return Keeps::tickets; }
  const Options& options() const { return options_; }

 private:
  Options options_;
};

Options options_of(const Node& node);

}  // namespace brio::data
