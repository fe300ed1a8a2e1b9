// The vectorised parts of Fourier transforms (fft_plan.h): butterflies over columns, one column per lane.
#include <algorithm>
#include <cstring>
#include <utility>

#include "brio/backends/cpu/fft/fft_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/fft/fft_rows.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/fft/fft_points-inl.h"
#include "brio/backends/cpu/kernels/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// ---- passes

// Columns of complex numbers lie in memory as it is, or in work space, where each point of all columns is a vector of
// real and one of imaginary parts.
template <typename T>
struct Pass {
  const FftStage<T>& stage;
  const T* in;
  T* out;
  int64_t stride;                    // of memory: numbers from one point to the next
  bool swap_in, swap_out;            // the parts change places
  T scale;                           // of the last pass
  const T* turn;                     // of the first of two transforms, at its column: real parts
  int64_t turn_row, turn_imaginary;  // numbers from one point to the next, and to the imaginary parts
};
enum class From { memory, work };
enum class To { work, turned_work, scaled_work, memory };

template <typename T, From from>
HWY_INLINE Point<T> load(const Pass<T>& pass, int64_t i) {
  const Tag<T> d;
  Point<T> x;
  if constexpr (from == From::memory) hn::LoadInterleaved2(d, pass.in + i * pass.stride, x.re, x.im);
  else x = {hn::LoadU(d, pass.in + 2 * i * kLanes<T>), hn::LoadU(d, pass.in + (2 * i + 1) * kLanes<T>)};
  return x;
}
template <typename T, To to>
HWY_INLINE void store(const Pass<T>& pass, int64_t i, Point<T> x) {
  const Tag<T> d;
  if constexpr (to == To::turned_work) {
    const T* turn = pass.turn + i * pass.turn_row;
    x = x * Point<T>{hn::LoadU(d, turn), hn::LoadU(d, turn + pass.turn_imaginary)};
  }
  if constexpr (to == To::scaled_work || to == To::memory) {
    x = x * hn::Set(d, pass.scale);
    if (pass.swap_out) std::swap(x.re, x.im);
  }
  if constexpr (to == To::memory) {
    hn::StoreInterleaved2(x.re, x.im, d, pass.out + i * pass.stride);
  } else {
    hn::StoreU(x.re, d, pass.out + 2 * i * kLanes<T>);
    hn::StoreU(x.im, d, pass.out + (2 * i + 1) * kLanes<T>);
  }
}

template <typename T, int R, From from, To to>
void run_pass(const Pass<T>& given) {
  const Pass<T> pass = given;  // a copy, which nothing that is stored can be part of
  const int64_t m = pass.stage.m, s = pass.stage.s, radix = R ? R : pass.stage.radix;
  const T* const roots = pass.stage.roots.data();
  const T* twiddles = pass.stage.twiddles.data();
  for (int64_t p = 0; p < m; ++p, twiddles += 2 * (radix - 1)) {
    const auto columns = [&](auto turned) HWY_ATTR {
      for (int64_t q = 0; q < s; ++q) {
        Point<T> x[R ? R : kMostPoints];
#pragma GCC unroll 8
        for (int64_t k = 0; k < radix; ++k) {
          x[k] = load<T, from>(pass, q + s * (p + m * k));
          if (pass.swap_in) std::swap(x[k].re, x[k].im);
        }
        if constexpr (R != 0) Butterfly<R>::template run<T>(x, roots);
        else butterfly(radix, x, roots);
#pragma GCC unroll 8
        for (int64_t j = 0; j < radix; ++j) {
          if constexpr (turned.value) {
            if (j > 0) x[j] = x[j] * all<T>(twiddles + 2 * (j - 1));
          }
          store<T, to>(pass, q + s * (radix * p + j), x[j]);
        }
      }
    };
    if (p == 0) columns(std::false_type());
    else columns(std::true_type());
  }
}

template <typename T, From from, To to>
void run_pass(const Pass<T>& pass) {
  switch (pass.stage.radix) {
    case 2: return run_pass<T, 2, from, to>(pass);
    case 3: return run_pass<T, 3, from, to>(pass);
    case 4: return run_pass<T, 4, from, to>(pass);
    case 5: return run_pass<T, 5, from, to>(pass);
    case 8: return run_pass<T, 8, from, to>(pass);
    default: return run_pass<T, 0, from, to>(pass);
  }
}

// The stages of a core between the first, which ends in work[0], and the last; answers which work space has the
// points.
template <typename T>
int run_middle(const FftCore<T>& core, T* const (&work)[2]) {
  int at = 0;
  for (size_t k = 1; k + 1 < core.stages.size(); ++k, at = 1 - at)
    run_pass<T, From::work, To::work>({core.stages[k], work[at], work[1 - at], 0, false, false, 1, nullptr, 0, 0});
  return at;
}

// ---- rows

