// Separable convolutions as layers: each channel has its own filters, then a convolution of size 1 mixes the
// channels.
#pragma once

#include <string>
#include <vector>

#include "brio/nn/activation.h"
#include "brio/nn/initializer.h"
#include "brio/nn/module.h"
#include "brio/ops/network/window.h"

namespace brio::nn {

struct SeparableConvOptions {
  std::vector<int64_t> strides = {1};  // one for each spatial axis, or one for all; so are the others
  WindowPadding padding = "valid";     // or "same"
  DataFormat data_format = DataFormat::channels_last;
  std::vector<int64_t> dilation_rate = {1};
  int64_t depth_multiplier = 1;  // filters of each channel
  ActivationFunction activation = "linear";
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform", pointwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {}, pointwise_regularizer = {}, bias_regularizer = {},
              activity_regularizer = {};
  Constraint depthwise_constraint = {}, pointwise_constraint = {}, bias_constraint = {};
  Policy dtype = {};
  std::string name = {};
};

class SeparableConv1D : public Layer {
 public:
  SeparableConv1D(int64_t filters, const std::vector<int64_t>& kernel_size, SeparableConvOptions options = {});
  static Layer from_config(Fields& fields);
};
class SeparableConv2D : public Layer {
 public:
  SeparableConv2D(int64_t filters, const std::vector<int64_t>& kernel_size, SeparableConvOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
