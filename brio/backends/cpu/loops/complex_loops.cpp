#include "brio/backends/cpu/loops/complex_loops.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/tensor/complex.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/loops/complex_loops.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
struct Pair {  // std::complex's functions are compiled for no instruction set in particular
  T re, im;
};

struct Mul {
  template <typename T>
  static HWY_INLINE Pair<T> run(Pair<T> a, Pair<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};
struct Square {
  template <typename T>
  static HWY_INLINE Pair<T> run(Pair<T> a) {
    return Mul::run(a, a);
  }
};
struct Conj {
  template <typename T>
  static HWY_INLINE Pair<T> run(Pair<T> a) {
    return {a.re, -a.im};
  }
};
struct Real {
  template <typename T>
  static HWY_INLINE T run(Pair<T> a) {
    return a.re;
  }
};
struct Imag {
  template <typename T>
  static HWY_INLINE T run(Pair<T> a) {
    return a.im;
  }
};
struct Join {
  template <typename T>
  static HWY_INLINE Pair<T> run(T re, T im) {
    return {re, im};
  }
};

template <typename F, typename In, typename Out>
void unary(const void* a, int64_t a_step, const void*, int64_t, void* out, int64_t n) {
  const In* from = static_cast<const In*>(a);
  Out* to = static_cast<Out*>(out);
  if (a_step == 0) std::fill_n(to, n, F::run(*from));
  else
    for (int64_t i = 0; i < n; ++i) to[i] = F::run(from[i]);
}

template <typename F, typename In, typename Out>
void binary(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out, int64_t n) {
  const In *x = static_cast<const In*>(a), *y = static_cast<const In*>(b);
  Out* to = static_cast<Out*>(out);
  const In x0 = *x, y0 = *y;
  if (a_step == 1 && b_step == 1)
    for (int64_t i = 0; i < n; ++i) to[i] = F::run(x[i], y[i]);
  else if (a_step == 1)
    for (int64_t i = 0; i < n; ++i) to[i] = F::run(x[i], y0);
  else if (b_step == 1)
    for (int64_t i = 0; i < n; ++i) to[i] = F::run(x0, y[i]);
  else std::fill_n(to, n, F::run(x0, y0));
}

// In double nothing overflows on the way. What came out as NaN is done again by C's rules for infinities and zeros.
void divide(const void* a, int64_t a_step, const void* b, int64_t b_step, void* out, int64_t n) {
  const auto *x = static_cast<const Pair<float>*>(a), *y = static_cast<const Pair<float>*>(b);
  auto* to = static_cast<std::complex<float>*>(out);
  constexpr int64_t block = 64;
  for (int64_t begin = 0; begin < n; begin += block) {
    Pair<float> results[block];
    bool unclear = false;
    const int64_t count = std::min(block, n - begin);
    for (int64_t i = 0; i < count; ++i) {
      const Pair<float> p = x[(begin + i) * a_step], q = y[(begin + i) * b_step];
      const double re = static_cast<double>(p.re), im = static_cast<double>(p.im);
      const double c = static_cast<double>(q.re), d = static_cast<double>(q.im), size = c * c + d * d;
      results[i] = {static_cast<float>((re * c + im * d) / size), static_cast<float>((im * c - re * d) / size)};
      unclear |= !(results[i].re == results[i].re && results[i].im == results[i].im);
    }
    for (int64_t i = 0; i < count; ++i) {
      const Pair<float> p = x[(begin + i) * a_step], q = y[(begin + i) * b_step];
      to[begin + i] = unclear ? std::complex<float>(p.re, p.im) / std::complex<float>(q.re, q.im)
                              : std::complex<float>(results[i].re, results[i].im);
    }
  }
}

// As std::abs: infinite if a part is, whatever the other.
void absolute(const void* a, int64_t a_step, const void*, int64_t, void* out, int64_t n) {
  const auto* x = static_cast<const Pair<float>*>(a);
  float* to = static_cast<float*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const Pair<float> z = x[i * a_step];
    const double re = static_cast<double>(z.re), im = static_cast<double>(z.im);
    const bool infinite = std::fabs(z.re) == HUGE_VALF || std::fabs(z.im) == HUGE_VALF;
    to[i] = infinite ? HUGE_VALF : static_cast<float>(std::sqrt(re * re + im * im));
  }
}

template <typename T>
ComplexLoop loop_of(const OpDef* op) {
  using P = Pair<T>;
  if (op == &op::mul) return binary<Mul, P, P>;
  if (op == &op::complex) return binary<Join, T, P>;
  if (op == &op::square) return unary<Square, P, P>;
  if (op == &op::conj) return unary<Conj, P, P>;
  if (op == &op::real) return unary<Real, P, T>;
  if (op == &op::imag) return unary<Imag, P, T>;
  if (op == &op::div && sizeof(T) == 4) return divide;
  if (op == &op::abs && sizeof(T) == 4) return absolute;
  return nullptr;
}

}  // namespace

ComplexLoop find_loop(const OpDef* op, DType dtype) {
  return dtype == c64 ? loop_of<float>(op) : loop_of<double>(op);
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_loop);

ComplexLoop find_complex_loop(const OpDef* op, DType dtype) { return HWY_DYNAMIC_DISPATCH(find_loop)(op, dtype); }

}  // namespace brio::cpu
#endif
