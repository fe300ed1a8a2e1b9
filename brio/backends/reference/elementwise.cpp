#include "brio/ops/elementwise/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/backends/reference/kernel.h"
#include "brio/base/special_functions.h"

namespace brio::reference {
namespace {

// F::run gets operands in Wide<T> and answers in Wide<T>, bool, or the parts of a complex T; which T it takes is what
// its concept allows.
template <typename F>
void run_unary(const Call& call) {
  visit_any(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (requires { F::run(wide(t)); }) {
      using Answer = decltype(F::run(wide(t)));
      using R = std::conditional_t<std::is_same_v<Answer, Wide<T>>, T, Answer>;
      for (int64_t i = 0; i < call.out_shape().elements(); ++i)
        call.out<R>()[i] = static_cast<R>(F::run(wide(call.in<T>(0)[i])));
    }
  });
}

template <typename F>
void run_binary(const Call& call) {
  const Shape& shape = call.out_shape();
  visit_any(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (requires { F::run(wide(t), wide(t)); }) {
      using R = std::conditional_t<std::is_same_v<decltype(F::run(wide(t), wide(t))), bool>, bool, T>;
      for (int64_t i = 0; i < shape.elements(); ++i) {
        const T a = call.in<T>(0)[broadcast_position(call.in_shape(0), shape, i)];
        const T b = call.in<T>(1)[broadcast_position(call.in_shape(1), shape, i)];
        call.out<R>()[i] = static_cast<R>(F::run(wide(a), wide(b)));
      }
    }
  });
}

template <typename T>
concept Float = std::floating_point<T>;
template <typename T>
concept Int = is_int<T>;
template <typename T>
concept Number = Float<T> || Int<T>;
template <typename T>
concept Complex = is_complex_number<T>;
template <typename T>
concept FloatOrComplex = Float<T> || Complex<T>;
template <typename T>
concept Arithmetic = Number<T> || Complex<T>;

template <typename T>
concept Any = true;
template <typename T>
concept Bool = std::is_same_v<T, bool>;

