// The table that model.summary() prints, as Keras lays it out for 80 columns.
#pragma once

#include <span>
#include <string>

#include "brio/nn/module.h"

namespace brio::nn {

// `input` is the shape that the module was built with, or a scalar's when it was not. `optimizer` are its variables.
std::string summary_table(const Module& module, const Shape& input, std::span<const Variable> optimizer = {});

}  // namespace brio::nn
