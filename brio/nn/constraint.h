// Constraints: applied to a weight after each update, with Keras' defaults.
//
//   nn::Dense(64, {.kernel_constraint = nn::max_norm(3)})
//   nn::Dense(64, {.bias_constraint = "non_neg"})
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ir/tensor.h"
#include "brio/nn/settings.h"

namespace brio::nn {

class Constraint {
 public:
  using Function = std::function<Tensor(const Tensor&)>;  // a weight → its new value, of the same shape

  Constraint() = default;             // none
  Constraint(std::string_view name);  // "max_norm", "min_max_norm", "non_neg", "unit_norm"; throws InvalidArgument
  Constraint(const char* name) : Constraint(std::string_view(name)) {}
  Constraint(const std::string& name) : Constraint(std::string_view(name)) {}
  Constraint(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}
  Constraint(Settings settings, Function function)
      : name_(settings.class_name), function_(std::move(function)), settings_(std::move(settings)) {}
  static Constraint from(const Settings& settings);

  bool defined() const { return function_ != nullptr; }
  const std::string& name() const { return name_; }
  const Settings& settings() const { return settings_; }
  const Function& function() const { return function_; }
  Tensor operator()(const Tensor& weight) const { return function_(weight); }

 private:
  std::string name_;
  Function function_;
  Settings settings_;
};

Constraint non_neg();
// Lengths along `axis` become 1, at most max_value, or between two values (by the share `rate` of the
// difference).
Constraint unit_norm(int64_t axis = 0);
Constraint max_norm(double max_value = 2, int64_t axis = 0);
Constraint min_max_norm(double min_value = 0, double max_value = 1, double rate = 1, int64_t axis = 0);

}  // namespace brio::nn