// The definitions, each under the name of its op: add_elementwise() takes one for every row of the op lists.
namespace defined {

// UNARY(name, concept, expression in x); BINARY the same in x and y.
#define UNARY(name, takes, ...)                                          \
  struct name {                                                          \
    static auto run(takes auto x) -> decltype(x) { return __VA_ARGS__; } \
  };
#define BINARY(name, takes, ...) \
  struct name {                  \
    template <takes T>           \
    static T run(T x, T y) {     \
      return __VA_ARGS__;        \
    }                            \
  };
#define TEST(name, takes, ...) \
  struct name {                \
    template <takes T>         \
    static bool run(T x) {     \
      return __VA_ARGS__;      \
    }                          \
  };
#define COMPARE(name, takes, ...) \
  struct name {                   \
    template <takes T>            \
    static bool run(T x, T y) {   \
      return __VA_ARGS__;         \
    }                             \
  };

UNARY(neg, Arithmetic, [&] {
  if constexpr (FloatOrComplex<decltype(x)>) return -x;
  else return minus(decltype(x){0}, x);
}())
struct abs {
  static auto run(Arithmetic auto x) {
    if constexpr (FloatOrComplex<decltype(x)>) return std::abs(x);
    else return x < 0 ? minus(decltype(x){0}, x) : x;
  }
};
UNARY(sign, Number, x > 0 ? decltype(x)(1) : x < 0 ? decltype(x)(-1) : x == 0 ? decltype(x)(0) : x)
UNARY(exp, FloatOrComplex, std::exp(x))
UNARY(expm1, Float, std::expm1(x))
UNARY(log, FloatOrComplex, std::log(x))
UNARY(log1p, Float, std::log1p(x))
UNARY(sqrt, FloatOrComplex, std::sqrt(x))
UNARY(rsqrt, Float, 1 / std::sqrt(x))
UNARY(square, Arithmetic, times(x, x))
UNARY(reciprocal, FloatOrComplex, decltype(x)(1) / x)
UNARY(sin, FloatOrComplex, std::sin(x))
UNARY(cos, FloatOrComplex, std::cos(x))
UNARY(tan, Float, std::tan(x))
UNARY(asin, Float, std::asin(x))
UNARY(acos, Float, std::acos(x))
UNARY(atan, Float, std::atan(x))
UNARY(sinh, Float, std::sinh(x))
UNARY(cosh, Float, std::cosh(x))
UNARY(tanh, FloatOrComplex, std::tanh(x))
UNARY(asinh, Float, std::asinh(x))
UNARY(acosh, Float, std::acosh(x))
UNARY(atanh, Float, std::atanh(x))
UNARY(sigmoid, Float, 1 / (1 + std::exp(-x)))
UNARY(softplus, Float, (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))) + (x != x ? x : 0))
UNARY(erf, Float, std::erf(x))
UNARY(erfc, Float, std::erfc(x))
UNARY(erfinv, Float, static_cast<decltype(x)>(special::erfinv(x)))
UNARY(ndtr, Float, static_cast<decltype(x)>(special::ndtr(x)))
UNARY(ndtri, Float, static_cast<decltype(x)>(special::ndtri(x)))
UNARY(lgamma, Float, static_cast<decltype(x)>(special::lgamma(x)))
UNARY(bessel_i0, Float, static_cast<decltype(x)>(special::bessel_i0(x)))
UNARY(bessel_i1, Float, static_cast<decltype(x)>(special::bessel_i1(x)))
UNARY(digamma, Float, static_cast<decltype(x)>(special::digamma(x)))
UNARY(relu, Number, x > 0 || x != x ? x : decltype(x)(0))
UNARY(floor, Float, std::floor(x))
UNARY(ceil, Float, std::ceil(x))
UNARY(round, Float, std::nearbyint(x))  // halves to even in the default rounding mode
TEST(logical_not, Bool, !x)
TEST(is_nan, Float, std::isnan(x))
TEST(is_finite, Float, std::isfinite(x))
TEST(is_inf, Float, std::isinf(x))

// Python's // and %: the remainder has the divisor's sign.
template <Number T>
T floor_mod(T x, T y) {
  T r;
  if constexpr (Float<T>) {
    r = std::fmod(x, y);
  } else {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (y == -1) return 0;  // the smallest integer divided by -1 overflows
    r = static_cast<T>(x % y);
  }
  return r != 0 && (r < 0) != (y < 0) ? static_cast<T>(r + y) : r;
}
template <Number T>
T floor_divide(T x, T y) {
  if constexpr (Float<T>) {
    return std::floor(x / y);
  } else {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (y == -1) return minus(T{0}, x);
    const T quotient = static_cast<T>(x / y);
    return x % y != 0 && (x < 0) != (y < 0) ? static_cast<T>(quotient - 1) : quotient;
  }
}

