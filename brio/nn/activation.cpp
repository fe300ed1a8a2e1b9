#include "brio/nn/activation.h"

#include "brio/nn/config.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/network/composites.h"

namespace brio::nn {
namespace {

struct ActivationRow {
  std::string_view name;
  Tensor (*function)(const Tensor&);
};
constexpr ActivationRow kActivations[] = {
    {"linear", [](const Tensor& x) { return x; }},
    {"relu", [](const Tensor& x) { return relu(x); }},
    {"relu6", [](const Tensor& x) { return relu6(x); }},
    {"leaky_relu", [](const Tensor& x) { return leaky_relu(x); }},
    {"elu", [](const Tensor& x) { return elu(x); }},
    {"selu", [](const Tensor& x) { return selu(x); }},
    {"celu", [](const Tensor& x) { return celu(x); }},
    {"gelu", [](const Tensor& x) { return gelu(x); }},
    {"silu", [](const Tensor& x) { return silu(x); }},
    {"swish", [](const Tensor& x) { return silu(x); }},
    {"mish", [](const Tensor& x) { return mish(x); }},
    {"sigmoid", [](const Tensor& x) { return sigmoid(x); }},
    {"log_sigmoid", [](const Tensor& x) { return log_sigmoid(x); }},
    {"hard_sigmoid", [](const Tensor& x) { return hard_sigmoid(x); }},
    {"sparse_sigmoid", [](const Tensor& x) { return sparse_sigmoid(x); }},
    {"hard_silu", [](const Tensor& x) { return hard_silu(x); }},
    {"hard_swish", [](const Tensor& x) { return hard_silu(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }},
    {"hard_tanh", [](const Tensor& x) { return hard_tanh(x); }},
    {"tanh_shrink", [](const Tensor& x) { return tanh_shrink(x); }},
    {"soft_shrink", [](const Tensor& x) { return soft_shrink(x); }},
    {"hard_shrink", [](const Tensor& x) { return hard_shrink(x); }},
    {"softmax", [](const Tensor& x) { return softmax(x); }},
    {"log_softmax", [](const Tensor& x) { return log_softmax(x); }},
    {"sparsemax", [](const Tensor& x) { return sparsemax(x); }},
    {"softplus", [](const Tensor& x) { return softplus(x); }},
    {"softsign", [](const Tensor& x) { return softsign(x); }},
    {"squareplus", [](const Tensor& x) { return squareplus(x); }},
    {"sparse_plus", [](const Tensor& x) { return sparse_plus(x); }},
    {"exponential", [](const Tensor& x) { return exp(x); }},
    {"glu", [](const Tensor& x) { return glu(x); }},
};

class ActivationModule : public Module {
 public:
  ActivationModule(ActivationFunction function, const LayerOptions& options)
      : Module("activation", options), function_(std::move(function)) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Activation"; }
  void describe(Fields& f) override { f("activation", function_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override { return function_(x); }

 private:
  ActivationFunction function_;
};

}  // namespace

ActivationFunction::ActivationFunction(std::string_view name)
    : name_(name), function_(row_named("activation", name, kActivations).function), known_(true) {}

Activation::Activation(ActivationFunction function, LayerOptions options)
    : Layer(std::make_shared<ActivationModule>(std::move(function), options)) {}
Layer Activation::from_config(Fields& f) {
  const auto options = options_from<LayerOptions>(f);
  ActivationFunction function;
  f("activation", function);
  return Activation(function, options);
}

}  // namespace brio::nn
