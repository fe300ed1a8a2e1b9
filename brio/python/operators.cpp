#include "brio/python/operators.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/maths.h"
#include "brio/ops/products.h"
#include "brio/ops/shape_ops.h"
#include "brio/ops/strings.h"

namespace brio::python {

Tensor plus(const Tensor& a, const Tensor& b) {
  return a.dtype() == DType::string ? strings::join({a, b}) : add(a, b);
}
Tensor true_divide(const Tensor& a, const Tensor& b) {
  if (!is_integer(a.dtype()) || !is_integer(b.dtype())) return div(a, b);
  const DType wide = size_of(a.dtype()) < 4 ? f32 : f64;  // as TensorFlow
  return div(cast(a, wide), cast(b, wide));
}

namespace {
// Of integers, which wrap as products do: the squares whose bits the exponent has.
Tensor integer_power(const Tensor& a, const Tensor& b) {
  const bool known = b.impl()->computed.load(std::memory_order_acquire);
  int64_t largest = std::numeric_limits<int64_t>::max() >> (size_of(b.dtype()) < 8 ? 32 : 0);
  if (known) {
    largest = 0;
    const void* data = b.impl()->data();
    for (int64_t i = 0; i < b.size(); ++i) {
      const int64_t exponent = integer_at(data, b.dtype(), i);
      if (exponent < 0)
        throw InvalidArgument(
            cat("[pow] integers have no negative powers, but the exponent is ", exponent, "; cast to a float"));
      largest = std::max(largest, exponent);
    }
  }
  Tensor result = ones_like(mul(a, b)), square = a;
  for (int64_t bit = 1; bit <= largest && bit > 0; bit *= 2) {
    const Tensor has = not_equal(bitwise_and(b, full({}, bit, b.dtype())), 0);
    result = select(has, mul(result, square), result);
    if (bit <= largest / 2) square = mul(square, square);
  }
  return result;
}
}  // namespace

Tensor power(const Tensor& a, const Tensor& b) {
  const bool integers = is_integer(a.dtype()) && a.dtype() == b.dtype();
  return integers ? integer_power(a, b) : pow(a, b);
}
Tensor invert(const Tensor& x) { return x.dtype() == boolean ? logical_not(x) : bitwise_not(x); }
Tensor both(const Tensor& a, const Tensor& b) { return a.dtype() == boolean ? logical_and(a, b) : bitwise_and(a, b); }
Tensor either(const Tensor& a, const Tensor& b) { return a.dtype() == boolean ? logical_or(a, b) : bitwise_or(a, b); }
Tensor one_of(const Tensor& a, const Tensor& b) {
  return a.dtype() == boolean ? logical_xor(a, b) : bitwise_xor(a, b);
}
Tensor product(const Tensor& a, const Tensor& b) { return matmul(a, b); }

}  // namespace brio::python
