// Masks: which time steps of a batch count. A tensor carries its mask (bool, with the shape of its first axes) from
// the layer that made it, such as Embedding with mask_zero, to the layers and the loss that use it.
#pragma once

#include "brio/ir/tensor.h"

namespace brio::nn {

Tensor mask_of(const Tensor& x);  // undefined if it has no mask

// The tensor with that mask, or without one. It is another handle on the same value, unless that has another mask.
Tensor with_mask(Tensor x, const Tensor& mask);

}  // namespace brio::nn
