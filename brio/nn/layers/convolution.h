// Convolutions as layers, with Keras' defaults: activation(conv(x, kernel) + bias).
#pragma once

#include <string>
#include <vector>

#include "brio/nn/activation.h"
#include "brio/nn/initializer.h"
#include "brio/nn/module.h"
#include "brio/ops/network/window.h"

namespace brio::nn {

struct ConvLayerOptions {
  std::vector<int64_t> strides = {1};        // one for each spatial axis, or one for all; so are the others
  WindowPadding padding = "valid";           // or "same"; for Conv1D also "causal": all of it before
  std::vector<int64_t> output_padding = {};  // only for transposes; see brio::ConvTransposeOptions
  std::vector<int64_t> dilation_rate = {1};
  int64_t groups = 1;  // only for plain convolutions
  DataFormat data_format = DataFormat::channels_last;
  ActivationFunction activation = "linear";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  Policy dtype = {};
  std::string name = {};
};

// Shared by the layers below.
class ConvLayer : public Layer {
 public:
  Variable kernel() const;  // once built
  Variable bias() const;

 protected:
  using Layer::Layer;
};

class Conv1D : public ConvLayer {
 public:
  Conv1D(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};
class Conv2D : public ConvLayer {
 public:
  Conv2D(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};
class Conv3D : public ConvLayer {
 public:
  Conv3D(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};

// The transpose of a convolution: strides make the result larger. kernel is (spatial…, filters, channels).
class Conv1DTranspose : public ConvLayer {
 public:
  Conv1DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};
class Conv2DTranspose : public ConvLayer {
 public:
  Conv2DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};
class Conv3DTranspose : public ConvLayer {
 public:
  Conv3DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};

// Each channel has `depth_multiplier` filters.
class DepthwiseConv1D : public ConvLayer {
 public:
  explicit DepthwiseConv1D(const std::vector<int64_t>& kernel_size, int64_t depth_multiplier = 1,
                           ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};
class DepthwiseConv2D : public ConvLayer {
 public:
  explicit DepthwiseConv2D(const std::vector<int64_t>& kernel_size, int64_t depth_multiplier = 1,
                           ConvLayerOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
