// One convolution as a plan of cuDNN, kept by what it is.
#pragma once

#include <compare>
#include <memory>
#include <vector>

#include "brio/backends/cuda/cudnn_graph.h"

namespace brio::cuda {

enum class ConvPart : uint8_t { forward, input_grad, filter_grad };

// Sizes in cuDNN's order: batch, channels, spatial…; all tensors lie channels last, the filter as (out, spatial…,
// in).
struct ConvKey {
  ConvPart part;
  DType dtype;
  std::vector<int64_t> x, filter, y;
  std::vector<int64_t> padding, stride, dilation;
  bool tensor_float = false;
  auto operator<=>(const ConvKey&) const = default;
};

// Its arguments are 'x', 'w' and 'y'. Null where cuDNN has none.
std::shared_ptr<const CudnnPlan> convolution_plan(CudaDevice& device, const ConvKey& key);

}  // namespace brio::cuda
