// Transcendental functions of the floating dtypes.
#include <cmath>

#include "brio/backends/cpu/tile_families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tile_functions.cpp"
#include "brio/backends/cpu/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/half_loops-inl.h"
#include "brio/backends/cpu/simd_loops-inl.h"
#include "brio/backends/cpu/simd_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

#define BRIO_VECTOR_FUNCTION(Name, function) \
  struct Name {                              \
    template <class D, class V>              \
    static HWY_INLINE V run(D d, V x) {      \
      return function(d, x);                 \
    }                                        \
  };
BRIO_VECTOR_FUNCTION(Exp, exp_vector)
BRIO_VECTOR_FUNCTION(Expm1, expm1_vector)
BRIO_VECTOR_FUNCTION(Log, log_vector)
BRIO_VECTOR_FUNCTION(Log1p, log1p_vector)
BRIO_VECTOR_FUNCTION(Sigmoid, sigmoid_vector)
BRIO_VECTOR_FUNCTION(Softplus, softplus_vector)
BRIO_VECTOR_FUNCTION(Tanh, tanh_vector)
BRIO_VECTOR_FUNCTION(Erf, erf_vector)
BRIO_VECTOR_FUNCTION(Sin, sin_in_double)
BRIO_VECTOR_FUNCTION(Cos, cos_in_double)
#undef BRIO_VECTOR_FUNCTION

struct Pow {
  template <class D, class V>
  static HWY_INLINE V run(D d, V a, V b) {
    return pow_in_double(d, a, b);
  }
};

struct LibmExpm1 {
  static double run(double x) { return std::expm1(x); }
};
struct LibmLog1p {
  static double run(double x) { return std::log1p(x); }
};
struct LibmErf {
  static double run(double x) { return std::erf(x); }
};
struct LibmTanh {
  static double run(double x) { return std::tanh(x); }
};
struct LibmSoftplus {
  static double run(double x) { return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x))); }
};
struct LibmPow {
  static double run(double a, double b) { return std::pow(a, b); }
};
struct LibmAtan2 {
  static float run(float a, float b) { return std::atan2(a, b); }
  static double run(double a, double b) { return std::atan2(a, b); }
};
struct FloorMod {
  template <typename T>
  static T run(T a, T b) {
    const T remainder = std::fmod(a, b);
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
  }
};

}  // namespace

TileFn find_float_function_here(std::string_view op, DType dtype) {
  static constexpr FloatRow kRows[] = {
      float_row<unary_loop<Exp, float>, 1>("exp", unary_loop<Exp, double>),
      float_row<unary_loop<Expm1, float>, 1>("expm1", scalar_unary_loop<LibmExpm1, double>),
      float_row<unary_loop<Log, float>, 1>("log", unary_loop<Log, double>),
      float_row<unary_loop<Log1p, float>, 1>("log1p", scalar_unary_loop<LibmLog1p, double>),
      float_row<unary_loop<Sigmoid, float>, 1>("sigmoid", unary_loop<Sigmoid, double>),
      float_row<unary_loop<Softplus, float>, 1>("softplus", scalar_unary_loop<LibmSoftplus, double>),
      float_row<unary_loop<Tanh, float>, 1>("tanh", scalar_unary_loop<LibmTanh, double>),
      float_row<unary_loop<Erf, float>, 1>("erf", scalar_unary_loop<LibmErf, double>),
      float_row<unary_loop_through_double<Sin>, 1>("sin", unary_loop<Sin, double>),
      float_row<unary_loop_through_double<Cos>, 1>("cos", unary_loop<Cos, double>),
      float_row<binary_loop_through_double<Pow>, 2>("pow", scalar_binary_loop<LibmPow, double>),
      float_row<scalar_binary_loop<LibmAtan2, float>, 2>("atan2", scalar_binary_loop<LibmAtan2, double>),
      float_row<scalar_binary_loop<FloorMod, float>, 2>("mod", scalar_binary_loop<FloorMod, double>),
  };
  for (const FloatRow& row : kRows)
    if (row.name == op) return row.of(dtype);
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_float_function_here);

TileFn find_float_function(std::string_view op, DType dtype) {
  return is_floating(dtype) ? HWY_DYNAMIC_DISPATCH(find_float_function_here)(op, dtype) : nullptr;
}

}  // namespace brio::cpu
#endif
