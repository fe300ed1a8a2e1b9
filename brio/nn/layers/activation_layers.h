// Activations with options, as layers; nn::Activation("relu") is for those without options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/nn/initializer.h"
#include "brio/nn/module.h"

namespace brio::nn {

struct ReLUOptions {
  std::optional<double> max_value = {};
  double negative_slope = 0, threshold = 0;
  Policy dtype = {};
  std::string name = {};
};
class ReLU : public Layer {
 public:
  explicit ReLU(ReLUOptions options = {});
  static Layer from_config(Fields& fields);
};

struct LeakyReLUOptions {
  double negative_slope = 0.3;
  Policy dtype = {};
  std::string name = {};
};
class LeakyReLU : public Layer {
 public:
  explicit LeakyReLU(LeakyReLUOptions options = {});
  static Layer from_config(Fields& fields);
};

struct PReLUOptions {
  Initializer alpha_initializer = "zeros";
  Regularizer alpha_regularizer = {};
  Constraint alpha_constraint = {};
  std::vector<int> shared_axes = {};  // these axes share one slope; counted from 1
  Policy dtype = {};
  std::string name = {};
};
// relu with learned slopes below 0, one for each feature of a sample.
class PReLU : public Layer {
 public:
  explicit PReLU(PReLUOptions options = {});
  static Layer from_config(Fields& fields);
};

struct ELUOptions {
  double alpha = 1;
  Policy dtype = {};
  std::string name = {};
};
class ELU : public Layer {
 public:
  explicit ELU(ELUOptions options = {});
  static Layer from_config(Fields& fields);
};

struct SoftmaxOptions {
  std::vector<int> axis = {-1};  // over several together
  Policy dtype = {};
  std::string name = {};
};
// Elements that the mask leaves out are 0; it must broadcast to the input.
class Softmax : public Layer {
 public:
  explicit Softmax(SoftmaxOptions options = {});
  static Layer from_config(Fields& fields);
};

// Returns its input.
class Identity : public Layer {
 public:
  explicit Identity(LayerOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
