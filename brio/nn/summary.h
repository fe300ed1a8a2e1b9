// The table that model.summary() prints, as Keras lays it out for 80 columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

// `inputs` are what the module takes, or empty when that is not known yet. `optimizer` are its variables.
std::string summary_table(Module& module, const std::vector<Spec>& inputs, std::span<const Variable> optimizer = {});

}  // namespace brio::nn
