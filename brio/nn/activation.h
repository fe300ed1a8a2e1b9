// Activations by name, and the layer that applies one. The functions are in brio/ops/network/activations.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "brio/ir/tensor.h"
#include "brio/nn/module.h"

namespace brio::nn {

// An activation of Keras by name ("relu", "gelu", …; the table is in activation.cpp), or any function.
class ActivationFunction {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  ActivationFunction(std::string_view name = "linear");  // throws InvalidArgument for an unknown name
  ActivationFunction(const char* name) : ActivationFunction(std::string_view(name)) {}
  ActivationFunction(const std::string& name) : ActivationFunction(std::string_view(name)) {}
  template <typename F>
  requires std::is_invocable_r_v<Tensor, const F&, const Tensor&> ActivationFunction(F function)
      : name_("function"), function_(std::move(function)) {}

  const std::string& name() const { return name_; }
  Tensor operator()(const Tensor& x) const { return function_(x); }
  bool known() const { return known_; }  // it was given by name

 private:
  std::string name_;
  Function function_;
  bool known_ = false;
};

// The layer: nn::Activation("relu").
class Activation : public Layer {
 public:
  explicit Activation(ActivationFunction function, LayerOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
