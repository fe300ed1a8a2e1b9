// The paths of a model's variables, as in Keras' weight files: "layers/dense/vars/0".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "brio/nn/module.h"
#include "brio/nn/optimizers/optimizer.h"

namespace brio::nn {

// An object with variables of its own.
struct WeightEntry {
  std::string path;  // "layers/dense"; "" for the model itself
  std::string name;
  std::vector<Variable> variables;
};

// "BatchNormalization" → "batch_normalization", "SGD" → "sgd", as in Keras.
std::string snake_case(std::string_view name);

// The variables of a layer, without those of inner layers: trainable ones first.
std::vector<Variable> own_variables(const Layer& layer);

// Every layer of a model, each once, in Keras' order of writing. All paths begin with `path`. `foreign` is called for
// each inner layer: true means that it has added entries of its own.
using ForeignEntries =
    std::function<bool(const Layer& layer, const std::string& path, std::vector<WeightEntry>& into)>;
std::vector<WeightEntry> weight_entries(const Layer& model, const std::string& path = {},
                                        const ForeignEntries& foreign = {});
// The variables of an optimizer, under "optimizer".
std::vector<WeightEntry> weight_entries(const Optimizer& optimizer);

}  // namespace brio::nn
