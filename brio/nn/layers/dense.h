// Dense: activation(x · kernel + bias) over the last axis.
#pragma once

#include <string>

#include "brio/nn/activation.h"
#include "brio/nn/initializer.h"
#include "brio/nn/module.h"

namespace brio::nn {

struct DenseOptions {
  ActivationFunction activation = "linear";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  Policy dtype = {};
  std::string name = {};
};

class Dense : public Layer {
 public:
  explicit Dense(int64_t units, DenseOptions options = {});
  Variable kernel() const;  // once built
  Variable bias() const;
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
