// Complex numbers: made from parts, split into parts, conjugated. Arithmetic, maths, sums and products of complex
// tensors are the ops of the other families. Gradients follow TensorFlow: for a real loss, that of z = x + iy is ∂/∂x
// + i ∂/∂y.
#pragma once

#include <complex>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef complex, real, imag, conj, angle;
}

// float32 parts make complex64, float64 ones complex128.
Tensor complex(const Tensor& re, const Tensor& im);
// Of a real tensor: itself, zeros, itself, and 0 or π.
Tensor real(const Tensor& x);
Tensor imag(const Tensor& x);
Tensor conj(const Tensor& x);
Tensor angle(const Tensor& x);

// A complex number that is part of the structure of a plan.
Tensor complex_constant(std::complex<double> value, DType dtype);

// The last two axes swapped, and conjugated.
Tensor adjoint(const Tensor& x);

}  // namespace brio
