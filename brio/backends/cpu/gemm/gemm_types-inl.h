// In which type each dtype is multiplied and summed, and the way there and back. Included once per instruction set.
#if defined(BRIO_BACKENDS_CPU_GEMM_TYPES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_BACKENDS_CPU_GEMM_TYPES_INL_H_
#undef BRIO_BACKENDS_CPU_GEMM_TYPES_INL_H_
#else
#define BRIO_BACKENDS_CPU_GEMM_TYPES_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "brio/tensor/dtype.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Integers wrap, so sums modulo 2^32 or 2^64 give every narrower or signed result; the 16-bit floats sum in f32.
template <typename T>
struct SumTypeOf {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <>
struct SumTypeOf<double> {
  using type = double;
};
template <>
struct SumTypeOf<float> {
  using type = float;
};
template <>
struct SumTypeOf<Half> {
  using type = float;
};
template <>
struct SumTypeOf<BFloat16> {
  using type = float;
};
template <typename T>
using SumType = typename SumTypeOf<T>::type;

template <typename T>
HWY_INLINE SumType<T> to_sum(T value) {
  return static_cast<SumType<T>>(value);
}
template <typename T>
HWY_INLINE T from_sum(SumType<T> sum) {
  return static_cast<T>(sum);
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3  // these convert halves in hardware
template <>
HWY_INLINE float to_sum<Half>(Half value) {
  const hn::FixedTag<float, 1> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  return hn::GetLane(hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(&value))));
}
template <>
HWY_INLINE Half from_sum<Half>(float sum) {
  const hn::FixedTag<float, 1> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  Half value;
  hn::StoreU(hn::DemoteTo(dh, hn::Set(d, sum)), dh, reinterpret_cast<hwy::float16_t*>(&value));
  return value;
}
#endif

// One rounding where the instruction set has it: a product's sum is one op.
template <typename S>
HWY_INLINE S scalar_multiply_add(S a, S b, S c) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  if constexpr (std::is_same_v<S, float>) return __builtin_fmaf(a, b, c);
  if constexpr (std::is_same_v<S, double>) return __builtin_fma(a, b, c);
#endif
  return a * b + c;
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
