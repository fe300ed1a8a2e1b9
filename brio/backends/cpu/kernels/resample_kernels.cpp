#include "brio/backends/cpu/kernels/resample_kernels.h"

#include <cstddef>

#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/resample_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// One slice of the result, as [inner]: the slices it is made of begin at x, and its first tap is the index at `at`.
template <typename T>
struct Slice {
  const ResampleCall& c;
  const T* x;
  int64_t at;

  const T* source(int64_t tap) const { return x + c.index[tap * c.to + at] * c.inner; }
  T weight(int64_t tap) const { return static_cast<const T*>(c.weights)[tap * c.to + at]; }

  // Elements [j, j + kVectors · lanes); load and store take a pointer and the number of a vector.
  template <int kVectors, class D, class Load, class Store>
  HWY_INLINE void vectors(D d, int64_t j, const Load& load, const Store& store) const {
    hn::Vec<D> sum[kVectors];
    const auto first = hn::Set(d, weight(0));
    for (int k = 0; k < kVectors; ++k) sum[k] = hn::Mul(load(source(0) + j, k), first);
    for (int64_t tap = 1; tap < c.taps; ++tap) {
      const auto w = hn::Set(d, weight(tap));
      const T* from = source(tap) + j;
      for (int k = 0; k < kVectors; ++k) sum[k] = hn::Add(sum[k], hn::Mul(load(from, k), w));
    }
    for (int k = 0; k < kVectors; ++k) store(sum[k], k);
  }
};

template <typename T, class Each>
HWY_INLINE void each_slice(const ResampleCall& c, int64_t begin, int64_t end, const Each& each) {
  int64_t row = begin / c.to, at = begin % c.to;
  for (int64_t i = begin; i < end; ++i) {
    each(Slice<T>{c, static_cast<const T*>(c.x) + row * c.from * c.inner, at}, static_cast<T*>(c.out) + i * c.inner,
         i);
    if (++at == c.to) ++row, at = 0;
  }
}

template <typename T>
void wide_slices(const ResampleCall& c, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(d));
  constexpr int kVectors = 4;
  const auto load = [&](const T* p, int k) HWY_ATTR { return hn::LoadU(d, p + k * kLanes); };
  each_slice<T>(c, begin, end, [&](const Slice<T>& slice, T* out, int64_t) HWY_ATTR {
    int64_t j = 0;
    const auto store = [&](auto v, int k) HWY_ATTR { hn::StoreU(v, d, out + j + k * kLanes); };
    for (; j + kVectors * kLanes <= c.inner; j += kVectors * kLanes)
      slice.template vectors<kVectors>(d, j, load, store);
    for (; j + kLanes <= c.inner; j += kLanes) slice.template vectors<1>(d, j, load, store);
    const auto n = static_cast<size_t>(c.inner - j);
    if (n == 0) return;
    slice.template vectors<1>(
        d, j, [&](const T* p, int) HWY_ATTR { return load_tail(d, p, n); },
        [&](auto v, int) HWY_ATTR { store_tail(v, d, out + j, n); });
  });
}

// Pixels of up to four elements: a short vector each, which also reads and writes the beginning of the next pixel;
// that one comes later. The last pixel of x and the last one of a piece have none behind them.
template <typename T, int kInner>
void pixels(const ResampleCall& c, int64_t begin, int64_t end) {
  constexpr size_t kLanes = kInner <= 2 ? kInner : 4;
  const hn::CappedTag<T, kLanes> d;
  if constexpr (hn::MaxLanes(d) == kLanes) {
    const T* const x_end = static_cast<const T*>(c.x) + c.outer * c.from * kInner;
    const auto load = [&](const T* p, int) HWY_ATTR {
      return HWY_LIKELY(x_end - p >= std::ptrdiff_t{kLanes}) ? hn::LoadU(d, p) : load_tail(d, p, kInner);
    };
    each_slice<T>(c, begin, end, [&](const Slice<T>& slice, T* out, int64_t i) HWY_ATTR {
      slice.template vectors<1>(d, 0, load, [&](auto v, int) HWY_ATTR {
        if (kInner == kLanes || HWY_LIKELY(i + 1 < end)) hn::StoreU(v, d, out);
        else store_tail(v, d, out, kInner);
      });
    });
  } else {  // vectors are shorter than a pixel
    wide_slices<T>(c, begin, end);
  }
}

template <typename T>
ResampleFn fitting(int64_t inner) {
  switch (inner) {
    case 1: return pixels<T, 1>;
    case 2: return pixels<T, 2>;
    case 3: return pixels<T, 3>;
    case 4: return pixels<T, 4>;
    default: return wide_slices<T>;
  }
}

}  // namespace

ResampleFn find_resample_here(DType dtype, int64_t inner) {
  return dtype == f64 ? fitting<double>(inner) : fitting<float>(inner);
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_resample_here);

ResampleFn find_resample(DType dtype, int64_t inner) {
  apply_isa_cap();
  return HWY_DYNAMIC_DISPATCH(find_resample_here)(dtype, inner);
}

}  // namespace brio::cpu
#endif
