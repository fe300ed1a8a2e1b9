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
  DType dtype = f32;  // of the weights; inputs are cast to it
  std::string name = {};
};

class Dense : public Layer {
 public:
  explicit Dense(int64_t units, DenseOptions options = {});
  Variable kernel() const;  // once built
  Variable bias() const;
};

}  // namespace brio::nn
