// The arguments of compile() as JSON, in Keras' form ("compile_config" of a .keras file).
#pragma once

#include <nlohmann/json.hpp>

#include "brio/train/model.h"

namespace brio::train {

// Throws InvalidArgument for a loss, metric, schedule or step that is a user's function.
nlohmann::ordered_json compile_json(const nn::CompileOptions& options);
nn::CompileOptions compile_options(const nlohmann::ordered_json& json);

}  // namespace brio::train
