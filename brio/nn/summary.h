// The table that model.summary() prints, as Keras lays it out for 80 columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

// `inputs` are the module's inputs, or empty if not known yet. `optimizer` holds its variables.
std::string summary_table(Module& module, const std::vector<Spec>& inputs, std::span<const Variable> optimizer = {});

}  // namespace brio::nn
