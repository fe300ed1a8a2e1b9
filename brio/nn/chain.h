// Chain: modules one after the other. nn::Sequential (brio/train/model.h) is a model whose module is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

class Chain : public Module {
 public:
  // With the shape of one input (no batch axis) the weights are made at once.
  explicit Chain(std::vector<Layer> layers, std::string name = {}, std::optional<Shape> input_shape = {});

  std::string_view kind() const override { return "Sequential"; }
  Shape output_shape(const Shape& input) const override;
  void add(Layer layer);                                 // before the first call
  const Shape& built_for() const { return built_for_; }  // the input's shape; a scalar's while it is not built

 protected:
  void create_weights(const Shape& input) override;
  void check_input(const Shape& input) const override;
  Tensor call(const Tensor& inputs, bool training) override;

 private:
  Shape built_for_;
};

}  // namespace brio::nn
