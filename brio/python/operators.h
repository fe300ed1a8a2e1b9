// Arithmetic as Python's operators mean it.
#pragma once

#include "brio/ir/tensor.h"

namespace brio::python {

Tensor plus(const Tensor& a, const Tensor& b);         // strings are joined
Tensor true_divide(const Tensor& a, const Tensor& b);  // integers give floats
Tensor power(const Tensor& a, const Tensor& b);
Tensor invert(const Tensor& x);  // ~x: of truths, or of bits
Tensor both(const Tensor& a, const Tensor& b);
Tensor either(const Tensor& a, const Tensor& b);
Tensor one_of(const Tensor& a, const Tensor& b);   // a ^ b
Tensor product(const Tensor& a, const Tensor& b);  // a @ b

}  // namespace brio::python
