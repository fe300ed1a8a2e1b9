// Loops over dense arrays for one instruction set, included once per target by the files that foreach_target.h
// repeats. Tails go through the same vector code as the body, so an element's bits never depend on where it stands.
#if defined(BRIO_CPU_SIMD_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_CPU_SIMD_LOOPS_INL_H_
#undef BRIO_CPU_SIMD_LOOPS_INL_H_
#else
#define BRIO_CPU_SIMD_LOOPS_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// True where masked memory access is one instruction that never touches the bytes outside the mask.
template <typename T>
constexpr bool has_masked_access() {
  return HWY_TARGET == HWY_AVX3 || (HWY_TARGET == HWY_AVX2 && sizeof(T) >= 4);
}

// The first n (< lanes) elements at p, zero elsewhere. Reads nothing beyond them.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_tail(D d, const T* p, size_t n) {
  if constexpr (has_masked_access<T>()) {
    return hn::MaskedLoad(hn::FirstN(d, n), d, p);
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
    std::memcpy(lanes, p, n * sizeof(T));
    return hn::Load(d, lanes);
  }
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_tail(hn::Vec<D> v, D d, T* p, size_t n) {
  if constexpr (has_masked_access<T>()) {
    hn::BlendedStore(v, hn::FirstN(d, n), d, p);
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    std::memcpy(p, lanes, n * sizeof(T));
  }
}

// out[i] = Op(a[i]). Op has a static run(d, v). The tail is one masked vector: right for long functions.
template <class Op, typename T>
void unary_loop(void* out_, const void* a_, const void*, const void*, size_t n) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  T* out = static_cast<T*>(out_);
  const T* a = static_cast<const T*>(a_);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(Op::run(d, hn::LoadU(d, a + i)), d, out + i);
  if (i < n) store_tail(Op::run(d, load_tail(d, a + i, n - i)), d, out + i, n - i);
}

// For operations of an instruction or two. Their tail goes in halves, quarters, … of a vector: a masked store is not
// forwarded to the load of the next step, which would cost more than all of a tiny step.
template <class Op, size_t kLanes, typename T>
HWY_INLINE void unary_pieces(T* out, const T* a, size_t n) {
  if constexpr (kLanes >= 1) {
    if (n & kLanes) {
      const hn::CappedTag<T, kLanes> d;
      hn::StoreU(Op::run(d, hn::LoadU(d, a)), d, out);
      out += kLanes, a += kLanes;
    }
    unary_pieces<Op, kLanes / 2>(out, a, n);
  }
}
template <class Op, typename T>
void short_unary_loop(void* out_, const void* a_, const void*, const void*, size_t n) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  T* out = static_cast<T*>(out_);
  const T* a = static_cast<const T*>(a_);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(Op::run(d, hn::LoadU(d, a + i)), d, out + i);
  unary_pieces<Op, kLanes / 2>(out + i, a + i, n);
}

template <class Op, size_t kLanes, typename T>
HWY_INLINE void binary_pieces(T* out, const T* a, const T* b, size_t n) {
  if constexpr (kLanes >= 1) {
    if (n & kLanes) {
      const hn::CappedTag<T, kLanes> d;
      hn::StoreU(Op::run(d, hn::LoadU(d, a), hn::LoadU(d, b)), d, out);
      out += kLanes, a += kLanes, b += kLanes;
    }
    binary_pieces<Op, kLanes / 2>(out, a, b, n);
  }
}
template <class Op, typename T>
void short_binary_loop(void* out_, const void* a_, const void* b_, const void*, size_t n) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  T* out = static_cast<T*>(out_);
  const T* a = static_cast<const T*>(a_);
  const T* b = static_cast<const T*>(b_);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(Op::run(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  binary_pieces<Op, kLanes / 2>(out + i, a + i, b + i, n);
}

// To float, infinite where it is too large: Highway's portable form would give the largest float.
template <class D, class V>
HWY_INLINE hn::Vec<D> to_float(D d, V v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, static_cast<float>(v.raw));
#else
  return hn::DemoteTo(d, v);
#endif
}

// float in and out, computed in double vectors: for functions where single precision loses too much on the way.
template <class Op>
void unary_loop_through_double(void* out_, const void* a_, const void*, const void*, size_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const size_t lanes = hn::Lanes(d);
  float* out = static_cast<float*>(out_);
  const float* a = static_cast<const float*>(a_);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(to_float(df, Op::run(d, hn::PromoteTo(d, hn::LoadU(df, a + i)))), df, out + i);
  if (i < n) store_tail(to_float(df, Op::run(d, hn::PromoteTo(d, load_tail(df, a + i, n - i)))), df, out + i, n - i);
}

template <class Op>
void binary_loop_through_double(void* out_, const void* a_, const void* b_, const void*, size_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const size_t lanes = hn::Lanes(d);
  float* out = static_cast<float*>(out_);
  const float* a = static_cast<const float*>(a_);
  const float* b = static_cast<const float*>(b_);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto r = Op::run(d, hn::PromoteTo(d, hn::LoadU(df, a + i)), hn::PromoteTo(d, hn::LoadU(df, b + i)));
    hn::StoreU(to_float(df, r), df, out + i);
  }
  if (i < n) {
    const auto r =
        Op::run(d, hn::PromoteTo(d, load_tail(df, a + i, n - i)), hn::PromoteTo(d, load_tail(df, b + i, n - i)));
    store_tail(to_float(df, r), df, out + i, n - i);
  }
}

// One element at a time, for what has no vector form (libm). Op has a static run(value…).
template <class Op, typename T, typename Out = T>
void scalar_unary_loop(void* out_, const void* a_, const void*, const void*, size_t n) {
  Out* out = static_cast<Out*>(out_);
  const T* a = static_cast<const T*>(a_);
#pragma GCC ivdep  // out is a source or apart from it: never shifted against it
  for (size_t i = 0; i < n; ++i) out[i] = Op::run(a[i]);
}

template <class Op, typename T, typename Out = T>
void scalar_binary_loop(void* out_, const void* a_, const void* b_, const void*, size_t n) {
  Out* out = static_cast<Out*>(out_);
  const T* a = static_cast<const T*>(a_);
  const T* b = static_cast<const T*>(b_);
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i) out[i] = Op::run(a[i], b[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();
#endif
