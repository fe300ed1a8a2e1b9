// A convolution with its bias, ReLU and pooling, as at the front of most networks for pictures. As plain ops the
// convolution's result, four times the size of the pooled one, is written and read again in every step, and once more
// in the backward pass. Fused, only the pooled value is written, and which element of its window it was.
//
// Windows are side by side; elements left over at the end of an axis are in no window. `which` is the number of the
// first largest element, counted row by row. If the pooled value is not above 0, no gradient flows back, and `which`
// is the number of elements of a window.
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
