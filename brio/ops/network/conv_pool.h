// A convolution with its bias, ReLU and pooling: what stands at the front of most networks of pictures. As plain ops
// the convolution's result, four times what pooling leaves of it, is written and read again at every step, and once
// more on the way back. Fused, only the pooled value is written, and which element of its window it was.
//
// Windows lie side by side, and what is left over at the end of an axis is in none. `which` is the number of the
// first largest element, counted row by row; where the pooled value is not above 0, so that nothing flows back, it is
// the number of elements that a window has.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"
#include "brio/ops/network/convolution.h"
#include "brio/ops/network/pooling.h"

namespace brio {

namespace op {
// relu_pool: y, bias → pooled, which. relu_pool_grad: which, cotangent → y's gradient.
// conv_relu_pool: x, filter, bias → pooled, which. conv_relu_pool_grad: x, which, cotangent → the gradients of filter
// and bias.
extern const OpDef relu_pool, relu_pool_grad, conv_relu_pool, conv_relu_pool_grad;
}  // namespace op

constexpr int64_t kMostPooled = 255;  // elements of a window

// Attributes, for kernels: the convolution, and the windows over its result.
struct ConvPoolForm {
  ConvPoolForm(const OpDef& op, const Shape& x, const Shape& filter, Attrs attrs);
  ConvGeometry conv;
  PoolGeometry pool;
};
// Of relu_pool and relu_pool_grad; y is what is pooled.
PoolGeometry relu_pool_geometry(const Shape& y, Attrs attrs);

}  // namespace brio
