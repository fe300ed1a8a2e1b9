// Vector functions for one instruction set. Each is a single operation of the IR, so it may use fused multiply-add
// inside; the polynomials are minimax fits made for these ranges. Bounds are checked by tests/backends/cpu.
#if defined(BRIO_CPU_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_CPU_SIMD_MATH_INL_H_
#undef BRIO_CPU_SIMD_MATH_INL_H_
#else
#define BRIO_CPU_SIMD_MATH_INL_H_
#endif

#include <cmath>
#include <limits>

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "brio/base/special_functions.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// c0 + c1·x + c2·x² + …
template <class D, class V>
HWY_INLINE V polynomial(D d, V, hn::TFromD<D> c0) {
  return hn::Set(d, c0);
}
template <class D, class V, typename... C>
HWY_INLINE V polynomial(D d, V x, hn::TFromD<D> c0, C... rest) {
  return hn::MulAdd(polynomial(d, x, rest...), x, hn::Set(d, c0));
}

// y · 2^n for an integral n in ±300, rounded once also when the result is subnormal; overflows to infinity.
template <class D, class V>
HWY_INLINE V scale_by_power_of_two(D d, V y, V n) {
#if HWY_TARGET == HWY_AVX3
  (void)d;
  return V{_mm512_scalef_ps(y.raw, n.raw)};
#else
  const hn::RebindToSigned<D> di;
  const auto bias = hn::Set(di, 127);
  const auto e = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(e);
  const V first = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const V second = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(e, half), bias)));
  return hn::Mul(hn::Mul(y, first), second);
#endif
}

template <class V>
struct ExpParts {
  V r, error, n;  // x = r + error + n·ln 2, |r| ≤ ln 2 / 2; error is what rounding r lost
};
template <class D, class V>
HWY_INLINE ExpParts<V> reduce_exp(D d, V x) {
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  const V low = hn::Set(d, 1.42860677e-6f);
  const V high = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), x);  // exact: the constant has 15 bits
  const V r = hn::NegMulAdd(n, low, high);
  return {r, hn::NegMulAdd(n, low, hn::Sub(high, r)), n};
}

// e^r - 1 for |r| ≤ ln 2 / 2, as much of it as e^r needs.
template <class D, class V>
HWY_INLINE V exp_minus_one(D d, V r) {
  const V p = polynomial(d, r, 0.49999997f, 0.166665331f, 0.0416672453f, 0.0083678551f, 0.00138822652f);
  return hn::MulAdd(p, hn::Mul(r, r), r);
}

// x limited to [low, high]; NaN stays NaN. The x86 instructions return their second operand when one is NaN.
template <class D, class V>
HWY_INLINE V clamp_keeping_nan(D, V low, V high, V x) {
#if HWY_TARGET == HWY_SCALAR
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
#else
  return hn::Min(high, hn::Max(low, x));
#endif
}
template <class D, class V>
HWY_INLINE V at_most_keeping_nan(D, V high, V x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Gt(x, high), high, x);
#else
  return hn::Min(high, x);
#endif
}

// e^x. Beyond the clamp the result is 0 or infinity anyway; a NaN passes through it. Compensated: half a unit in the
// last place instead of one, for callers that go on computing with the result.
template <bool kCompensated = false, class D, class V>
HWY_INLINE V exp_vector(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 4) {
    const auto [r, error, n] = reduce_exp(d, clamp_keeping_nan(d, hn::Set(d, -105.0f), hn::Set(d, 89.5f), x));
    if constexpr (kCompensated) {
      const V p = polynomial(d, r, 0.49999997f, 0.166665331f, 0.0416672453f, 0.0083678551f, 0.00138822652f);
      const V one = hn::Set(d, 1.0f);
      const V sum = hn::Add(one, r);
      const V lost = hn::Sub(r, hn::Sub(sum, one));
      const V rest = hn::Add(lost, hn::MulAdd(p, hn::Mul(r, r), error));
      return scale_by_power_of_two(d, hn::Add(sum, rest), n);
    }
    return scale_by_power_of_two(d, hn::Add(exp_minus_one(d, r), hn::Set(d, 1.0f)), n);
  } else {
    const V high = hn::Set(d, 709.782712893384);
    const V y = hn::Exp(d, hn::IfThenElse(hn::Lt(x, high), x, high));
    const V over = hn::IfThenElse(hn::Gt(x, high), hn::Inf(d), y);
    return hn::IfThenElse(hn::IsNaN(x), x, over);
  }
}

