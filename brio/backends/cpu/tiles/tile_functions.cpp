// Transcendental functions of the floating dtypes.
#include <cmath>

#include "brio/backends/cpu/tiles/tile_families.h"
#include "brio/base/special_functions.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tiles/tile_functions.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/half_loops-inl.h"
#include "brio/backends/cpu/loops/simd_loops-inl.h"
#include "brio/backends/cpu/loops/simd_math-inl.h"

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
BRIO_VECTOR_FUNCTION(Erfc, erfc_vector)
BRIO_VECTOR_FUNCTION(Ndtr, ndtr_vector)
BRIO_VECTOR_FUNCTION(Sin, sin_in_double)
BRIO_VECTOR_FUNCTION(Cos, cos_in_double)
BRIO_VECTOR_FUNCTION(Tan, tan_in_double)
BRIO_VECTOR_FUNCTION(Asin, asin_in_double)
BRIO_VECTOR_FUNCTION(Acos, acos_in_double)
BRIO_VECTOR_FUNCTION(Atan, atan_in_double)
BRIO_VECTOR_FUNCTION(Sinh, sinh_in_double)
BRIO_VECTOR_FUNCTION(Cosh, cosh_in_double)
BRIO_VECTOR_FUNCTION(Asinh, asinh_in_double)
BRIO_VECTOR_FUNCTION(Acosh, acosh_in_double)
BRIO_VECTOR_FUNCTION(Atanh, atanh_in_double)
BRIO_VECTOR_FUNCTION(Erfinv, erfinv_in_double)
BRIO_VECTOR_FUNCTION(Lgamma, lgamma_in_double)
BRIO_VECTOR_FUNCTION(Digamma, digamma_in_double)
BRIO_VECTOR_FUNCTION(Ndtri, ndtri_in_double)
#undef BRIO_VECTOR_FUNCTION

struct Pow {
  template <class D, class V>
  static HWY_INLINE V run(D d, V a, V b) {
    return pow_in_double(d, a, b);
  }
};

struct Atan2 {
  template <class D, class V>
  static HWY_INLINE V run(D d, V a, V b) {
    return atan2_in_double(d, a, b);
  }
};

#define BRIO_LIBM(Name, function)                                            \
  struct Name {                                                              \
    static double run(double x) { return function(x); }                      \
    static float run(float x) { return static_cast<float>(run(double{x})); } \
  };
