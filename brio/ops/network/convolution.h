// Convolutions over one, two or three spatial axes, as in TensorFlow: x is (batch, spatial…, channels), a filter is
// (spatial…, channels of x in a group, channels of the result), and nothing is mirrored. The number of groups follows
// from the channels.
#pragma once

#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"
#include "brio/ops/network/window.h"

namespace brio {

namespace op {
extern const OpDef conv, conv_input_grad, conv_filter_grad;
}

struct ConvOptions {
  std::vector<int64_t> strides = {1};  // one for each spatial axis, or one for all
  WindowPadding padding = "valid";
  std::vector<int64_t> dilations = {1};
  DataFormat data_format = DataFormat::channels_last;  // of x and the result
};
// Over as many axes as x has; conv1d and its kin refuse another number.
Tensor conv(const Tensor& x, const Tensor& filter, const ConvOptions& options = {});
Tensor conv1d(const Tensor& x, const Tensor& filter, const ConvOptions& options = {});
Tensor conv2d(const Tensor& x, const Tensor& filter, const ConvOptions& options = {});
Tensor conv3d(const Tensor& x, const Tensor& filter, const ConvOptions& options = {});

// Each channel has its own filters: filter is (spatial…, channels, multiplier), and channel c of x becomes channels c
// · multiplier … of the result.
Tensor depthwise_conv(const Tensor& x, const Tensor& filter, const ConvOptions& options = {});
Tensor depthwise_conv2d(const Tensor& x, const Tensor& filter, const ConvOptions& options = {});
// depthwise_conv, then a convolution by a filter of size 1 that mixes the channels.
Tensor separable_conv(const Tensor& x, const Tensor& depthwise, const Tensor& pointwise,
                      const ConvOptions& options = {});

// The gradient of a convolution by its input: filter is (spatial…, channels of the result, channels of x).
struct ConvTransposeOptions {
  std::vector<int64_t> strides = {1};
  WindowPadding padding = "valid";  // of the convolution that this is the gradient of
  // Several sizes have a convolution of x's size. Keras' choice: size · stride for "same", else the least with
  // max(window, stride); an output_padding p gives (size - 1) · stride + p, plus 1 for an odd window with "same",
  // else plus the window. Or give the size itself, as TensorFlow does.
  std::vector<int64_t> output_padding = {};
  std::vector<int64_t> output_size = {};
  std::vector<int64_t> dilations = {1};
  DataFormat data_format = DataFormat::channels_last;
};
Tensor conv_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options = {});
Tensor conv1d_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options = {});
Tensor conv2d_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options = {});
Tensor conv3d_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options = {});

// The sizes that conv_transpose gives `counts` positions: `axes` has windows, strides and dilations, and gets the
// rest. No output_padding: the default.
std::vector<Size> conv_transpose_sizes(const std::vector<Size>& counts, const WindowPadding& padding,
                                       const std::vector<int64_t>& output_padding, std::vector<OpenWindowAxis> axes);

// The sizes of a convolution y = conv(x, filter), for kernels of it and of its gradients.
struct ConvGeometry : Windows {
  int64_t batch, groups;
  int64_t in, out;  // channels of one group
  int64_t in_channels() const { return groups * in; }
  int64_t out_channels() const { return groups * out; }
  int64_t pixels() const { return batch * counts(); }  // positions of y
  bool has_elements() const { return pixels() > 0 && sizes() > 0 && in > 0 && out > 0; }
  double flops() const {
    return 2.0 * static_cast<double>(pixels()) * static_cast<double>(out_channels()) *
           static_cast<double>(in * taps());
  }
  static ConvGeometry of(const OpDef& op, const Shape& first, const Shape& second, const Shape& result, Attrs attrs);
};

}  // namespace brio
