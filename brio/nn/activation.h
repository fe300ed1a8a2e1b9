// Activations: functions, their names, and the layer that applies one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "brio/ir/tensor.h"
#include "brio/nn/module.h"

namespace brio::nn {

Tensor elu(const Tensor& x, double alpha = 1);           // x above 0, alpha (exp(x) - 1) below
Tensor gelu(const Tensor& x, bool approximate = false);  // x times the normal's integral; or its form with tanh
Tensor silu(const Tensor& x);                            // x sigmoid(x)

// An activation by name (linear relu sigmoid tanh softmax log_softmax softplus elu gelu silu swish), or any function.
class ActivationFunction {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  ActivationFunction(std::string_view name = "linear");  // throws InvalidArgument for an unknown one
  ActivationFunction(const char* name) : ActivationFunction(std::string_view(name)) {}
  ActivationFunction(const std::string& name) : ActivationFunction(std::string_view(name)) {}
  template <typename F>
  requires std::is_invocable_r_v<Tensor, const F&, const Tensor&> ActivationFunction(F function)
      : name_("function"), function_(std::move(function)) {}

  const std::string& name() const { return name_; }
  Tensor operator()(const Tensor& x) const { return function_(x); }

 private:
  std::string name_;
  Function function_;
};

struct LayerOptions {
  std::string name = {};
};

// The layer: nn::Activation("relu").
class Activation : public Layer {
 public:
  explicit Activation(ActivationFunction function, LayerOptions options = {});
};

}  // namespace brio::nn
