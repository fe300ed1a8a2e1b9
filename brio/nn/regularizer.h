// Regularisers: a cost for large weights, with Keras' defaults.
//
//   nn::Dense(64, {.kernel_regularizer = "l2"})
//   nn::Dense(64, {.kernel_regularizer = nn::l2(1e-4)})
//   nn::Dense(64, {.kernel_regularizer = nn::Regularizer("mine", [](const Tensor& w) { return sum(abs(w)); })})
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "brio/ir/tensor.h"
#include "brio/nn/settings.h"

namespace brio::nn {

class Regularizer {
 public:
  using Function = std::function<Tensor(const Tensor&)>;  // a weight → a scalar

  Regularizer() = default;             // none
  Regularizer(std::string_view name);  // "l1", "l2", "l1_l2", "orthogonal"; throws InvalidArgument for an unknown one
  Regularizer(const char* name) : Regularizer(std::string_view(name)) {}
  Regularizer(const std::string& name) : Regularizer(std::string_view(name)) {}
  Regularizer(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}
  Regularizer(Settings settings, Function function)
      : name_(settings.class_name), function_(std::move(function)), settings_(std::move(settings)) {}
  static Regularizer from(const Settings& settings);

  bool defined() const { return function_ != nullptr; }
  const std::string& name() const { return name_; }
  const Settings& settings() const { return settings_; }
  Tensor operator()(const Tensor& weight) const;

 private:
  std::string name_;
  Function function_;
  Settings settings_;
};

Regularizer l1(double factor = 0.01);                           // factor · sum |w|
Regularizer l2(double factor = 0.01);                           // factor · sum w²
Regularizer l1_l2(double l1_factor = 0, double l2_factor = 0);  // both
// A cost for rows (or columns) of a matrix that are not orthogonal to each other.
Regularizer orthogonal_regularizer(double factor = 0.01, std::string_view mode = "rows");

}  // namespace brio::nn