BRIO_LIBM(LibmExpm1, std::expm1)
BRIO_LIBM(LibmLog1p, std::log1p)
BRIO_LIBM(LibmTanh, std::tanh)
BRIO_LIBM(LibmTan, std::tan)
BRIO_LIBM(LibmAsin, std::asin)
BRIO_LIBM(LibmAcos, std::acos)
BRIO_LIBM(LibmAtan, std::atan)
BRIO_LIBM(LibmSinh, std::sinh)
BRIO_LIBM(LibmCosh, std::cosh)
BRIO_LIBM(LibmAsinh, std::asinh)
BRIO_LIBM(LibmAcosh, std::acosh)
BRIO_LIBM(LibmAtanh, std::atanh)
BRIO_LIBM(LibmErf, std::erf)
BRIO_LIBM(LibmErfc, std::erfc)
BRIO_LIBM(ScalarErfinv, special::erfinv)
BRIO_LIBM(ScalarNdtr, special::ndtr)
BRIO_LIBM(ScalarNdtri, special::ndtri)
BRIO_LIBM(ScalarLgamma, special::lgamma)
BRIO_LIBM(ScalarDigamma, special::digamma)
BRIO_LIBM(ScalarBesselI0, special::bessel_i0)
BRIO_LIBM(ScalarBesselI1, special::bessel_i1)
#undef BRIO_LIBM
struct LibmSoftplus {
  static double run(double x) { return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x))); }
};
// x · f(x), rounded after each: the gated activations.
template <class Op>
struct TimesArgument {
  template <class D, class V>
  static HWY_INLINE V run(D d, V x) {
    return hn::Mul(x, Op::run(d, x));
  }
};
struct LibmPow {
  static double run(double a, double b) { return std::pow(a, b); }
};
struct LibmAtan2 {
  static double run(double a, double b) { return std::atan2(a, b); }
};
struct ScalarPolygamma {
  template <typename T>
  static T run(T order, T x) {
    return static_cast<T>(special::polygamma(order, x));
  }
};
struct LibmNextafter {
  template <typename T>
  static T run(T a, T b) {
    return std::nextafter(a, b);
  }
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
      float_row<unary_loop<Erfc, float>, 1>("erfc", scalar_unary_loop<LibmErfc, double>),
      float_row<unary_loop<Ndtr, float>, 1>("ndtr", scalar_unary_loop<ScalarNdtr, double>),
      {"x*sigmoid", nullptr, unary_loop<TimesArgument<Sigmoid>, float>, nullptr, nullptr},
      {"x*ndtr", nullptr, unary_loop<TimesArgument<Ndtr>, float>, nullptr, nullptr},
      float_row<unary_loop_through_double<Sin>, 1>("sin", unary_loop<Sin, double>),
      float_row<unary_loop_through_double<Cos>, 1>("cos", unary_loop<Cos, double>),
      float_row<unary_loop_through_double<Tan>, 1>("tan", scalar_unary_loop<LibmTan, double>),
      float_row<unary_loop_through_double<Asin>, 1>("asin", scalar_unary_loop<LibmAsin, double>),
      float_row<unary_loop_through_double<Acos>, 1>("acos", scalar_unary_loop<LibmAcos, double>),
      float_row<unary_loop_through_double<Atan>, 1>("atan", scalar_unary_loop<LibmAtan, double>),
      float_row<unary_loop_through_double<Sinh>, 1>("sinh", scalar_unary_loop<LibmSinh, double>),
      float_row<unary_loop_through_double<Cosh>, 1>("cosh", scalar_unary_loop<LibmCosh, double>),
      float_row<unary_loop_through_double<Asinh>, 1>("asinh", scalar_unary_loop<LibmAsinh, double>),
      float_row<unary_loop_through_double<Acosh>, 1>("acosh", scalar_unary_loop<LibmAcosh, double>),
      float_row<unary_loop_through_double<Atanh>, 1>("atanh", scalar_unary_loop<LibmAtanh, double>),
      float_row<unary_loop_through_double<Erfinv>, 1>("erfinv", scalar_unary_loop<ScalarErfinv, double>),
      float_row<unary_loop_through_double<Ndtri>, 1>("ndtri", scalar_unary_loop<ScalarNdtri, double>),
      float_row<unary_loop_through_double<Lgamma>, 1>("lgamma", scalar_unary_loop<ScalarLgamma, double>),
      float_row<unary_loop_through_double<Digamma>, 1>("digamma", scalar_unary_loop<ScalarDigamma, double>),
      float_row<scalar_unary_loop<ScalarBesselI0, float>, 1>("bessel_i0", scalar_unary_loop<ScalarBesselI0, double>),
      float_row<scalar_unary_loop<ScalarBesselI1, float>, 1>("bessel_i1", scalar_unary_loop<ScalarBesselI1, double>),
      float_row<scalar_binary_loop<ScalarPolygamma, float>, 2>("polygamma",
                                                               scalar_binary_loop<ScalarPolygamma, double>),
      {"nextafter", scalar_binary_loop<LibmNextafter, double>, scalar_binary_loop<LibmNextafter, float>, nullptr,
       nullptr},
      float_row<binary_loop_through_double<Pow>, 2>("pow", scalar_binary_loop<LibmPow, double>),
      float_row<binary_loop_through_double<Atan2>, 2>("atan2", scalar_binary_loop<LibmAtan2, double>),
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
