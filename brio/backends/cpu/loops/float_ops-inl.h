// Arithmetic of floating vectors, an instruction or a few each: what one element's bits are, whichever loop it runs
// in. Included once per target by the files that foreach_target.h repeats.
#if defined(BRIO_CPU_FLOAT_OPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_CPU_FLOAT_OPS_INL_H_
#undef BRIO_CPU_FLOAT_OPS_INL_H_
#else
#define BRIO_CPU_FLOAT_OPS_INL_H_
#endif

#include <cmath>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
// A comparison with NaN is false, so a NaN in a is chosen; one in b is asked for, which is once where b is a splat.
// x86 has the first half as an instruction.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
BRIO_BINARY(Max, hn::IfThenElse(hn::Eq(b, b), hn::Max(b, a), b))
BRIO_BINARY(Min, hn::IfThenElse(hn::Eq(b, b), hn::Min(b, a), b))
#else
BRIO_BINARY(Max, hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a))
BRIO_BINARY(Min, hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a))
#endif

struct SquaredDifference {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    const V difference = hn::Sub(a, b);
    return hn::Mul(difference, difference);
  }
};

#undef BRIO_UNARY
#undef BRIO_BINARY

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();
#endif
