// Copies of boxes of elements between sets of strides: what slices, transpositions, paddings and concats are made of.
#pragma once

#include <memory>
#include <vector>

#include "brio/backends/cuda/device.h"
#include "brio/tensor/shape.h"

namespace brio::cuda {

// One copy: a box of elements, with strides and starts on both sides.
struct Box {
  std::vector<int64_t> size, to, from;  // per dim
  int64_t to_start = 0, from_start = 0;
  size_t input = 0;  // of the kernel that it belongs to

  // All of a shape; the strides are for the caller to set.
  static Box of(const Shape& shape);
  int64_t elements() const;
  // Neighbouring dims that both sides step through as through one become one.
  void merge();
};
std::vector<int64_t> strides_of(const Shape& shape);

class BoxCopy {
 public:
  BoxCopy(CudaDevice& device, Box box, size_t element);
  void enqueue(void* to, const void* from, CudaStream& stream) const;

 private:
  struct Form {
    Box box;
    size_t element;     // bytes that are moved at once
    bool wide = false;  // indices of 64 bits
    std::shared_ptr<const Code> code = nullptr;
  };
  bool transposes() const;
  // Runs of neighbours on both sides move as larger words, where addresses are multiples of them.
  bool widened(Form& form) const;

  CudaDevice& device_;
  Form plain_;
  std::vector<Form> wider_;  // one or none
  bool tiles_ = false;
};

}  // namespace brio::cuda
