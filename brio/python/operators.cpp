#include "brio/python/operators.h"

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ops/control/effects.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/ops/strings/strings.h"
#include "brio/python/convert.h"

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
// Integers have no negative powers: found at once where the exponents are known, otherwise when they are.
void check_exponents(const Tensor& b) {
  constexpr std::string_view kWhy = "[pow] integers have no negative powers; cast to a float";
  if (!is_signed(b.dtype())) return;
  if (current_recording().kind != Recording::Kind::eager && !b.impl()->computed.load(std::memory_order_acquire)) {
    debugging::assert_non_negative(b, std::string(kWhy));
    return;
  }
  const Array& array = read_array(b);
  for (int64_t i = 0; i < b.size(); ++i)
    if (const int64_t exponent = integer_at(array.data(), b.dtype(), i); exponent < 0)
      throw InvalidArgument(cat(kWhy, ": the exponent is ", exponent));
}
}  // namespace

Tensor power(const Tensor& a, const Tensor& b) {
  if (is_integer(a.dtype()) && a.dtype() == b.dtype()) check_exponents(b);
  return pow(a, b);
}
Tensor invert(const Tensor& x) { return x.dtype() == boolean ? logical_not(x) : bitwise_not(x); }
Tensor both(const Tensor& a, const Tensor& b) { return a.dtype() == boolean ? logical_and(a, b) : bitwise_and(a, b); }
Tensor either(const Tensor& a, const Tensor& b) { return a.dtype() == boolean ? logical_or(a, b) : bitwise_or(a, b); }
Tensor one_of(const Tensor& a, const Tensor& b) {
  return a.dtype() == boolean ? logical_xor(a, b) : bitwise_xor(a, b);
}
Tensor product(const Tensor& a, const Tensor& b) { return matmul(a, b); }

}  // namespace brio::python
