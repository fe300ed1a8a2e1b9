// One convolution as a plan of cuDNN's graph interface: described, chosen by cuDNN's heuristics among engines whose
// bits repeat, kept by what it is.
#pragma once

#include <compare>
#include <memory>
#include <vector>

#include "brio/backends/cuda/device.h"
#include "brio/tensor/dtype.h"

namespace brio::cuda {

enum class ConvPart : uint8_t { forward, input_grad, filter_grad };

// Sizes in cuDNN's order: batch, channels, spatial…; all tensors lie channels last, the filter as (out, spatial…,
// in).
struct ConvKey {
  ConvPart part;
  DType dtype;
  std::vector<int64_t> x, filter, y;
  std::vector<int64_t> padding, stride, dilation;
  auto operator<=>(const ConvKey&) const = default;
};

class ConvPlan {
 public:
  // Null where cuDNN has none.
  static std::shared_ptr<const ConvPlan> find(CudaDevice& device, const ConvKey& key);
  ~ConvPlan();
  size_t workspace() const { return static_cast<size_t>(workspace_); }
  const std::string& engine() const { return engine_; }
  void enqueue(CudaDevice& device, CudaStream& stream, void* x, void* filter, void* y, void* workspace) const;

 private:
  ConvPlan() = default;
  cudnnBackendDescriptor_t plan_ = nullptr;
  int64_t workspace_ = 0;
  std::string engine_;
};

}  // namespace brio::cuda
