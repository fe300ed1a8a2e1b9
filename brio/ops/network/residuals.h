// Adds the value that goes around a layer where the layer's last op, or its gradient, is computed: fused forms for
// devices that add while they write the result. Made by passes (passes/residuals.cpp).
#pragma once

#include "brio/ir/op.h"

namespace brio::op {

// a, b, more, and perhaps a bias → a · b + bias + more, of the shape of `more`; rounded once.
extern const OpDef linear_sum;
// x, scale, cotangent, more → row_norm_grad's results, to the first of which `more` is added, and the sum of the
// columns of that: the gradient of a bias that was added there.
extern const OpDef row_norm_grad_sum;

}  // namespace brio::op
