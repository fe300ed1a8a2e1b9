// Chain: modules one after the other. nn::Sequential (brio/train/model.h) is a model whose module is one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

class Chain : public MultiModule {
 public:
  // With the shape of one input (no batch axis) the weights are made at once.
  explicit Chain(std::vector<Layer> layers, std::string name = {}, std::optional<Shape> input_shape = {});

  std::string_view kind() const override { return "Sequential"; }
  void describe(Fields& fields) override;
  static Layer from_config(Fields& fields);
  void add(Layer layer);                                             // before the first call
  void expect(Spec input) { expected_ = std::move(input); }          // what an Input before it says
  const std::vector<Spec>& built_for() const { return built_for_; }  // the input's shape; empty while it is not built

 protected:
  void create_all(const std::vector<Shape>& inputs) override;
  void check_all(const std::vector<Shape>& inputs) const override;
  Tensors call_all(const Tensors& inputs, const Call& how) override;
  Tensors compute_masks(const Tensors&, const Call&, size_t) const override { return {}; }  // results carry theirs

 private:
  std::vector<Layer> order_;  // in which layers run; one may come several times
  std::vector<Spec> built_for_;
  std::optional<Spec> expected_;
};

}  // namespace brio::nn