// e^x - 1, accurate near 0.
template <class D, class V>
HWY_INLINE V expm1_vector(D d, V x) {
  const auto [r, error, n] = reduce_exp(d, clamp_keeping_nan(d, hn::Set(d, -20.0f), hn::Set(d, 88.9f), x));
  (void)error;
  const V p = polynomial(d, r, 0.5f, 0.166666657f, 0.0416663364f, 0.0083333943f, 0.00139426987f, 0.000198460388f);
  const V y = hn::MulAdd(p, hn::Mul(r, r), r);  // e^r - 1
  // Half of 2^n·y + (2^n - 1): n may be 128, where 2^n itself overflows.
  const V one = hn::Set(d, 1.0f), half = hn::Set(d, 0.5f);
  const V scale = scale_by_power_of_two(d, one, hn::Sub(n, one));
  const V result = hn::MulAdd(y, scale, hn::Sub(scale, half));
  const V doubled = hn::Add(result, result);
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 1e-8f)), x, doubled);  // keeps -0 and subnormals
}

// ln x for x > 0 and finite (subnormals included); other lanes are unspecified.
template <class D, class V>
HWY_INLINE V log_of_positive(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto tiny = hn::Lt(x, hn::Set(d, 0x1p-126f));
  x = hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, 0x1p25f)), x);
  // Split at sqrt(1/2) so that the mantissa lies around 1.
  const auto pivot = hn::Set(di, 0x3f3504f3);
  const auto offset = hn::Sub(hn::BitCast(di, x), pivot);
  V e = hn::ConvertTo(d, hn::ShiftRight<23>(offset));
  e = hn::IfThenElse(tiny, hn::Sub(e, hn::Set(d, 25.0f)), e);
  const V m = hn::BitCast(d, hn::Add(hn::And(offset, hn::Set(di, 0x7fffff)), pivot));
  const V f = hn::Sub(m, hn::Set(d, 1.0f));
  const V f2 = hn::Mul(f, f);
  const V p = polynomial(d, f, 0.333333313f, -0.250008285f, 0.200012594f, -0.166230604f, 0.142007336f, -0.131621987f,
                         0.12770322f, -0.0764023513f);
  V y = hn::Mul(hn::Mul(f, f2), p);
  y = hn::MulAdd(e, hn::Set(d, 1.42860677e-6f), y);
  y = hn::NegMulAdd(f2, hn::Set(d, 0.5f), y);
  return hn::MulAdd(e, hn::Set(d, 0.693145752f), hn::Add(f, y));
}

template <class D, class V>
HWY_INLINE V log_vector(D d, V x) {
  using T = hn::TFromD<D>;
  const V zero = hn::Zero(d), inf = hn::Inf(d);
  V y;
  if constexpr (sizeof(T) == 4) y = log_of_positive(d, x);
  else y = hn::Log(d, x);
  const V at_edge = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(inf), hn::IfThenElse(hn::Eq(x, inf), inf, hn::NaN(d)));
  return hn::IfThenElse(hn::And(hn::Gt(x, zero), hn::Lt(x, inf)), y, at_edge);
}

// ln(1 + x): the rounding error of 1 + x is put back to first order.
template <class D, class V>
HWY_INLINE V log1p_vector(D d, V x) {
  const V one = hn::Set(d, 1.0f), inf = hn::Inf(d);
  const V u = hn::Add(one, x);
  const V lost = hn::Sub(x, hn::Sub(u, one));
  const V y = hn::Add(log_of_positive(d, u), hn::Div(lost, u));
  const V at_edge =
      hn::IfThenElse(hn::Eq(u, hn::Zero(d)), hn::Neg(inf), hn::IfThenElse(hn::Eq(x, inf), inf, hn::NaN(d)));
  const V result = hn::IfThenElse(hn::And(hn::Gt(u, hn::Zero(d)), hn::Lt(u, inf)), y, at_edge);
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 1e-7f)), x, result);  // keeps -0 and subnormals
}