template <typename T>
void rows_by_lanes(const FftPlan<T>& plan, const T* in, int64_t in_stride, T* out, int64_t out_stride, int64_t count,
                   bool swap, T scale, T* scratch) {
  const int64_t n = plan.n;
  T* work[2] = {scratch, scratch + 2 * n * kLanes<T>};
  if (count < kLanes<T>) std::memset(work[0], 0, static_cast<size_t>(2 * n * kLanes<T>) * sizeof(T));
  transpose_any(in, in_stride, count, 2 * n, work[0], kLanes<T>);
  int at = 0;
  const auto& stages = plan.first.stages;
  for (size_t k = 0; k < stages.size(); ++k, at = 1 - at) {
    const bool last = k + 1 == stages.size();
    const Pass<T> pass{stages[k], work[at], work[1 - at], 0, swap && k == 0, swap && last, scale, nullptr, 0, 0};
    if (last) run_pass<T, From::work, To::scaled_work>(pass);
    else run_pass<T, From::work, To::work>(pass);
  }
  if (stages.empty() && scale != 1)  // one point
    for (int64_t i = 0; i < 2 * kLanes<T>; ++i) work[0][i] *= scale;
  transpose_any(work[at], kLanes<T>, 2 * n, count, out, out_stride);
}

// Groups of columns of whole vectors; the last overlaps the one before where they do not come out even.
template <typename F>
HWY_INLINE void for_columns(int64_t columns, int64_t lanes, const F& f) {
  for (int64_t at = 0; at < columns; at += lanes) f(std::min(at, columns - lanes));
}

template <typename T>
void row_by_split(const FftPlan<T>& plan, const T* in, T* out, bool swap, T scale, T* scratch) {
  const int64_t a = plan.first.n, b = plan.second.n, most = std::max(a, b);
  T* const turned = scratch;  // [b][a] pairs
  T* const work[2] = {scratch + 2 * plan.n, scratch + 2 * plan.n + 2 * most * kLanes<T>};
  for_columns(b, kLanes<T>, [&](int64_t p) HWY_ATTR {
    run_pass<T, From::memory, To::work>(
        {plan.first.stages.front(), in + 2 * p, work[0], 2 * b, swap, false, 1, nullptr, 0, 0});
    const int at = run_middle(plan.first, work);
    run_pass<T, From::work, To::turned_work>(
        {plan.first.stages.back(), work[at], work[1 - at], 0, false, false, 1, plan.turn.data() + p, b, plan.n});
    transpose_any(work[1 - at], kLanes<T>, 2 * a, kLanes<T>, turned + 2 * a * p, 2 * a);
  });
  for_columns(a, kLanes<T>, [&](int64_t p) HWY_ATTR {
    run_pass<T, From::memory, To::work>(
        {plan.second.stages.front(), turned + 2 * p, work[0], 2 * a, false, false, 1, nullptr, 0, 0});
    const int at = run_middle(plan.second, work);
    run_pass<T, From::work, To::memory>(
        {plan.second.stages.back(), work[at], out + 2 * p, 2 * a, false, swap, scale, nullptr, 0, 0});
  });
}

// out[k] = a[k]·b[k]·scale for pairs; `swap_a` and `swap_out` as in Pass.
template <typename T>
HWY_INLINE void multiply_pairs(const T* a, const T* b, T* out, int64_t n, bool swap_a, bool swap_out, T scale) {
  for (int64_t k = 0; k < n; ++k) {
    const T x = a[2 * k + swap_a], y = a[2 * k + !swap_a];
    const T re = (x * b[2 * k] - y * b[2 * k + 1]) * scale, im = (x * b[2 * k + 1] + y * b[2 * k]) * scale;
    out[2 * k + swap_out] = re;
    out[2 * k + !swap_out] = im;
  }
}

template <typename T>
void row_by_chirp(const FftPlan<T>& plan, const T* in, T* out, bool swap, T scale, T* scratch) {
  const FftPlan<T>& inner = *plan.convolution;
  T *const x = scratch, *const y = scratch + 2 * inner.n, *const space = scratch + 4 * inner.n;
  multiply_pairs(in, plan.chirp.data(), x, plan.n, swap, false, T{1});
  std::memset(x + 2 * plan.n, 0, static_cast<size_t>(2 * (inner.n - plan.n)) * sizeof(T));
  row_by_split<T>(inner, x, y, false, 1, space);
  multiply_pairs(y, plan.spectrum.data(), x, inner.n, false, false, T{1});
  row_by_split<T>(inner, x, y, true, 1, space);
  multiply_pairs(y, plan.chirp.data(), out, plan.n, false, swap, scale);
}

template <typename T>
void rows(const FftPlan<T>& plan, const T* in, int64_t in_stride, T* out, int64_t out_stride, int64_t count,
          bool swap, T scale, T* scratch) {
  using Way = typename FftPlan<T>::Way;
  if (plan.way == Way::lanes)
    return rows_by_lanes<T>(plan, in, in_stride, out, out_stride, count, swap, scale, scratch);
  if (plan.way == Way::split) return row_by_split<T>(plan, in, out, swap, scale, scratch);
  row_by_chirp<T>(plan, in, out, swap, scale, scratch);
}

