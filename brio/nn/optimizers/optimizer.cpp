#include "brio/nn/optimizers/optimizer.h"

#include <algorithm>
#include <cctype>

#include "brio/nn/names.h"
#include "brio/nn/optimizers/step_gate.h"
#include "brio/nn/option_fields.h"
#include "brio/profile/recorder.h"

namespace brio::nn {
namespace {

template <typename T>
Optimizer make_default() {
  return T();
}
template <typename T, typename Options>
Optimizer make_of(const Settings& settings, const LearningRate& rate) {
  return T(rate, options_of<Options>(settings));
}

struct OptimizerRow {
  std::string_view name;
  Optimizer (*make)();
  Optimizer (*make_of)(const Settings& settings, const LearningRate& rate);
};
constexpr OptimizerRow kOptimizers[] = {
#define BRIO_OPTIMIZER(Class, name, rate) {name, make_default<Class>, make_of<Class, Class##Options>},
#include "brio/nn/optimizers/optimizer_kinds.h"
};

// Names of classes are found too: Keras looks them up without regard to capitals.
std::string in_small_letters(std::string_view name) {
  std::string small(name);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

}  // namespace

Optimizer::Optimizer(std::string_view name)
    : Optimizer(row_named("optimizer", in_small_letters(name), kOptimizers).make()) {}

Optimizer Optimizer::from(const Settings& settings, const LearningRate& rate) {
  return row_named("optimizer", in_small_letters(settings.class_name), kOptimizers).make_of(settings, rate);
}

void Optimizer::apply_gradients(std::vector<Tensor> gradients, std::span<const Variable> variables, const char* file,
                                uint32_t line) const {
  profile::step_ends_at(file, line);
  Tensor gate;
  if (StepGate* const step = StepGate::current()) {
    // What scales the loss has a gate of its own over gradients, by which it finds the scale.
    if (!core_->inner()) step->watch(gradients);
    gate = step->open();
  }
  core_->apply(std::move(gradients), variables, gate);
}
const std::string& Optimizer::name() const { return core_->name(); }
Tensor Optimizer::learning_rate() const { return core_->learning_rate(); }
void Optimizer::set_learning_rate(const LearningRate& rate) const { core_->set_learning_rate(rate); }
Tensor Optimizer::iterations() const { return core_->iterations(); }
Tensor Optimizer::scale_loss(const Tensor& loss) const { return core_->scale_loss(loss); }
bool Optimizer::scales_loss() const { return core_->scales_loss(); }
void Optimizer::set_learning_rate_multiplier(const Variable& variable, double factor) const {
  core_->set_multiplier(variable, factor);
}
void Optimizer::exclude_from_weight_decay(std::span<const Variable> variables,
                                          std::span<const std::string> names) const {
  core_->exclude_from_decay(variables, names);
}
void Optimizer::finalize_variable_values(std::span<const Variable> variables) const { core_->finalize(variables); }
std::vector<Variable> Optimizer::variables() const { return core_->variables(); }
void Optimizer::build(std::span<const Variable> variables) const { core_->build(variables); }

}  // namespace brio::nn