// 1 / (1 + e^-x), through e^-|x| so that nothing overflows and small results keep their precision.
template <class D, class V>
HWY_INLINE V sigmoid_vector(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  const auto negative = hn::Lt(x, hn::Zero(d));
  const V e = exp_vector<true>(d, hn::Neg(hn::Abs(x)));
  const V sum = hn::Add(one, e);
  const V q = hn::Div(hn::IfThenElse(negative, e, one), sum);
  // What rounding 1 + e lost is put back; 1 / sum is at hand as q or 1 - q.
  const V lost = hn::Sub(e, hn::Sub(sum, one));
  const V inverse = hn::IfThenElse(negative, hn::Sub(one, q), q);
  return hn::NegMulAdd(hn::Mul(q, lost), inverse, q);
}

template <class D, class V>
HWY_INLINE V tanh_vector(D d, V x) {
  const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
  const V a = hn::Abs(x), s = hn::Mul(x, x);
  const V p =
      polynomial(d, s, -0.333333313f, 0.133331969f, -0.053945519f, 0.0216936804f, -0.00815955456f, 0.00212622667f);
  const V near_zero = hn::MulAdd(hn::Mul(p, s), a, a);
  const V away = hn::Sub(one, hn::Div(two, hn::Add(exp_vector(d, hn::Add(a, a)), one)));
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.625f)), near_zero, away), x);
}

// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|)
template <class D, class V>
HWY_INLINE V softplus_vector(D d, V x) {
  const V tail = log1p_vector(d, exp_vector(d, hn::Neg(hn::Abs(x))));
  return hn::Add(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Zero(d)), tail);
}

// erf(x) for |x| ≤ 0.93
template <class D, class V>
HWY_INLINE V erf_near_zero(D d, V x) {
  const V small = polynomial(d, hn::Mul(x, x), 0.128379166f, -0.376126319f, 0.112836644f, -0.0268577076f,
                             0.00519695645f, -0.000809774268f, 8.18522531e-05f);
  return hn::MulAdd(small, x, x);
}

template <class D, class V>
HWY_INLINE V erf_vector(D d, V x) {
  const V a = hn::Abs(x);
  // 1 - erfc, with -ln erfc(t) = t·q(t); at 4 it is 1 to the last bit.
  const V t = hn::IfThenElse(hn::Gt(a, hn::Set(d, 4.0f)), hn::Set(d, 4.0f), a);
  const V q = polynomial(d, t, 1.12854147f, 0.635673165f, 0.105169483f, -0.0225756038f, 0.00286911405f,
                         -2.74326303e-05f, -4.99409834e-05f, 5.29704403e-06f);
  const V away = hn::Sub(hn::Set(d, 1.0f), exp_vector(d, hn::Neg(hn::Mul(t, q))));
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.93f)), erf_near_zero(d, a), away), x);
}

// factor · a² = high + low, high being a float; the factor is a power of two, or minus one.
template <class D, class V>
HWY_INLINE void square_in_parts(D d, V a, float factor, V& high, V& low) {
  const V times = hn::Set(d, factor);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2  // a product and a sum that round once
  const V scaled = hn::Mul(a, times);
  high = hn::Mul(a, scaled);
  low = hn::MulSub(a, scaled, high);
#else  // the square of a's leading 12 bits is exact
  const hn::RebindToUnsigned<D> du;
  const V leading = hn::BitCast(d, hn::And(hn::BitCast(du, a), hn::Set(du, 0xfffff000u)));
  high = hn::Mul(hn::Mul(leading, leading), times);
  low = hn::Mul(hn::Mul(hn::Sub(a, leading), hn::Add(a, leading)), times);
#endif
}

