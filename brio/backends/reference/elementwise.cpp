#include "brio/ops/elementwise/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/backends/reference/kernel.h"
#include "brio/base/special_functions.h"
#include "brio/ops/elementwise/maths.h"

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
template <typename T>
concept Any = true;
template <typename T>
concept Bool = std::is_same_v<T, bool>;

UNARY(Neg, Arithmetic, [&] {
  if constexpr (FloatOrComplex<decltype(x)>) return -x;
  else return minus(decltype(x){0}, x);
}())
struct Abs {
  static auto run(Arithmetic auto x) {
    if constexpr (FloatOrComplex<decltype(x)>) return std::abs(x);
    else return x < 0 ? minus(decltype(x){0}, x) : x;
  }
};
UNARY(Sign, Number, x > 0 ? decltype(x)(1) : x < 0 ? decltype(x)(-1) : x == 0 ? decltype(x)(0) : x)
UNARY(Exp, FloatOrComplex, std::exp(x))
UNARY(Expm1, Float, std::expm1(x))
UNARY(Log, FloatOrComplex, std::log(x))
UNARY(Log1p, Float, std::log1p(x))
UNARY(Sqrt, FloatOrComplex, std::sqrt(x))
UNARY(Rsqrt, Float, 1 / std::sqrt(x))
UNARY(Square, Arithmetic, times(x, x))
UNARY(Reciprocal, FloatOrComplex, decltype(x)(1) / x)
UNARY(Sin, FloatOrComplex, std::sin(x))
UNARY(Cos, FloatOrComplex, std::cos(x))
UNARY(Tan, Float, std::tan(x))
UNARY(Asin, Float, std::asin(x))
UNARY(Acos, Float, std::acos(x))
UNARY(Atan, Float, std::atan(x))
UNARY(Sinh, Float, std::sinh(x))
UNARY(Cosh, Float, std::cosh(x))
UNARY(Tanh, FloatOrComplex, std::tanh(x))
UNARY(Asinh, Float, std::asinh(x))
UNARY(Acosh, Float, std::acosh(x))
UNARY(Atanh, Float, std::atanh(x))
UNARY(Sigmoid, Float, 1 / (1 + std::exp(-x)))
UNARY(Softplus, Float, (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))) + (x != x ? x : 0))
UNARY(Erf, Float, std::erf(x))
UNARY(Erfc, Float, std::erfc(x))
UNARY(Erfinv, Float, static_cast<decltype(x)>(special::erfinv(x)))
UNARY(Ndtr, Float, static_cast<decltype(x)>(special::ndtr(x)))
UNARY(Ndtri, Float, static_cast<decltype(x)>(special::ndtri(x)))
UNARY(Lgamma, Float, static_cast<decltype(x)>(special::lgamma(x)))
UNARY(BesselI0, Float, static_cast<decltype(x)>(special::bessel_i0(x)))
UNARY(BesselI1, Float, static_cast<decltype(x)>(special::bessel_i1(x)))
UNARY(Digamma, Float, static_cast<decltype(x)>(special::digamma(x)))
UNARY(Relu, Number, x > 0 || x != x ? x : decltype(x)(0))
UNARY(Floor, Float, std::floor(x))
UNARY(Ceil, Float, std::ceil(x))
UNARY(Round, Float, std::nearbyint(x))  // halves to even in the default rounding mode
TEST(LogicalNot, Bool, !x)
TEST(IsNan, Float, std::isnan(x))
TEST(IsFinite, Float, std::isfinite(x))
TEST(IsInf, Float, std::isinf(x))

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

