#include "brio/nn/settings_json.h"

#include <algorithm>

#include "brio/base/error.h"

namespace brio::nn {

Json object_json(std::string_view module, std::string_view kind, Json config) {
  return {{"module", module}, {"class_name", kind}, {"config", std::move(config)}, {"registered_name", nullptr}};
}

Json settings_json(std::string_view module, std::string_view what, std::string_view name, const Settings& settings) {
  if (settings.class_name.empty())
    throw InvalidArgument(
        cat("[config] the ", what, " '", name, "' is a function of your own and cannot be written to a config"));
  Json config = Json::object();
  for (const auto& [key, value] : settings.values)
    std::visit(
        [&, &name_ = key](const auto& v) {
          if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>) config[name_] = nullptr;
          else config[name_] = v;
        },
        value);
  return object_json(module, settings.class_name, std::move(config));
}

Settings settings_of(const Json& json) {
  Settings settings{json.at("class_name").get<std::string>(), {}};
  const Json config = json.value("config", Json::object());
  for (const auto& [key, value] : config.items()) {
    if (value.is_boolean()) settings.values.emplace_back(key, value.get<bool>());
    else if (value.is_number_integer()) settings.values.emplace_back(key, value.get<int64_t>());
    else if (value.is_number()) settings.values.emplace_back(key, value.get<double>());
    else if (value.is_string()) settings.values.emplace_back(key, value.get<std::string>());
    else if (value.is_null()) settings.values.emplace_back(key, Setting());
    else if (value.is_array() && std::ranges::all_of(value, [](const Json& each) { return each.is_number(); }))
      settings.values.emplace_back(key, value.get<std::vector<double>>());
    else
      throw InvalidArgument(cat("[config] '", key, "' of ", settings.class_name, " is ", value.type_name(),
                                "; a number, text, true, false or null is expected"));
  }
  return settings;
}

}  // namespace brio::nn
