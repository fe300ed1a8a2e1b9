// The names of an enum's values in configs and in Python stand once, beside the enum:
//
//   enum class Curve : uint8_t { roc, pr };
//   constexpr auto value_names(Curve) {
//     return std::to_array<ValueName<Curve>>({{"ROC", Curve::roc}, {"PR", Curve::pr}});
//   }
//
// If a value has several names, name_of gives the first.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "brio/base/error.h"

namespace brio {

template <typename Enum>
struct ValueName {
  std::string_view name;
  Enum value;
};

template <typename Enum>
concept HasValueNames = requires(Enum value) {
  value_names(value);
};

template <HasValueNames Enum>
std::string_view name_of(Enum value) {
  for (const ValueName<Enum>& each : value_names(value))
    if (each.value == value) return each.name;
  throw InternalError("an enum has a value without a name");
}

template <HasValueNames Enum>
std::optional<Enum> value_named(std::string_view name) {
  for (const ValueName<Enum>& each : value_names(Enum{}))
    if (each.name == name) return each.value;
  return {};
}

}  // namespace brio
