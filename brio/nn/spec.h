// Spec: shape and dtype of a tensor that does not exist yet. Sizes that will be known later, such as that of the
// batch, are kUnknown.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "brio/tensor/aval.h"

namespace brio::nn {

inline constexpr int64_t kUnknown = -1;

struct Spec {
  std::vector<int64_t> dims = {};
  DType dtype = f32;
  int mask_axes = 0;  // a mask comes with it, of as many first axes; 0: none

  Spec() = default;
  Spec(std::vector<int64_t> dims_, DType dtype_ = f32) : dims(std::move(dims_)), dtype(dtype_) {}
  Spec(const Shape& shape, DType dtype_ = f32) : dtype(dtype_) {
    for (const Size size : shape) dims.push_back(size.known() ? int64_t{size} : kUnknown);
  }

  int rank() const { return static_cast<int>(dims.size()); }
  int64_t operator[](int axis) const { return dims[static_cast<size_t>(axis)]; }
  bool known() const;  // no size is unknown
  // With a symbol for each unknown size: n0 for the batch, n`next` and so on for others. Throws InvalidArgument for
  // an impossible shape.
  Aval with_symbols(uint32_t& next) const;
  std::string str() const;  // "(None, 28, 28, 1)"
  bool operator==(const Spec&) const = default;
};

}  // namespace brio::nn