BINARY(Add, Arithmetic, plus(x, y))
BINARY(Sub, Arithmetic, minus(x, y))
BINARY(Mul, Arithmetic, times(x, y))
BINARY(Div, FloatOrComplex, x / y)
BINARY(FloorDiv, Number, floor_divide(x, y))
BINARY(Mod, Number, floor_mod(x, y))
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
BINARY(Pow, Arithmetic, raised(x, y))
BINARY(Max, Number, x > y || x != x ? x : y)
BINARY(Min, Number, x < y || x != x ? x : y)
BINARY(Atan2, Float, std::atan2(x, y))
BINARY(Polygamma, Float, static_cast<T>(special::polygamma(x, y)))
BINARY(Nextafter, Float, std::nextafter(x, y))
BINARY(SquaredDifference, Number, times(minus(x, y), minus(x, y)))
COMPARE(Equal, Any, x == y)
COMPARE(NotEqual, Any, x != y)
COMPARE(Less, Number, x < y)
COMPARE(LessEqual, Number, x <= y)
COMPARE(Greater, Number, x > y)
COMPARE(GreaterEqual, Number, x >= y)
// clang-format off
COMPARE(LogicalAnd, Bool, x && y)
COMPARE(LogicalOr, Bool, x || y)
COMPARE(LogicalXor, Bool, x != y)
BINARY(BitwiseAnd, Int, static_cast<T>(x & y))
// clang-format on
BINARY(BitwiseOr, Int, static_cast<T>(x | y))
BINARY(BitwiseXor, Int, static_cast<T>(x ^ y))
// By more bits than there are, or fewer than none, has no meaning in C++; TensorFlow takes the nearest that has.
template <Int T>
T shift_within(T y) {
  return std::clamp<T>(y, 0, 8 * sizeof(T) - 1);
}
BINARY(LeftShift, Int, static_cast<T>(static_cast<uint64_t>(x) << shift_within(y)))
BINARY(RightShift, Int, static_cast<T>(x >> shift_within(y)))
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE

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
  add<run_unary<Neg>>(r, op::neg);
  add<run_unary<Abs>>(r, op::abs);
  add<run_unary<Sign>>(r, op::sign);
  add<run_unary<Exp>>(r, op::exp);
  add<run_unary<Expm1>>(r, op::expm1);
  add<run_unary<Log>>(r, op::log);
  add<run_unary<Log1p>>(r, op::log1p);
  add<run_unary<Sqrt>>(r, op::sqrt);
  add<run_unary<Rsqrt>>(r, op::rsqrt);
  add<run_unary<Square>>(r, op::square);
  add<run_unary<Reciprocal>>(r, op::reciprocal);
  add<run_unary<Sin>>(r, op::sin);
  add<run_unary<Cos>>(r, op::cos);
  add<run_unary<Tan>>(r, op::tan);
  add<run_unary<Asin>>(r, op::asin);
  add<run_unary<Acos>>(r, op::acos);
  add<run_unary<Atan>>(r, op::atan);
  add<run_unary<Sinh>>(r, op::sinh);
  add<run_unary<Cosh>>(r, op::cosh);
  add<run_unary<Tanh>>(r, op::tanh);
  add<run_unary<Asinh>>(r, op::asinh);
  add<run_unary<Acosh>>(r, op::acosh);
  add<run_unary<Atanh>>(r, op::atanh);
  add<run_unary<Sigmoid>>(r, op::sigmoid);
  add<run_unary<Softplus>>(r, op::softplus);
  add<run_unary<Erf>>(r, op::erf);
  add<run_unary<Erfc>>(r, op::erfc);
  add<run_unary<Erfinv>>(r, op::erfinv);
  add<run_unary<Ndtr>>(r, op::ndtr);
  add<run_unary<Ndtri>>(r, op::ndtri);
  add<run_unary<Lgamma>>(r, op::lgamma);
  add<run_unary<Digamma>>(r, op::digamma);
  add<run_unary<BesselI0>>(r, op::bessel_i0);
  add<run_unary<BesselI1>>(r, op::bessel_i1);
  add<run_unary<Relu>>(r, op::relu);
  add<run_unary<Floor>>(r, op::floor);
  add<run_unary<Ceil>>(r, op::ceil);
  add<run_unary<Round>>(r, op::round);
  add<run_unary<LogicalNot>>(r, op::logical_not);
  add<run_unary<IsNan>>(r, op::is_nan);
  add<run_unary<IsFinite>>(r, op::is_finite);
  add<run_unary<IsInf>>(r, op::is_inf);
  add<run_binary<Add>>(r, op::add);
  add<run_binary<Sub>>(r, op::sub);
  add<run_binary<Mul>>(r, op::mul);
  add<run_binary<Div>>(r, op::div);
  add<run_binary<FloorDiv>>(r, op::floor_div);
  add<run_binary<Mod>>(r, op::mod);
  add<run_binary<Pow>>(r, op::pow);
  add<run_binary<Max>>(r, op::max);
  add<run_binary<Min>>(r, op::min);
  add<run_binary<Atan2>>(r, op::atan2);
  add<run_binary<SquaredDifference>>(r, op::squared_difference);
  add<run_binary<Equal>>(r, op::equal);
  add<run_binary<NotEqual>>(r, op::not_equal);
  add<run_binary<Less>>(r, op::less);
  add<run_binary<LessEqual>>(r, op::less_equal);
  add<run_binary<Greater>>(r, op::greater);
  add<run_binary<GreaterEqual>>(r, op::greater_equal);
  add<run_binary<LogicalAnd>>(r, op::logical_and);
  add<run_binary<LogicalOr>>(r, op::logical_or);
  add<run_binary<LogicalXor>>(r, op::logical_xor);
  add<run_binary<BitwiseAnd>>(r, op::bitwise_and);
  add<run_binary<BitwiseOr>>(r, op::bitwise_or);
  add<run_binary<BitwiseXor>>(r, op::bitwise_xor);
  add<run_binary<LeftShift>>(r, op::left_shift);
  add<run_binary<RightShift>>(r, op::right_shift);
  add<run_binary<Polygamma>>(r, op::polygamma);
  add<run_binary<Nextafter>>(r, op::nextafter);
  add<run_select>(r, op::select);
  add<run_cast>(r, op::cast);
}

}  // namespace brio::reference
