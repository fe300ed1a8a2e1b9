// Transcendental functions of the floating dtypes.
#include <cmath>
#include <type_traits>

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

double softplus_of_double(double x) { return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x))); }

template <typename T>
using AsDouble = std::conditional_t<std::is_same_v<T, float>, double, T>;

// Of each row of function_rows.h: what the loops call.
namespace rows {
template <typename... T>
void none(T...) = delete;  // a row that names it has no loop that calls it
#define BRIO_TILE_FUNCTION(op, how, vector, scalar, cost)           \
  struct op {                                                       \
    struct Vector {                                                 \
      template <class D, class V>                                   \
      static HWY_INLINE V run(D d, V x) {                           \
        return vector(d, x);                                        \
      }                                                             \
    };                                                              \
    struct Scalar {                                                 \
      template <typename T>                                         \
      static T run(T x) {                                           \
        return static_cast<T>(scalar(static_cast<AsDouble<T>>(x))); \
      }                                                             \
    };                                                              \
  };
#include "brio/backends/cpu/tiles/function_rows.h"
}  // namespace rows

// How a row is computed: floats in vectors of float or, where these lose too much on the way, in wide ones, of
// double; doubles in vectors or one by one; or all one by one.
template <class Row>
constexpr FloatRow by_vectors(std::string_view name) {
  return float_row<unary_loop<typename Row::Vector, float>, 1>(name, unary_loop<typename Row::Vector, double>);
}
template <class Row>
constexpr FloatRow floats_by_vectors(std::string_view name) {
  return float_row<unary_loop<typename Row::Vector, float>, 1>(name, scalar_unary_loop<typename Row::Scalar, double>);
}
template <class Row>
constexpr FloatRow by_wide_vectors(std::string_view name) {
  return float_row<unary_loop_through_double<typename Row::Vector>, 1>(name,
                                                                       unary_loop<typename Row::Vector, double>);
}
template <class Row>
constexpr FloatRow floats_by_wide(std::string_view name) {
  return float_row<unary_loop_through_double<typename Row::Vector>, 1>(
      name, scalar_unary_loop<typename Row::Scalar, double>);
}
template <class Row>
constexpr FloatRow by_scalars(std::string_view name) {
  return float_row<scalar_unary_loop<typename Row::Scalar, float>, 1>(
      name, scalar_unary_loop<typename Row::Scalar, double>);
}

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
#define BRIO_TILE_FUNCTION(op, how, ...) how<rows::op>(#op),
#include "brio/backends/cpu/tiles/function_rows.h"
      {"x*sigmoid", nullptr, unary_loop<TimesArgument<rows::sigmoid::Vector>, float>, nullptr, nullptr},
      {"x*ndtr", nullptr, unary_loop<TimesArgument<rows::ndtr::Vector>, float>, nullptr, nullptr},
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
