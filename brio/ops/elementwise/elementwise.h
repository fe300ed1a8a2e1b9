// Elementwise maths, comparisons, select and cast. unary_ops.h and binary_ops.h list the ops with one and with two
// operands. All tensors of an expression have the same dtype: nothing is promoted implicitly, as in TensorFlow. Host
// numbers adapt to it.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef constant, select, cast;
#define BRIO_UNARY(name, ...) extern const OpDef name;
#define BRIO_BINARY(name, ...) extern const OpDef name;
#include "brio/ops/elementwise/binary_ops.h"
#include "brio/ops/elementwise/unary_ops.h"
}  // namespace op

// A number that is part of the structure of a plan. A Scalar in an expression is an input of the plan instead.
Tensor constant(Scalar value, DType dtype);
Tensor size_number(Size value, DType dtype);  // op::size, if it is not known
template <std::same_as<Size> S>               // numbers are Scalars
Tensor constant(S value, DType dtype) {
  return size_number(value, dtype);
}
inline Tensor like(const Tensor& x, Scalar value) { return constant(value, x.dtype()); }  // in the dtype of x

// exp(x), … of each row.
#define BRIO_UNARY(name, ...) Tensor name(const Tensor& x);
#include "brio/ops/elementwise/unary_ops.h"

// add(a, b), … of each row, also of a tensor and a host number; and the operators.
#define BRIO_BUILDER(name)                       \
  Tensor name(const Tensor& a, const Tensor& b); \
  Tensor name(const Tensor& a, Scalar b);        \
  Tensor name(Scalar a, const Tensor& b);
#define BRIO_BINARY(name, builder, ...) BRIO_BUILDER(builder)
#include "brio/ops/elementwise/binary_ops.h"
BRIO_BUILDER(operator+)
BRIO_BUILDER(operator-)
BRIO_BUILDER(operator*)
BRIO_BUILDER(operator/)
BRIO_BUILDER(operator%)
BRIO_BUILDER(operator<)
BRIO_BUILDER(operator<=)
BRIO_BUILDER(operator>)
BRIO_BUILDER(operator>=)
#undef BRIO_BUILDER
Tensor operator-(const Tensor& x);
// Refuses integers that are divided by a 0 which eager code knows at the call. A divisor that is computed later and
// is 0 makes the result 0.
void check_divisors(std::string_view function, const Tensor& left, const Tensor& right);

// a where `condition` holds, b elsewhere.
Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor cast(const Tensor& x, DType dtype);

}  // namespace brio
