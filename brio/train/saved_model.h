// SavedModels in files, of objects that are described already: saved_model.json says what they are, with the graphs
// of functions as text, and names the safetensors file with the values of variables and constants. It is written
// last, so that a reader sees the old or the new. Python describes any object; `export_model` (export.h) a model.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "brio/ops/control/body_variables.h"

namespace brio::train {

// `described` has "objects" and "signatures", whose graphs number variables and constants.
void write_saved_model(const std::string& folder, const nlohmann::ordered_json& described,
                       std::span<const VariableRef> variables, std::span<const Tensor> constants);

}  // namespace brio::train
