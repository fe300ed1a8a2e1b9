#include "brio/nn/activation.h"

#include <cmath>
#include <numbers>

#include "brio/nn/names.h"
#include "brio/ops/composites.h"
#include "brio/ops/elementwise.h"

namespace brio::nn {
namespace {

struct Row {
  std::string_view name;
  Tensor (*function)(const Tensor&);
};
constexpr Row kRows[] = {
    {"linear", [](const Tensor& x) { return x; }},
    {"relu", [](const Tensor& x) { return relu(x); }},
    {"sigmoid", [](const Tensor& x) { return sigmoid(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }},
    {"softmax", [](const Tensor& x) { return softmax(x); }},
    {"log_softmax", [](const Tensor& x) { return log_softmax(x); }},
    {"softplus", [](const Tensor& x) { return softplus(x); }},
    {"elu", [](const Tensor& x) { return elu(x); }},
    {"gelu", [](const Tensor& x) { return gelu(x); }},
    {"silu", [](const Tensor& x) { return silu(x); }},
    {"swish", [](const Tensor& x) { return silu(x); }},
};

class ActivationModule : public Module {
 public:
  ActivationModule(ActivationFunction function, std::string name)
      : Module("activation", std::move(name)), function_(std::move(function)) {}
  std::string_view kind() const override { return "Activation"; }
  Shape output_shape(const Shape& input) const override { return input; }

 protected:
  Tensor call(const Tensor& x, bool) override { return function_(x); }

 private:
  ActivationFunction function_;
};

}  // namespace

Tensor elu(const Tensor& x, double alpha) {
  const Tensor zero = constant(0, x.dtype());
  // The side that is not taken is kept finite: its gradient is multiplied by 0, and 0 · ∞ would be NaN.
  Tensor below = expm1(minimum(x, zero));
  if (alpha != 1) below = below * constant(alpha, x.dtype());
  return select(greater(x, zero), x, below);
}

Tensor gelu(const Tensor& x, bool approximate) {
  const DType t = x.dtype();
  const Tensor half = constant(0.5, t), one = constant(1, t);
  if (!approximate) return half * x * (one + erf(x * constant(std::numbers::sqrt2 / 2, t)));
  const Tensor inner = constant(std::sqrt(2 / std::numbers::pi), t) * (x + constant(0.044715, t) * x * square(x));
  return half * x * (one + tanh(inner));
}

Tensor silu(const Tensor& x) { return x * sigmoid(x); }

ActivationFunction::ActivationFunction(std::string_view name)
    : name_(name), function_(row_named("activation", name, kRows).function) {}

Activation::Activation(ActivationFunction function, LayerOptions options)
    : Layer(std::make_shared<ActivationModule>(std::move(function), std::move(options.name))) {}

}  // namespace brio::nn
