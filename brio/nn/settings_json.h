// Settings as JSON, in Keras' form: {"module": …, "class_name": …, "config": {…}, "registered_name": null}.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "brio/nn/settings.h"

namespace brio::nn {

using Json = nlohmann::ordered_json;

Json object_json(std::string_view module, std::string_view kind, Json config);

// Throws InvalidArgument for a user's function, which has no settings: `what` and `name` are for the
// message.
Json settings_json(std::string_view module, std::string_view what, std::string_view name, const Settings& settings);

Settings settings_of(const Json& json);

}  // namespace brio::nn
