// Chain: modules one after the other. nn::Sequential (brio/train/model.h) is a model with a Chain as its module.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

class Chain : public MultiModule {
 public:
  // With the shape of one input (without the batch axis) the weights are made at once.
  explicit Chain(std::vector<Layer> layers, std::string name = {}, std::optional<Shape> input_shape = {});

  std::string_view kind() const override { return "Sequential"; }
  void describe(Fields& fields) override;
  static Layer from_config(Fields& fields);
  void add(Layer layer);                                             // before the first call
  void expect(Spec input) { expected_ = std::move(input); }          // from an Input before it
  const std::vector<Spec>& built_for() const { return built_for_; }  // the input's shape; empty before it is built

 protected:
  void create_all(const std::vector<Shape>& inputs) override;
  void check_all(const std::vector<Shape>& inputs) const override;
  Tensors call_all(const Tensors& inputs, const Call& how) override;
  Tensors compute_masks(const Tensors&, const Call&, size_t) const override { return {}; }  // on the results

 private:
  std::vector<Layer> order_;  // the order of the calls; a layer may occur several times
  std::vector<Spec> built_for_;
  std::optional<Spec> expected_;
};

}  // namespace brio::nn
