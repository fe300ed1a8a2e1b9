// Complex dtypes: c64 is a pair of f32, c128 of f64.
#pragma once

#include <complex>
#include <type_traits>

#include "brio/tensor/dtype.h"

namespace brio {

template <typename T>
inline constexpr bool is_complex_number = false;
template <typename T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

// The dtype of the parts of a complex dtype, and back; others stay.
inline DType real_dtype(DType dtype) { return dtype == c64 ? f32 : dtype == c128 ? f64 : dtype; }
inline DType complex_dtype(DType dtype) { return dtype == f32 ? c64 : dtype == f64 ? c128 : dtype; }

// May a tape follow it?
inline bool has_gradients(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

// As visit, for the complex dtypes.
template <typename F>
decltype(auto) visit_complex(DType dtype, F&& f) {
  return dtype == c64 ? f(std::complex<float>{}) : f(std::complex<double>{});
}
// For real and complex ones.
template <typename F>
decltype(auto) visit_any(DType dtype, F&& f) {
  return is_complex(dtype) ? visit_complex(dtype, f) : visit(dtype, f);
}

// The product as it is written on paper: std::complex repairs the NaNs that infinities make, TensorFlow does not.
template <typename T>
inline std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace brio
