// f16 and bf16 for one instruction set: widen to f32, run an f32 kernel, round to nearest even on the way back. Done
// in pieces that stay in the L1 cache. Included once per target.
#if defined(BRIO_CPU_HALF_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_CPU_HALF_LOOPS_INL_H_
#undef BRIO_CPU_HALF_LOOPS_INL_H_
#else
#define BRIO_CPU_HALF_LOOPS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "brio/backends/cpu/loops/simd_loops-inl.h"
#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/tensor/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Half conversion is an instruction from AVX2 (F16C) on; below it, the definition in dtype.h is used.
constexpr bool kHasHalfConversion = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

using FloatTag = hn::ScalableTag<float>;
using BitsTag = hn::Rebind<uint16_t, FloatTag>;

template <DType kDType>
HWY_INLINE hn::Vec<FloatTag> widen_vector(hn::Vec<BitsTag> bits) {
  const FloatTag d;
  if constexpr (kDType == bf16) {
    const hn::RebindToUnsigned<FloatTag> du;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
  } else {
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, FloatTag>(), bits));
  }
}

template <DType kDType>
HWY_INLINE hn::Vec<BitsTag> narrow_vector(hn::Vec<FloatTag> v) {
  const BitsTag db;
  if constexpr (kDType == bf16) {
    const hn::RebindToUnsigned<FloatTag> du;
    const auto u = hn::BitCast(du, v);
    const auto odd = hn::And(hn::ShiftRight<16>(u), hn::Set(du, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(u, hn::Set(du, 0x7fffu)), odd));
    const auto quiet = hn::Or(hn::ShiftRight<16>(u), hn::Set(du, 0x40u));
    const auto result = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), quiet, rounded);
    return hn::DemoteTo(db, hn::BitCast(hn::RebindToSigned<FloatTag>(), result));
  } else {
    return hn::BitCast(db, hn::DemoteTo(hn::Rebind<hwy::float16_t, FloatTag>(), v));
  }
}

template <DType kDType>
void widen(const void* source, float* out, size_t n) {
  const uint16_t* in = static_cast<const uint16_t*>(source);
  if constexpr (kDType == f16 && !kHasHalfConversion) {
    for (size_t i = 0; i < n; ++i) {
      Half half;
      half.bits = in[i];
      out[i] = half;
    }
  } else {
    const FloatTag d;
    const BitsTag db;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(widen_vector<kDType>(hn::LoadU(db, in + i)), d, out + i);
    if (i < n) store_tail(widen_vector<kDType>(load_tail(db, in + i, n - i)), d, out + i, n - i);
  }
}

template <DType kDType>
void narrow(const float* in, void* destination, size_t n) {
  uint16_t* out = static_cast<uint16_t*>(destination);
  if constexpr (kDType == f16 && !kHasHalfConversion) {
    for (size_t i = 0; i < n; ++i) out[i] = Half(in[i]).bits;
  } else {
    const FloatTag d;
    const BitsTag db;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(narrow_vector<kDType>(hn::LoadU(d, in + i)), db, out + i);
    if (i < n) store_tail(narrow_vector<kDType>(load_tail(d, in + i, n - i)), db, out + i, n - i);
  }
}

constexpr size_t kHalfPiece = 256;

// kFn on f32 as a kernel on f16 or bf16 storage; kBool: its results are bool and need no rounding.
template <TileFn kFn, int kSources, DType kDType, bool kBool = false>
void half_loop(void* out_, const void* a_, const void* b_, const void*, size_t n) {
  [[maybe_unused]] HWY_ALIGN float a[kHalfPiece], b[kSources > 1 ? kHalfPiece : 1], result[kBool ? 1 : kHalfPiece];
  for (size_t i = 0; i < n; i += kHalfPiece) {
    const size_t piece = std::min(kHalfPiece, n - i);
    widen<kDType>(static_cast<const uint16_t*>(a_) + i, a, piece);
    const float* second = nullptr;
    if constexpr (kSources > 1) {
      widen<kDType>(static_cast<const uint16_t*>(b_) + i, b, piece);
      second = b;
    }
    if constexpr (kBool) {
      kFn(static_cast<uint8_t*>(out_) + i, a, second, nullptr, piece);
    } else {
      kFn(result, a, second, nullptr, piece);
      narrow<kDType>(result, static_cast<uint16_t*>(out_) + i, piece);
    }
  }
}

// One row of a family's table: an operation in all floating dtypes.
struct FloatRow {
  std::string_view name;
  TileFn f64_fn, f32_fn, f16_fn, bf16_fn;
  TileFn of(DType dtype) const {
    return dtype == f32 ? f32_fn : dtype == f64 ? f64_fn : dtype == f16 ? f16_fn : bf16_fn;
  }
};
template <TileFn kF32, int kSources, bool kBool = false>
constexpr FloatRow float_row(std::string_view name, TileFn in_double) {
  return {name, in_double, kF32, half_loop<kF32, kSources, f16, kBool>, half_loop<kF32, kSources, bf16, kBool>};
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();
#endif
