// Activations with options as layers of their own; nn::Activation("relu") is for those without.
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
  std::vector<int> shared_axes = {};  // one slope along these, counted from 1
  Policy dtype = {};
  std::string name = {};
};
// relu with slopes below 0 that are learnt, one for each feature of a sample.
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
// A mask, which must broadcast to the input, leaves elements out: they are 0.
class Softmax : public Layer {
 public:
  explicit Softmax(SoftmaxOptions options = {});
  static Layer from_config(Fields& fields);
};

// What comes in goes out.
class Identity : public Layer {
 public:
  explicit Identity(LayerOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
