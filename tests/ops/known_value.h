// What the generator of random graphs knows of a value: what the reference makes of it, and how far an implementation
// may be from that.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "brio/tensor/complex.h"
#include "tests/ops/harness.h"

namespace brio::testing::random_graphs {

using Number = std::complex<double>;

inline Number number_at(const Array& array, int64_t i) {
  return visit_any(array.aval.dtype, [&](auto t) -> Number {
    using T = decltype(t);
    const T x = array.as<T>()[i];
    if constexpr (is_complex_number<T>) return {x.real(), x.imag()};
    else return static_cast<double>(x);
  });
}
inline bool finite(Number x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }
inline bool same(Number x, Number y) { return x == y || (std::isnan(std::abs(x)) && std::isnan(std::abs(y))); }
inline double largest(const Array& array) {
  double most = 1;
  for (int64_t i = 0; i < array.aval.shape.elements(); ++i)
    if (const Number x = number_at(array, i); finite(x)) most = std::max(most, std::abs(x));
  return most;
}

// What the reference makes of a value, and how far others may be from it, per element; empty: not at all.
struct Known {
  Array array;
  std::vector<double> error = {};

  double relative_error() const {
    double most = 0;
    for (double e : error) most = std::max(most, e);
    return most / largest(array);
  }
};

inline const OpTest& test_of(const OpDef& op) {
  return *std::ranges::find_if(op_tests(), [&](const OpTest& test) { return test.op == &op; });
}

// Of one op, on inputs without errors. A plan may run a composite as its plain form, every op of which rounds; its
// kernels flush denormals (brio/base/float_mode.h), which the reference keeps.
inline std::vector<double> rounding(const OpTest& test, const Array& result) {
  const OpKind kind = test.op->kind;
  const DType dtype = result.aval.dtype;
  if (kind == OpKind::view || kind == OpKind::movement || relative_tolerance(dtype) == 0) return {};
  const double relative = test.exact ? 0 : relative_tolerance(dtype) * (test.op->plain ? 8 : 1);
  const double normal =
      real_dtype(dtype) == f64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  const auto denormal = [&](double x) { return x != 0 && std::fabs(x) < normal; };
  std::vector<double> error(static_cast<size_t>(result.aval.shape.elements()));
  const double most = largest(result);
  for (size_t i = 0; i < error.size(); ++i) {
    const Number x = number_at(result, static_cast<int64_t>(i));
    if (finite(x)) error[i] = relative > 0 ? allowed(relative, std::abs(x), most) : 0;
    if (denormal(x.real()) || denormal(x.imag())) error[i] = std::max(error[i], 2 * normal);
  }
  return std::ranges::any_of(error, [](double e) { return e > 0; }) ? error : std::vector<double>();
}

}  // namespace brio::testing::random_graphs
