#include "brio/nn/mask.h"

#include "brio/base/error.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {

Tensor mask_of(const Tensor& x) {
  TensorImpl* mask = x.defined() ? x.impl()->mask : nullptr;
  if (!mask) return {};
  mask->refs.increment();
  return Tensor::adopt(mask);
}

Tensor with_mask(Tensor x, const Tensor& mask) {
  if (x.impl()->mask == mask.impl()) return x;
  if (mask.defined() && mask.dtype() != boolean)
    throw InvalidArgument(cat("[mask] a mask is bool, but this one is ", mask.dtype(), "; compare it: x != 0"));
  // Others may hold this value with the mask that it has.
  if (x.impl()->mask) x = identity(x);
  if (mask.defined()) mask.impl()->refs.increment();
  x.impl()->mask = mask.impl();
  return x;
}

}  // namespace brio::nn
