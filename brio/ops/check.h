// Checks that shape rules and builders share.
#pragma once

#include "brio/base/error.h"
#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

// For functions that are composed of ops and have no row.
[[noreturn]] inline void throw_invalid(std::string_view function, const std::string& message) {
  throw InvalidArgument(cat("[", function, "] ", message));
}

// Each takes an op or the name of such a function.
template <typename Op>
const Tensor& required(const Op& op, const Tensor& x, int input = 0) {
  if (!x.defined()) throw_invalid(op, cat("input ", input, " is none; give it a tensor"));
  return x;
}

// An axis as users write it (negative: from the end) among `rank` axes.
template <typename Op>
int positive_axis(const Op& op, int axis, int rank) {
  const int positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank)
    throw_invalid(
        op, cat("axis ", axis, " is out of range for rank ", rank, ": it must lie in [", -rank, ", ", rank, ")"));
  return positive;
}

// [outer, size, inner] around an axis. Kernels get numbers.
template <typename N>
struct AroundAxisOf {
  N outer = 1, size, inner = 1;
  AroundAxisOf(const Shape& shape, int axis) : size(shape[axis]) {
    for (int i = 0; i < shape.rank(); ++i)
      if (i != axis) (i < axis ? outer : inner) *= shape[i];
  }
};
using AroundAxis = AroundAxisOf<int64_t>;
using OpenAroundAxis = AroundAxisOf<Size>;

// A shape that a rule computed. If it is not possible (rank, size), the error names the op.
template <typename Op, typename Dims>
Shape checked_shape(const Op& op, const Dims& dims) {
  try {
    if constexpr (std::is_same_v<Dims, Extents>) return dims.shape();
    else return Shape(std::span(dims));
  } catch (const InvalidArgument& error) {
    throw_invalid(op, cat("its result would have ", error.what()));
  }
}

}  // namespace brio
