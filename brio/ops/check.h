// Checks that shape rules and builders share.
#pragma once

#include "brio/base/error.h"
#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

inline const Tensor& required(const OpDef& op, const Tensor& x, int input = 0) {
  if (!x.defined()) throw_invalid(op, cat("input ", input, " is none; give it a tensor"));
  return x;
}

// An axis as users write it (negative: from the end) among `rank` axes.
inline int positive_axis(const OpDef& op, int axis, int rank) {
  const int positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank)
    throw_invalid(
        op, cat("axis ", axis, " is out of range for rank ", rank, ": it must lie in [", -rank, ", ", rank, ")"));
  return positive;
}

// A shape that a rule computed; one that cannot be (rank, size) is reported in the op's name.
inline Shape checked_shape(const OpDef& op, std::span<const int64_t> dims) {
  try {
    return Shape(dims);
  } catch (const InvalidArgument& error) {
    throw_invalid(op, cat("its result would have ", error.what()));
  }
}

}  // namespace brio
