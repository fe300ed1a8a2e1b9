// Mean and spread of the columns of a tensor: what batch normalisation asks of every channel. As plain ops the tensor
// comes from memory twice, for the spread is taken around the mean; in one pass it comes once.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
// x → the sum over all axes but the last, and the sum of squared differences from the mean. 16 bits give f32.
extern const OpDef column_moments;
}  // namespace op

}  // namespace brio
