#include "brio/python/operators.h"

#include "brio/ops/elementwise.h"
#include "brio/ops/maths.h"
#include "brio/ops/products.h"

namespace brio::python {

Tensor true_divide(const Tensor& a, const Tensor& b) {
  if (!is_integer(a.dtype()) || !is_integer(b.dtype())) return div(a, b);
  const DType wide = size_of(a.dtype()) < 4 ? f32 : f64;  // as TensorFlow
  return div(cast(a, wide), cast(b, wide));
}
Tensor power(const Tensor& a, const Tensor& b) { return pow(a, b); }
Tensor invert(const Tensor& x) { return x.dtype() == boolean ? logical_not(x) : bitwise_not(x); }
Tensor both(const Tensor& a, const Tensor& b) { return a.dtype() == boolean ? logical_and(a, b) : bitwise_and(a, b); }
Tensor either(const Tensor& a, const Tensor& b) { return a.dtype() == boolean ? logical_or(a, b) : bitwise_or(a, b); }
Tensor one_of(const Tensor& a, const Tensor& b) {
  return a.dtype() == boolean ? logical_xor(a, b) : bitwise_xor(a, b);
}
Tensor product(const Tensor& a, const Tensor& b) { return matmul(a, b); }

}  // namespace brio::python
