// Slices along an axis made from other slices: used for resizing pictures.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef resample;
}

// Slice i of the result along an axis is Σ_t weights[t, i] · x's slice index[t, i], added in the order of t. x is
// floating-point. index (int32) and weights (x's dtype) have shape (taps, new size), with one tap or more. An index
// outside of the axis is an error during the run.
Tensor resample(const Tensor& x, const Tensor& index, const Tensor& weights, int axis);

}  // namespace brio
