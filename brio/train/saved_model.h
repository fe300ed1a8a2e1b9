// SavedModels in files, from a description of the objects. saved_model.json has the description, with the graphs of
// functions as text, and names the safetensors file with the values of variables and constants. It is written last,
// so a reader sees the old or the new one. Python describes any object, `export_model` (export.h) a model.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "brio/ops/control/body_variables.h"

namespace brio::train {

// `described` has "objects" and "signatures", whose graphs refer to variables and constants by number.
void write_saved_model(const std::string& folder, const nlohmann::ordered_json& described,
                       std::span<const VariableRef> variables, std::span<const Tensor> constants);

}  // namespace brio::train
