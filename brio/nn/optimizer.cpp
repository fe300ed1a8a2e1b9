#include "brio/nn/optimizer.h"

#include <algorithm>
#include <cctype>

#include "brio/nn/names.h"

namespace brio::nn {
namespace {

template <typename T>
Optimizer make_default() {
  return T();
}

struct OptimizerRow {
  std::string_view name;
  Optimizer (*make)();
};
constexpr OptimizerRow kOptimizers[] = {
    {"sgd", make_default<SGD>},         {"rmsprop", make_default<RMSprop>},   {"adam", make_default<Adam>},
    {"adamw", make_default<AdamW>},     {"adamax", make_default<Adamax>},     {"nadam", make_default<Nadam>},
    {"adagrad", make_default<Adagrad>}, {"adadelta", make_default<Adadelta>}, {"adafactor", make_default<Adafactor>},
    {"ftrl", make_default<Ftrl>},       {"lion", make_default<Lion>},         {"lamb", make_default<Lamb>},
    {"muon", make_default<Muon>},
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

void Optimizer::apply_gradients(std::vector<Tensor> gradients, std::span<const Variable> variables) const {
  core_->apply(std::move(gradients), variables, {});
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
