// Arithmetic of the floating dtypes: the hot path of most programs, one vector instruction or a few per operation.
#include <cmath>

#include "brio/backends/cpu/tile_families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tile_float.cpp"
#include "brio/backends/cpu/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/half_loops-inl.h"
#include "brio/backends/cpu/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

#define BRIO_UNARY(Name, expression)    \
  struct Name {                         \
    template <class D, class V>         \
    static HWY_INLINE V run(D d, V x) { \
      (void)d;                          \
      return expression;                \
    }                                   \
  };
#define BRIO_BINARY(Name, expression)        \
  struct Name {                              \
    template <class D, class V>              \
    static HWY_INLINE V run(D d, V a, V b) { \
      (void)d;                               \
      return expression;                     \
    }                                        \
  };

template <class D>
HWY_INLINE hn::Vec<D> one(D d) {
  return hn::Set(d, hn::TFromD<D>{1});
}

BRIO_UNARY(Neg, hn::Neg(x))
BRIO_UNARY(Abs, hn::Abs(x))
BRIO_UNARY(Sign,
           hn::IfThenElse(hn::Gt(x, hn::Zero(d)), one(d), hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Neg(one(d)), x)))
BRIO_UNARY(Sqrt, hn::Sqrt(x))
BRIO_UNARY(Rsqrt, hn::Div(one(d), hn::Sqrt(x)))
BRIO_UNARY(Square, hn::Mul(x, x))
BRIO_UNARY(Reciprocal, hn::Div(one(d), x))
BRIO_UNARY(Relu, hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x))

// Highway's portable rounding goes through integers; libm is as fast there and right for every value.
#if HWY_TARGET == HWY_SCALAR
BRIO_UNARY(Floor, hn::Set(d, std::floor(x.raw)))
BRIO_UNARY(Ceil, hn::Set(d, std::ceil(x.raw)))
BRIO_UNARY(Round, hn::Set(d, std::nearbyint(x.raw)))
#else
BRIO_UNARY(Floor, hn::Floor(x))
BRIO_UNARY(Ceil, hn::Ceil(x))
BRIO_UNARY(Round, hn::Round(x))
#endif

BRIO_BINARY(Add, hn::Add(a, b))
BRIO_BINARY(Sub, hn::Sub(a, b))
BRIO_BINARY(Mul, hn::Mul(a, b))
BRIO_BINARY(Div, hn::Div(a, b))
BRIO_BINARY(FloorDiv, Floor::run(d, hn::Div(a, b)))
// A comparison with NaN is false, so a NaN in b is chosen; one in a is asked for.
BRIO_BINARY(Max, hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b))
BRIO_BINARY(Min, hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b))

struct SquaredDifference {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    const V difference = hn::Sub(a, b);
    return hn::Mul(difference, difference);
  }
};

#undef BRIO_UNARY
#undef BRIO_BINARY

template <class Op>
constexpr FloatRow unary(std::string_view name) {
  return float_row<short_unary_loop<Op, float>, 1>(name, short_unary_loop<Op, double>);
}
template <class Op>
constexpr FloatRow binary(std::string_view name) {
  return float_row<short_binary_loop<Op, float>, 2>(name, short_binary_loop<Op, double>);
}

}  // namespace

TileFn find_float_arithmetic_here(std::string_view op, DType dtype) {
  static constexpr FloatRow kRows[] = {
      binary<Add>("add"),
      binary<Sub>("sub"),
      binary<Mul>("mul"),
      binary<Div>("div"),
      binary<FloorDiv>("floor_div"),
      binary<Max>("max"),
      binary<Min>("min"),
      binary<SquaredDifference>("squared_difference"),
      unary<Neg>("neg"),
      unary<Abs>("abs"),
      unary<Sign>("sign"),
      unary<Sqrt>("sqrt"),
      unary<Rsqrt>("rsqrt"),
      unary<Square>("square"),
      unary<Reciprocal>("reciprocal"),
      unary<Relu>("relu"),
      unary<Floor>("floor"),
      unary<Ceil>("ceil"),
      unary<Round>("round"),
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

HWY_EXPORT(find_float_arithmetic_here);

TileFn find_float_arithmetic(std::string_view op, DType dtype) {
  return is_floating(dtype) ? HWY_DYNAMIC_DISPATCH(find_float_arithmetic_here)(op, dtype) : nullptr;
}

}  // namespace brio::cpu
#endif
