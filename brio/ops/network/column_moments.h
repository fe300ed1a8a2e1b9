// Mean and spread of the columns of a tensor: batch normalisation needs them for every channel. As plain ops they
// read the tensor from memory twice, because the spread is taken around the mean; in one pass it is read once.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
// x → the sum over all axes but the last, and the sum of squared differences from the mean. 16-bit x gives f32.
extern const OpDef column_moments;
}  // namespace op

}  // namespace brio
