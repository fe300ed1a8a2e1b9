// Which variables a model holds under which path, as Keras' weight files name them: "layers/dense/vars/0".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "brio/nn/module.h"
#include "brio/nn/optimizers/optimizer.h"

namespace brio::nn {

// Something with variables of its own.
struct WeightEntry {
  std::string path;  // "layers/dense"; of the model itself ""
  std::string name;
  std::vector<Variable> variables;
};

// "BatchNormalization" → "batch_normalization", "SGD" → "sgd", as Keras names things.
std::string snake_case(std::string_view name);

// Those of a layer, without those of the layers inside: what can be trained first.
std::vector<Variable> own_variables(const Layer& layer);

// Every layer of a model, each once, in the order in which Keras writes them. A path may stand before all of them.
// `foreign` is asked of each layer inside: true says that it has entries of its own making, which were added.
using ForeignEntries =
    std::function<bool(const Layer& layer, const std::string& path, std::vector<WeightEntry>& into)>;
std::vector<WeightEntry> weight_entries(const Layer& model, const std::string& path = {},
                                        const ForeignEntries& foreign = {});
// Those of an optimizer, under "optimizer".
std::vector<WeightEntry> weight_entries(const Optimizer& optimizer);

}  // namespace brio::nn
