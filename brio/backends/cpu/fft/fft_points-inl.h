// Transforms of a few points at once for as many columns as a vector has lanes. Included once per instruction set.
#if defined(BRIO_BACKENDS_CPU_FFT_POINTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_BACKENDS_CPU_FFT_POINTS_INL_H_
#undef BRIO_BACKENDS_CPU_FFT_POINTS_INL_H_
#else
#define BRIO_BACKENDS_CPU_FFT_POINTS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::ScalableTag<T>;
template <typename T>
using Vector = hn::Vec<Tag<T>>;
template <typename T>
inline constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(Tag<T>()));

// One complex number per lane.
template <typename T>
struct Point {
  Vector<T> re, im;

  HWY_INLINE Point operator+(Point o) const { return {hn::Add(re, o.re), hn::Add(im, o.im)}; }
  HWY_INLINE Point operator-(Point o) const { return {hn::Sub(re, o.re), hn::Sub(im, o.im)}; }
  HWY_INLINE Point operator*(Vector<T> x) const { return {hn::Mul(re, x), hn::Mul(im, x)}; }
  HWY_INLINE Point operator*(Point w) const {
    return {hn::MulSub(re, w.re, hn::Mul(im, w.im)), hn::MulAdd(re, w.im, hn::Mul(im, w.re))};
  }
  HWY_INLINE Point times_minus_i() const { return {im, hn::Neg(re)}; }
};
template <typename T>
HWY_INLINE Point<T> multiply_add(Point<T> x, Vector<T> by, Point<T> y) {
  return {hn::MulAdd(x.re, by, y.re), hn::MulAdd(x.im, by, y.im)};
}

template <typename T>
HWY_INLINE Vector<T> all(double x) {
  return hn::Set(Tag<T>(), static_cast<T>(x));
}
template <typename T>
HWY_INLINE Point<T> all(const T* pair) {
  return {hn::Set(Tag<T>(), pair[0]), hn::Set(Tag<T>(), pair[1])};
}

// ---- in place

template <int R>
struct Butterfly;
template <>
struct Butterfly<2> {
  template <typename T>
  static HWY_INLINE void run(Point<T>* x, const T*) {
    const Point<T> a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  }
};
template <>
struct Butterfly<3> {
  template <typename T>
  static HWY_INLINE void run(Point<T>* x, const T*) {
    const Point<T> sum = x[1] + x[2], turned = (x[1] - x[2]).times_minus_i();
    const Point<T> middle = multiply_add(sum, all<T>(-0.5), x[0]);
    const Vector<T> sine = all<T>(0.86602540378443864676);
    x[0] = x[0] + sum;
    x[1] = multiply_add(turned, sine, middle);
    x[2] = multiply_add(turned, hn::Neg(sine), middle);
  }
};
template <>
struct Butterfly<4> {
  template <typename T>
  static HWY_INLINE void run(Point<T>* x, const T*) {
    const Point<T> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = (x[1] - x[3]).times_minus_i();
    x[0] = a + c;
    x[1] = b + d;
    x[2] = a - c;
    x[3] = b - d;
  }
};
template <>
struct Butterfly<5> {
  template <typename T>
  static HWY_INLINE void run(Point<T>* x, const T*) {
    const Vector<T> c1 = all<T>(0.30901699437494742410), c2 = all<T>(-0.80901699437494742410);
    const Vector<T> s1 = all<T>(0.95105651629515357212), s2 = all<T>(0.58778525229247312917);
    const Point<T> p1 = x[1] + x[4], p2 = x[2] + x[3];
    const Point<T> m1 = (x[1] - x[4]).times_minus_i(), m2 = (x[2] - x[3]).times_minus_i();
    const Point<T> a1 = multiply_add(p1, c1, multiply_add(p2, c2, x[0]));
    const Point<T> a2 = multiply_add(p1, c2, multiply_add(p2, c1, x[0]));
    const Point<T> b1 = multiply_add(m1, s1, m2 * s2), b2 = multiply_add(m1, s2, m2 * hn::Neg(s1));
    x[0] = x[0] + p1 + p2;
    x[1] = a1 + b1;
    x[2] = a2 + b2;
    x[3] = a2 - b2;
    x[4] = a1 - b1;
  }
};
template <>
struct Butterfly<8> {
  template <typename T>
  static HWY_INLINE void run(Point<T>* x, const T*) {
    Point<T> even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    Butterfly<4>::run<T>(even, nullptr);
    Butterfly<4>::run<T>(odd, nullptr);
    const Vector<T> half = all<T>(0.70710678118654752440);
    odd[1] = (odd[1] + odd[1].times_minus_i()) * half;
    odd[2] = odd[2].times_minus_i();
    odd[3] = (odd[3].times_minus_i() - odd[3]) * half;
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      x[k] = even[k] + odd[k];
      x[k + 4] = even[k] - odd[k];
    }
  }
};
// Any odd radix, in pairs of points that lie opposite.
constexpr int kMostPoints = 47;
HWY_INLINE void butterfly(int64_t radix, auto* x, const auto* roots) {
  using P = std::remove_pointer_t<decltype(x)>;
  P sums[kMostPoints / 2], turned[kMostPoints / 2];
  const int64_t half = radix / 2;
  const P first = x[0];
  for (int64_t k = 1; k <= half; ++k) {
    sums[k - 1] = x[k] + x[radix - k];
    turned[k - 1] = (x[k] - x[radix - k]).times_minus_i();
    x[0] = x[0] + sums[k - 1];
  }
  for (int64_t j = 1; j <= half; ++j) {
    P a = first, b = turned[0] * all<std::remove_cvref_t<decltype(*roots)>>(0.0);
    for (int64_t k = 1; k <= half; ++k) {
      const auto* pair = roots + 2 * (j * k % radix);
      a = multiply_add(sums[k - 1], hn::Set(Tag<std::remove_cvref_t<decltype(*roots)>>(), pair[0]), a);
      b = multiply_add(turned[k - 1], hn::Set(Tag<std::remove_cvref_t<decltype(*roots)>>(), -pair[1]), b);
    }
    x[j] = a + b;
    x[radix - j] = a - b;
  }
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