BINARY(add, Arithmetic, plus(x, y))
BINARY(sub, Arithmetic, minus(x, y))
BINARY(mul, Arithmetic, times(x, y))
BINARY(div, FloatOrComplex, x / y)
BINARY(floor_div, Number, floor_divide(x, y))
BINARY(mod, Number, floor_mod(x, y))
// Of integers: products that wrap; a negative exponent gives the power cut towards 0.
template <typename T>
T raised(T x, T y) {
  if constexpr (!Int<T>) {
    return std::pow(x, y);
  } else {
    if constexpr (std::is_signed_v<T>)
      if (y < 0) return x == 1 ? T{1} : x == T{-1} ? static_cast<T>(y % 2 == 0 ? 1 : -1) : T{0};
    T result = 1;
    for (auto e = static_cast<std::make_unsigned_t<T>>(y); e != 0; e = static_cast<decltype(e)>(e >> 1)) {
      if (e & 1) result = times(result, x);
      x = times(x, x);
    }
    return result;
  }
}
BINARY(pow, Arithmetic, raised(x, y))
BINARY(max, Number, x > y || x != x ? x : y)
BINARY(min, Number, x < y || x != x ? x : y)
BINARY(atan2, Float, std::atan2(x, y))
BINARY(polygamma, Float, static_cast<T>(special::polygamma(x, y)))
BINARY(nextafter, Float, std::nextafter(x, y))
BINARY(squared_difference, Number, times(minus(x, y), minus(x, y)))
COMPARE(equal, Any, x == y)
COMPARE(not_equal, Any, x != y)
COMPARE(less, Number, x < y)
COMPARE(less_equal, Number, x <= y)
COMPARE(greater, Number, x > y)
COMPARE(greater_equal, Number, x >= y)
// clang-format off
COMPARE(logical_and, Bool, x && y)
COMPARE(logical_or, Bool, x || y)
COMPARE(logical_xor, Bool, x != y)
BINARY(bitwise_and, Int, static_cast<T>(x & y))
// clang-format on
BINARY(bitwise_or, Int, static_cast<T>(x | y))
BINARY(bitwise_xor, Int, static_cast<T>(x ^ y))
// By more bits than there are, or fewer than none, has no meaning in C++; TensorFlow takes the nearest that has.
template <Int T>
T shift_within(T y) {
  return std::clamp<T>(y, 0, 8 * sizeof(T) - 1);
}
BINARY(left_shift, Int, static_cast<T>(static_cast<uint64_t>(x) << shift_within(y)))
BINARY(right_shift, Int, static_cast<T>(x >> shift_within(y)))
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE

}  // namespace defined

void run_constant(const Call& call) {
  const auto bits = static_cast<uint64_t>(call.attrs[1]);
  std::memcpy(call.out<void>(), &bits, size_of(call.out_avals[0].dtype));
}

void run_select(const Call& call) {
  const Shape& shape = call.out_shape();
  visit_any(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < shape.elements(); ++i) {
      const size_t branch = call.in<bool>(0)[broadcast_position(call.in_shape(0), shape, i)] ? 1 : 2;
      call.out<T>()[i] = call.in<T>(branch)[broadcast_position(call.in_shape(branch), shape, i)];
    }
  });
}

// Float to integer is cut towards 0 and clamped, NaN gives 0; integers wrap; to bool is x ≠ 0. A complex number loses
// its imaginary part on the way to a real one.
template <typename To, typename From>
To cast_to(From x) {
  if constexpr (Complex<From> && Complex<To>) {
    return To(x);
  } else if constexpr (Complex<From>) {
    return cast_to<To>(x.real());
  } else if constexpr (Complex<To>) {
    return To(cast_to<typename To::value_type>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != 0;
  } else if constexpr (is_int<To> && std::is_floating_point_v<From>) {
    using Limits = std::numeric_limits<To>;
    if (x != x) return 0;
    if (x <= static_cast<From>(Limits::min())) return Limits::min();
    // The largest integer may round up to the first one that is too large; both give the largest.
    if (x >= static_cast<From>(Limits::max())) return Limits::max();
    return static_cast<To>(x);
  } else if constexpr (is_float<To> && sizeof(To) == 2) {
    return To(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

void run_cast(const Call& call) {
  visit_any(call.in_avals[0].dtype, [&](auto from) {
    visit_any(call.out_avals[0].dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      for (int64_t i = 0; i < call.out_shape().elements(); ++i)
        call.out<To>()[i] = cast_to<To>(wide(call.in<From>(0)[i]));
    });
  });
}

}  // namespace

void add_elementwise(Registry& r) {
  add<run_constant>(r, op::constant);
#define BRIO_UNARY(name, ...) add<run_unary<defined::name>>(r, op::name);
#define BRIO_BINARY(name, ...) add<run_binary<defined::name>>(r, op::name);
#include "brio/ops/elementwise/binary_ops.h"
#include "brio/ops/elementwise/unary_ops.h"
  add<run_select>(r, op::select);
  add<run_cast>(r, op::cast);
}

}  // namespace brio::reference