// factor · e^(x + rest) for x ≤ 0; the rest, of an x that has more bits than a float, is small.
template <class D, class V>
HWY_INLINE V times_exp(D d, V factor, V x, V rest) {
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  const V high = hn::NegMulAdd(n, hn::Set(d, 0.693145752f), x);
  const V grown = exp_minus_one(d, hn::Add(hn::NegMulAdd(n, hn::Set(d, 1.42860677e-6f), high), rest));
  return scale_by_power_of_two(d, hn::MulAdd(grown, factor, factor), n);
}

// With a = |x|, t = 1 / (1 + a/2) and q = (a - 1)·t it is e^-a² · t · f(q), f being a polynomial; below 0, 2 minus
// that.
template <class D, class V>
HWY_INLINE V erfc_vector(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = at_most_keeping_nan(d, hn::Set(d, 10.1f), hn::Abs(x));  // from there on it is 0
  const V t = hn::Div(one, hn::MulAdd(a, hn::Set(d, 0.5f), one));
  const V f =
      polynomial(d, hn::Mul(hn::Sub(a, one), t), 0.64137536f, -0.29403934f, 0.06662112f, -0.00045420523f,
                 -0.002631654f, -2.1331698e-05f, 0.00014189603f, 1.4721332e-05f, -7.5427815e-06f, -6.434734e-07f);
  V square, rest;
  square_in_parts(d, a, -1.0f, square, rest);
  const V y = times_exp(d, hn::Mul(t, f), square, rest);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0f), y), y);
}

// The same for the normal distribution: e^-a²/2 · t · f(q) with t = 1 / (1 + 3a/8); above 0, 1 minus that.
template <class D, class V>
HWY_INLINE V ndtr_vector(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = at_most_keeping_nan(d, hn::Set(d, 14.3f), hn::Abs(x));
  const V t = hn::Div(one, hn::MulAdd(a, hn::Set(d, 0.375f), one));
  const V f =
      polynomial(d, hn::Mul(hn::Sub(a, one), t), 0.35967016f, -0.12482749f, 0.017254954f, 0.0013731105f,
                 -0.00045346643f, -6.8889734e-05f, 8.950044e-06f, 4.188951e-06f, 1.1968469e-07f, -1.8599923e-07f);
  V square, rest;
  square_in_parts(d, a, -0.5f, square, rest);
  const V y = times_exp(d, hn::Mul(t, f), square, rest);
  return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Sub(one, y), y);
}

// Where the vector function does not hold, lanes of r are computed one by one.
template <class D, class V, class M>
HWY_INLINE V one_by_one_unless(D d, M holds, V x, V r, double (*function)(double)) {
  if (HWY_LIKELY(hn::AllTrue(d, holds))) return r;
  HWY_ALIGN double xs[hn::MaxLanes(d)], rs[hn::MaxLanes(d)], held[hn::MaxLanes(d)];
  hn::Store(x, d, xs);
  hn::Store(r, d, rs);
  hn::Store(hn::IfThenElseZero(holds, hn::Set(d, 1.0)), d, held);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (held[i] == 0) rs[i] = function(xs[i]);
  return hn::Load(d, rs);
}
// The same where |x| exceeds the range that the function covers, or is NaN.
template <class D, class V>
HWY_INLINE V libm_beyond(D d, V x, V r, double limit, double (*function)(double)) {
  return one_by_one_unless(d, hn::Le(hn::Abs(x), hn::Set(d, limit)), x, r, function);
}

#define BRIO_LIBM(name) \
  inline double libm_##name(double x) { return std::name(x); }
BRIO_LIBM(sin)
BRIO_LIBM(cos)
BRIO_LIBM(tan)
BRIO_LIBM(asin)
BRIO_LIBM(acos)
BRIO_LIBM(atan)
BRIO_LIBM(sinh)
BRIO_LIBM(cosh)
BRIO_LIBM(asinh)
BRIO_LIBM(acosh)
BRIO_LIBM(atanh)
#undef BRIO_LIBM

template <class D, class V>
HWY_INLINE V sin_in_double(D d, V x) {
  const V zero_keeps_sign = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::Sin(d, x));
  return libm_beyond(d, x, zero_keeps_sign, 3e4, libm_sin);
}
template <class D, class V>
HWY_INLINE V cos_in_double(D d, V x) {
  return libm_beyond(d, x, hn::Cos(d, x), 3e4, libm_cos);
}

