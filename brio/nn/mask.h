// Masks: which time steps of a batch count. A tensor carries its mask (bool, of the shape of its first axes) from the
// layer that made it, such as Embedding with mask_zero, to the layers and the loss that heed it.
#pragma once

#include "brio/ir/tensor.h"

namespace brio::nn {

Tensor mask_of(const Tensor& x);  // none where it has none

// The tensor with that mask, or without one. Another handle on the same value, unless that has another mask already.
Tensor with_mask(Tensor x, const Tensor& mask);

}  // namespace brio::nn
