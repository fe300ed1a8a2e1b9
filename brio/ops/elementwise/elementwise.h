// Elementwise maths, comparisons, select and cast. Tensors of one expression share a dtype (nothing is promoted
// behind your back, as in TensorFlow); host numbers adapt to it.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef constant, neg, abs, sign, exp, expm1, log, log1p, sqrt, rsqrt, square, reciprocal, sin, cos, tanh,
    sigmoid, softplus, erf, relu, floor, ceil, round, logical_not, is_nan, is_finite, is_inf;
extern const OpDef tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, erfc, erfinv, ndtri, lgamma, digamma;
extern const OpDef add, sub, mul, div, floor_div, mod, pow, max, min, atan2, squared_difference, equal, not_equal,
    less, less_equal, greater, greater_equal, logical_and, logical_or, logical_xor, bitwise_and, bitwise_or,
    bitwise_xor, left_shift, right_shift, polygamma, nextafter;
extern const OpDef select, cast;
}  // namespace op

// A number that is part of the structure of a plan, unlike a Scalar in an expression, which is an input of it.
Tensor constant(Scalar value, DType dtype);
Tensor size_number(Size value, DType dtype);  // or op::size, where it is not known
template <std::same_as<Size> S>               // numbers are Scalars
Tensor constant(S value, DType dtype) {
  return size_number(value, dtype);
}
inline Tensor like(const Tensor& x, Scalar value) { return constant(value, x.dtype()); }  // in the dtype of x

#define BRIO_UNARY(name) Tensor name(const Tensor& x);
BRIO_UNARY(neg)
BRIO_UNARY(abs)
BRIO_UNARY(sign)
BRIO_UNARY(exp)
BRIO_UNARY(expm1)
BRIO_UNARY(log)
BRIO_UNARY(log1p)
BRIO_UNARY(sqrt)
BRIO_UNARY(rsqrt)
BRIO_UNARY(square)
BRIO_UNARY(reciprocal)
BRIO_UNARY(sin)
BRIO_UNARY(cos)
BRIO_UNARY(tan)
BRIO_UNARY(asin)
BRIO_UNARY(acos)
BRIO_UNARY(atan)
BRIO_UNARY(sinh)
BRIO_UNARY(cosh)
BRIO_UNARY(tanh)
BRIO_UNARY(asinh)
BRIO_UNARY(acosh)
BRIO_UNARY(atanh)
BRIO_UNARY(sigmoid)
BRIO_UNARY(softplus)
BRIO_UNARY(erf)
BRIO_UNARY(erfc)
BRIO_UNARY(erfinv)
BRIO_UNARY(ndtri)
BRIO_UNARY(lgamma)
BRIO_UNARY(digamma)
BRIO_UNARY(relu)
BRIO_UNARY(floor)
BRIO_UNARY(ceil)
BRIO_UNARY(round)
BRIO_UNARY(logical_not)
BRIO_UNARY(is_nan)
BRIO_UNARY(is_finite)
BRIO_UNARY(is_inf)
#undef BRIO_UNARY

#define BRIO_BINARY(name)                        \
  Tensor name(const Tensor& a, const Tensor& b); \
  Tensor name(const Tensor& a, Scalar b);        \
  Tensor name(Scalar a, const Tensor& b);
BRIO_BINARY(add)
BRIO_BINARY(sub)
BRIO_BINARY(mul)
BRIO_BINARY(div)
BRIO_BINARY(floor_div)
BRIO_BINARY(mod)
BRIO_BINARY(pow)
BRIO_BINARY(maximum)
BRIO_BINARY(minimum)
BRIO_BINARY(atan2)
BRIO_BINARY(squared_difference)
BRIO_BINARY(equal)
BRIO_BINARY(not_equal)
BRIO_BINARY(less)
BRIO_BINARY(less_equal)
BRIO_BINARY(greater)
BRIO_BINARY(greater_equal)
BRIO_BINARY(logical_and)
BRIO_BINARY(logical_or)
BRIO_BINARY(logical_xor)
BRIO_BINARY(bitwise_and)
BRIO_BINARY(bitwise_or)
BRIO_BINARY(bitwise_xor)
BRIO_BINARY(left_shift)
BRIO_BINARY(right_shift)
BRIO_BINARY(polygamma)
BRIO_BINARY(nextafter)
BRIO_BINARY(operator+)
BRIO_BINARY(operator-)
BRIO_BINARY(operator*)
BRIO_BINARY(operator/)
BRIO_BINARY(operator%)
BRIO_BINARY(operator<)
BRIO_BINARY(operator<=)
BRIO_BINARY(operator>)
BRIO_BINARY(operator>=)
#undef BRIO_BINARY
Tensor operator-(const Tensor& x);

// Where `condition` holds, a; elsewhere, b.
Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor cast(const Tensor& x, DType dtype);

}  // namespace brio
