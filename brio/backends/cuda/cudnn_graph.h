// cuDNN's graph interface: tensors and operations are described, an engine whose bits repeat is chosen by cuDNN's
// heuristics, and the plan is run on addresses.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "brio/backends/cuda/device.h"
#include "brio/tensor/dtype.h"

namespace brio::cuda {

cudnnDataType_t cudnn_type(DType dtype);

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    check(cudnn().cudnnBackendCreateDescriptor(type, &handle_), "describing a graph");
  }
  ~Descriptor() {
    if (handle_) cudnn().cudnnBackendDestroyDescriptor(handle_);
  }
  Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Descriptor& operator=(Descriptor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  template <typename T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const std::vector<T>& values) {
    check(cudnn().cudnnBackendSetAttribute(handle_, name, type, static_cast<int64_t>(values.size()), values.data()),
          "describing a graph");
  }
  template <typename T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    check(cudnn().cudnnBackendSetAttribute(handle_, name, type, 1, &value), "describing a graph");
  }
  void set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, other.handle_);
  }
  bool finalize() { return cudnn().cudnnBackendFinalize(handle_) == CUDNN_STATUS_SUCCESS; }
  void finish() { check(cudnn().cudnnBackendFinalize(handle_), "describing a graph"); }
  cudnnBackendDescriptor_t get() const { return handle_; }
  cudnnBackendDescriptor_t release() { return std::exchange(handle_, nullptr); }

 private:
  cudnnBackendDescriptor_t handle_ = nullptr;
};

// Of a graph: in memory, never in memory, or a number that the host hands over.
enum class TensorKind : uint8_t { real, inside, number };
Descriptor cudnn_tensor(int64_t id, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                        cudnnDataType_t type, TensorKind kind = TensorKind::real);

class CudnnPlan {
 public:
  // Null where cuDNN has none. `dtype`: of what is computed, which says what engines may do to numbers.
  static std::shared_ptr<const CudnnPlan> of(CudaDevice& device, std::span<const Descriptor> operations, DType dtype);
  ~CudnnPlan();
  size_t workspace() const { return static_cast<size_t>(workspace_); }
  const std::string& engine() const { return engine_; }
  struct Argument {
    int64_t id;
    void* data;
  };
  void enqueue(CudaDevice& device, CudaStream& stream, std::span<const Argument> arguments, void* workspace) const;

 private:
  CudnnPlan() = default;
  cudnnBackendDescriptor_t plan_ = nullptr;
  int64_t workspace_ = 0;
  std::string engine_;
};

}  // namespace brio::cuda
