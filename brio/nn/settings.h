// Settings: the arguments of a small named function (initialiser, regulariser, constraint), for its config.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace brio::nn {

using Setting = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<double>>;  // first: none

struct Settings {
  std::string class_name = {};  // Keras' name for it, "GlorotUniform"; empty if it has no config
  std::vector<std::pair<std::string, Setting>> values = {};

  const Setting* find(std::string_view name) const;  // nullptr if it is not set
  bool has(std::string_view name) const;             // also true if it is set to none
  // The value, or `otherwise` if it is not set. These throw InvalidArgument for a value of another kind.
  double number(std::string_view name, double otherwise) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  bool truth(std::string_view name, bool otherwise) const;
  std::vector<double> list(std::string_view name) const;  // a number is a list of one
};

}  // namespace brio::nn