// These hold for what was a float: some units in the last place of a double are lost.
template <class D, class V>
HWY_INLINE V tan_in_double(D d, V x) {
  const V r = hn::Div(hn::Sin(d, x), hn::Cos(d, x));
  return libm_beyond(d, x, hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, r), 3e4, libm_tan);
}
template <class D, class V>
HWY_INLINE V asin_in_double(D d, V x) {
  return libm_beyond(d, x, hn::Asin(d, x), 1, libm_asin);
}
template <class D, class V>
HWY_INLINE V acos_in_double(D d, V x) {
  return libm_beyond(d, x, hn::Acos(d, x), 1, libm_acos);
}
template <class D, class V>
HWY_INLINE V atan_in_double(D d, V x) {
  return libm_beyond(d, x, hn::Atan(d, x), 1e300, libm_atan);
}
template <class D, class V>
HWY_INLINE V sinh_in_double(D d, V x) {
  return libm_beyond(d, x, hn::Sinh(d, x), 700, libm_sinh);
}
template <class D, class V>
HWY_INLINE V cosh_in_double(D d, V x) {
  const V e = hn::Exp(d, hn::Abs(x)), half = hn::Set(d, 0.5);
  return libm_beyond(d, x, hn::MulAdd(half, e, hn::Div(half, e)), 700, libm_cosh);
}
template <class D, class V>
HWY_INLINE V asinh_in_double(D d, V x) {
  return libm_beyond(d, x, hn::Asinh(d, x), 1e100, libm_asinh);
}
template <class D, class V>
HWY_INLINE V acosh_in_double(D d, V x) {
  const V r = hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0)), hn::NaN(d), hn::Acosh(d, x));
  return libm_beyond(d, x, r, 1e100, libm_acosh);
}
template <class D, class V>
HWY_INLINE V atanh_in_double(D d, V x) {
  return libm_beyond(d, x, hn::Atanh(d, x), 1 - 1e-9, libm_atanh);
}

// erfinv(x) / x from v = (1 - x)(1 + x) ≥ 1e-9.
template <class D, class V>
HWY_INLINE V inverse_erf_ratio(D d, V v) {
  const V w = hn::Neg(hn::Log(d, v)), s = hn::Sqrt(w), one = hn::Set(d, 1.0);
  const V near_zero =
      polynomial(d, hn::MulSub(w, hn::Set(d, 0.32), one), 1.6536545626831018, 0.75049430764795311,
                 -0.058922568674611348, -0.022604096451804143, 0.017808404971155004, -0.0041401807221434304,
                 -0.0012720206264870669, 0.0012426903121770939, -0.0002633802163538519, -0.00013508115777622023,
                 9.2049772102423377e-05, 1.5787981837650197e-06, -1.0903445449215797e-05);
  const V t = hn::MulSub(hn::Div(one, s), hn::Set(d, 10.952380952380953), hn::Set(d, 3.380952380952381));
  const V p =
      polynomial(d, t, 0.9487042477677784, -0.016693521664421545, 0.0015562569845242315, 0.0005874929608811765,
                 0.00018815721288405806, 7.4036204326266363e-05, -2.5635254810513084e-05, -1.8539884671393552e-05,
                 3.5335007524662229e-06, 2.6545503543189334e-06, -5.3654771814836815e-07);
  return hn::IfThenElse(hn::Lt(w, hn::Set(d, 6.25)), near_zero, hn::Mul(p, s));
}
template <class D, class V>
HWY_INLINE V erfinv_in_double(D d, V x) {
  const V one = hn::Set(d, 1.0), v = hn::Mul(hn::Sub(one, x), hn::Add(one, x));
  return libm_beyond(d, x, hn::Mul(x, inverse_erf_ratio(d, v)), 1 - 1e-9, special::erfinv);
}
// √2 erfinv(2p - 1)
template <class D, class V>
HWY_INLINE V ndtri_in_double(D d, V p) {
  const V one = hn::Set(d, 1.0), v = hn::Mul(hn::Mul(hn::Set(d, 4.0), p), hn::Sub(one, p));
  const V x = hn::Mul(hn::Set(d, 1.4142135623730951), hn::MulSub(p, hn::Set(d, 2.0), one));
  return one_by_one_unless(d, hn::Gt(v, hn::Set(d, 1e-9)), p, hn::Mul(x, inverse_erf_ratio(d, v)), special::ndtri);
}