// ---- real rows

// Numbers k, k + 1, … and the conjugates of those that mirror them, h - k, h - k - 1, …
template <typename T>
struct Mirrored {
  int64_t low_at, high_at;
  Point<T> low, high, root;

  HWY_INLINE Mirrored(const T* x, int64_t h, int64_t k, const T* roots)
      : low_at(2 * k), high_at(2 * (h - k - kLanes<T> + 1)) {
    const Tag<T> d;
    hn::LoadInterleaved2(d, x + low_at, low.re, low.im);
    hn::LoadInterleaved2(d, x + high_at, high.re, high.im);
    hn::LoadInterleaved2(d, roots + 2 * k, root.re, root.im);
    high = {hn::Reverse(d, high.re), hn::Neg(hn::Reverse(d, high.im))};
  }
  HWY_INLINE void store(T* z, Point<T> at_low, Point<T> at_high) const {
    const Tag<T> d;
    hn::StoreInterleaved2(at_low.re, at_low.im, d, z + low_at);
    hn::StoreInterleaved2(hn::Reverse(d, at_high.re), hn::Neg(hn::Reverse(d, at_high.im)), d, z + high_at);
  }
};

// With e and o the transforms of the even and the odd numbers: z = e + io, so that e = (z[k] + z*[h-k]) / 2 and
// io = (z[k] - z*[h-k]) / 2, and the result is e + w^k·o.
template <typename T>
void split_real(T* z, int64_t h, const T* roots) {
  const T first = z[0], second = z[1];
  const Vector<T> half = all<T>(0.5);
  int64_t k = 1;
  for (; 2 * (k + kLanes<T>)-1 < h; k += kLanes<T>) {
    const Mirrored<T> m(z, h, k, roots);
    const Point<T> e = (m.low + m.high) * half, o = ((m.low - m.high) * half * m.root).times_minus_i();
    m.store(z, e + o, e - o);
  }
  for (; 2 * k <= h; ++k) {
    const T ar = z[2 * k] / 2, ai = z[2 * k + 1] / 2, br = z[2 * (h - k)] / 2, bi = -z[2 * (h - k) + 1] / 2;
    const T wr = roots[2 * k], wi = roots[2 * k + 1], dr = ar - br, di = ai - bi;
    const T or_ = dr * wi + di * wr, oi = -(dr * wr - di * wi);  // -i·d·w
    z[2 * k] = ar + br + or_;
    z[2 * k + 1] = ai + bi + oi;
    z[2 * (h - k)] = ar + br - or_;
    z[2 * (h - k) + 1] = -(ai + bi - oi);
  }
  z[0] = first + second;
  z[1] = 0;
  z[2 * h] = first - second;
  z[2 * h + 1] = 0;
}

// z[k] = (x[k] + x*[h-k]) + i·w^-k·(x[k] - x*[h-k]); the imaginary parts at both ends count for nothing.
template <typename T>
void join_real(const T* x, T* z, int64_t h, const T* roots) {
  z[0] = x[0] + x[2 * h];
  z[1] = x[0] - x[2 * h];
  int64_t k = 1;
  for (; 2 * (k + kLanes<T>)-1 < h; k += kLanes<T>) {
    const Mirrored<T> m(x, h, k, roots);
    const Point<T> e = m.low + m.high, o = (m.low - m.high) * Point<T>{m.root.re, hn::Neg(m.root.im)};
    m.store(z, e - o.times_minus_i(), e + o.times_minus_i());
  }
  for (; 2 * k <= h; ++k) {
    const T ar = x[2 * k], ai = x[2 * k + 1], br = x[2 * (h - k)], bi = -x[2 * (h - k) + 1];
    const T wr = roots[2 * k], wi = -roots[2 * k + 1], dr = ar - br, di = ai - bi;
    const T or_ = -(dr * wi + di * wr), oi = dr * wr - di * wi;  // i·d·w*
    z[2 * k] = ar + br + or_;
    z[2 * k + 1] = ai + bi + oi;
    z[2 * (h - k)] = ar + br - or_;
    z[2 * (h - k) + 1] = -(ai + bi - oi);
  }
}

}  // namespace

FftFunctions<float> float_functions() { return {kLanes<float>, rows<float>, split_real<float>, join_real<float>}; }
FftFunctions<double> double_functions() {
  return {kLanes<double>, rows<double>, split_real<double>, join_real<double>};
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(float_functions);
HWY_EXPORT(double_functions);

template <>
FftFunctions<float> fft_functions() {
  return HWY_DYNAMIC_DISPATCH(float_functions)();
}
template <>
FftFunctions<double> fft_functions() {
  return HWY_DYNAMIC_DISPATCH(double_functions)();
}

}  // namespace brio::cpu
#endif
