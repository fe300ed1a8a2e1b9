#include "brio/nn/settings.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"

namespace brio::nn {
namespace {

[[noreturn]] void refuse(const Settings& settings, std::string_view name, const char* wanted) {
  throw InvalidArgument(cat("[", settings.class_name, "] '", name, "' must be ", wanted));
}

}  // namespace

const Setting* Settings::find(std::string_view name) const {
  for (const auto& [key, value] : values)
    if (key == name && !std::holds_alternative<std::monostate>(value)) return &value;
  return nullptr;
}

bool Settings::has(std::string_view name) const {
  return std::ranges::any_of(values, [&](const auto& row) { return row.first == name; });
}

double Settings::number(std::string_view name, double otherwise) const {
  const Setting* found = find(name);
  if (!found) return otherwise;
  if (const auto* real = std::get_if<double>(found)) return *real;
  if (const auto* whole = std::get_if<int64_t>(found)) return static_cast<double>(*whole);
  refuse(*this, name, "a number");
}

int64_t Settings::integer(std::string_view name, int64_t otherwise) const {
  const Setting* found = find(name);
  if (!found) return otherwise;
  if (const auto* whole = std::get_if<int64_t>(found)) return *whole;
  if (const auto* real = std::get_if<double>(found); real && std::abs(*real) < 1e15 && std::floor(*real) == *real)
    return static_cast<int64_t>(*real);
  refuse(*this, name, "a whole number");
}

std::string Settings::text(std::string_view name, std::string_view otherwise) const {
  const Setting* found = find(name);
  if (!found) return std::string(otherwise);
  if (const auto* text = std::get_if<std::string>(found)) return *text;
  refuse(*this, name, "a text");
}

bool Settings::truth(std::string_view name, bool otherwise) const {
  const Setting* found = find(name);
  if (!found) return otherwise;
  if (const auto* truth = std::get_if<bool>(found)) return *truth;
  refuse(*this, name, "true or false");
}

std::vector<double> Settings::list(std::string_view name) const {
  const Setting* found = find(name);
  if (!found) return {};
  if (const auto* list = std::get_if<std::vector<double>>(found)) return *list;
  return {number(name, 0)};
}

}  // namespace brio::nn