// a^b for operands that were floats: e^(b·ln |a|) has 29 bits to spare, and is infinite or 0 as a float where it is
// beyond e^±700. A negative base has powers where the exponent is whole. NaN and infinite exponents have rules of
// their own, which libm knows.
template <class D, class V>
HWY_INLINE V pow_in_double(D d, V a, V b) {
  const V zero = hn::Zero(d), inf = hn::Inf(d), size = hn::Abs(a);
  const V log_inside = hn::Log(d, size);  // of neither end
  const V log = hn::IfThenElse(hn::Eq(size, zero), hn::Neg(inf), hn::IfThenElse(hn::Eq(size, inf), inf, log_inside));
  const V bounded = hn::Min(hn::Max(hn::Mul(b, log), hn::Set(d, -700.0)), hn::Set(d, 700.0));
  const V half = hn::Mul(b, hn::Set(d, 0.5));
  const auto whole = hn::Eq(hn::Round(b), b), odd = hn::AndNot(hn::Eq(hn::Round(half), half), whole);
  V y = hn::Exp(d, bounded);
  y = hn::IfThenElse(odd, hn::CopySign(y, a), y);
  const auto no_power = hn::AndNot(whole, hn::And(hn::Lt(a, zero), hn::Lt(size, inf)));
  y = hn::IfThenElse(no_power, hn::NaN(d), y);
  y = hn::IfThenElse(hn::Eq(b, zero), hn::Set(d, 1.0), y);
  const auto plain = hn::And(hn::Eq(a, a), hn::Lt(hn::Abs(b), inf));
  if (HWY_LIKELY(hn::AllTrue(d, plain))) return y;
  HWY_ALIGN double as[hn::MaxLanes(d)], bs[hn::MaxLanes(d)], ys[hn::MaxLanes(d)];
  hn::Store(a, d, as);
  hn::Store(b, d, bs);
  hn::Store(y, d, ys);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (std::isnan(as[i]) || !std::isfinite(bs[i])) ys[i] = std::pow(as[i], bs[i]);
  return hn::Load(d, ys);
}

// ln |Γ(x)| for what was a float above 0: Stirling's series from 8 on, where x + 1, x + 2, … bring it.
template <class D, class V>
HWY_INLINE V lgamma_in_double(D d, V x) {
  const V one = hn::Set(d, 1.0), eight = hn::Set(d, 8.0);
  V y = x, product = one;
  for (int i = 0; i < 8; ++i) {
    const auto below = hn::Lt(y, eight);
    product = hn::IfThenElse(below, hn::Mul(product, y), product);
    y = hn::IfThenElse(below, hn::Add(y, one), y);
  }
  const V inverse = hn::Div(one, y), square = hn::Mul(inverse, inverse);
  const V series =
      hn::Mul(inverse, polynomial(d, square, 0.083333333333333333, -0.0027777777777777778, 0.00079365079365079365,
                                  -0.00059523809523809524, 0.00084175084175084175, -0.0019175269175269175));
  const V half_log_two_pi = hn::Set(d, 0.91893853320467274178);
  const V stirling =
      hn::Add(hn::Sub(hn::Mul(hn::Sub(y, hn::Set(d, 0.5)), hn::Log(d, y)), y), hn::Add(half_log_two_pi, series));
  // At 1 and 2 it is 0, which a difference would miss.
  const auto zeros = hn::Or(hn::Eq(x, one), hn::Eq(x, hn::Set(d, 2.0)));
  const auto inside = hn::And(hn::Ge(x, hn::Set(d, 1e-30)), hn::Le(x, hn::Set(d, 1e30)));
  const auto holds = hn::AndNot(zeros, inside);
  return one_by_one_unless(d, holds, x, hn::Sub(stirling, hn::Log(d, product)), special::lgamma);
}

// The derivative of that, for what was a float above 0, likewise: ln y - 1/2y - …, less 1/x + 1/(x + 1) + …, which
// are brought to one fraction. Around its zero one by one: a difference would leave few digits.
template <class D, class V>
HWY_INLINE V digamma_in_double(D d, V x) {
  const V one = hn::Set(d, 1.0), eight = hn::Set(d, 8.0);
  V y = x, numerator = hn::Zero(d), denominator = one;
  for (int i = 0; i < 8; ++i) {
    const auto below = hn::Lt(y, eight);
    numerator = hn::IfThenElse(below, hn::MulAdd(numerator, y, denominator), numerator);
    denominator = hn::IfThenElse(below, hn::Mul(denominator, y), denominator);
    y = hn::IfThenElse(below, hn::Add(y, one), y);
  }
  const V inverse = hn::Div(one, y), square = hn::Mul(inverse, inverse);
  const V series = hn::Mul(
      square, polynomial(d, square, 0.083333333333333333, -0.0083333333333333333, 0.003968253968253968,
                         -0.0041666666666666667, 0.0075757575757575758, -0.021092796092796093, 0.083333333333333333));
  const V stirling = hn::Sub(hn::Log(d, y), hn::MulAdd(inverse, hn::Set(d, 0.5), series));
  const auto at_zero = hn::Lt(hn::Abs(hn::Sub(x, hn::Set(d, 1.4616321449683622))), hn::Set(d, 1e-3));
  const auto inside = hn::And(hn::Ge(x, hn::Set(d, 1e-30)), hn::Le(x, hn::Set(d, 1e30)));
  return one_by_one_unless(d, hn::AndNot(at_zero, inside), x, hn::Sub(stirling, hn::Div(numerator, denominator)),
                           special::digamma);
}

// The angle of (x, y) for operands that were floats: that of the smaller over the larger, or of what π/4 leaves of
// it, and back. Where both are zero, one is infinite or NaN, libm knows the rules.
template <class D, class V>
HWY_INLINE V atan2_in_double(D d, V y, V x) {
  constexpr double kPi = 3.14159265358979323846;
  const V wide = hn::Abs(x), high = hn::Abs(y), zero = hn::Zero(d), inf = hn::Inf(d);
  const auto steep = hn::Gt(high, wide);
  const V small = hn::IfThenElse(steep, wide, high), large = hn::IfThenElse(steep, high, wide);
  const auto turned = hn::Gt(small, hn::Mul(large, hn::Set(d, 0.41421356237309503)));  // tan π/8
  const V z = hn::Div(hn::IfThenElse(turned, hn::Sub(small, large), small),
                      hn::IfThenElse(turned, hn::Add(small, large), large));
  const V p =
      polynomial(d, hn::Mul(z, z), 0.9999999999992776, -0.3333333327874197, 0.19999993221998258, -0.14285392412046924,
                 0.11103554041854759, -0.08993380301180094, 0.06977694582525025, -0.03771319362271966);
  V angle = hn::MulAdd(z, p, hn::IfThenElseZero(turned, hn::Set(d, kPi / 4)));
  angle = hn::IfThenElse(steep, hn::Sub(hn::Set(d, kPi / 2), angle), angle);
  angle = hn::IfThenElse(hn::Lt(x, zero), hn::Sub(hn::Set(d, kPi), angle), angle);
  const V r = hn::CopySign(angle, y);
  const auto plain = hn::And(hn::And(hn::Lt(wide, inf), hn::Lt(high, inf)), hn::Gt(large, zero));
  if (HWY_LIKELY(hn::AllTrue(d, plain))) return r;
  HWY_ALIGN double xs[hn::MaxLanes(d)], ys[hn::MaxLanes(d)], rs[hn::MaxLanes(d)];
  hn::Store(x, d, xs);
  hn::Store(y, d, ys);
  hn::Store(r, d, rs);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::isfinite(xs[i]) && std::isfinite(ys[i]) && (xs[i] != 0 || ys[i] != 0)))
      rs[i] = std::atan2(ys[i], xs[i]);
  return hn::Load(d, rs);
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();
#endif
