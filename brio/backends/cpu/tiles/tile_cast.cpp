// Casts between all pairs of dtypes. Those from and to f32, and between the common integers, are compiled for every
// instruction set; the others for the baseline: a cast is exact or rounds once, so the bits are the same.
#include <cstdint>

#include "brio/backends/cpu/loops/scalar_definitions.h"
#include "brio/backends/cpu/tiles/tile_families.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tiles/tile_cast.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/half_loops-inl.h"
#include "brio/backends/cpu/loops/simd_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Halves convert through float, so that float → half rounds once and half → integer sees the exact value.
template <typename From, typename To>
struct Cast {
  static To run(From x) {
    if constexpr (kIsHalf<From>) return Cast<float, To>::run(static_cast<float>(x));
    else if constexpr (std::is_same_v<To, bool>) return x != From{};
    else if constexpr (kIsHalf<To>) return To(static_cast<float>(x));
    else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
      return scalar::float_to_integer<To>(x);
    else return static_cast<To>(x);
  }
};

template <typename From>
struct IsNotZero {
  static uint8_t run(From x) { return Cast<From, bool>::run(x); }
};

template <typename T>
void copy_loop(void* out, const void* a, const void*, const void*, size_t n) {
  if (out != a) std::memcpy(out, a, n * sizeof(T));
}

template <DType kDType>
void widen_loop(void* out, const void* a, const void*, const void*, size_t n) {
  widen<kDType>(a, static_cast<float*>(out), n);
}
template <DType kDType>
void narrow_loop(void* out, const void* a, const void*, const void*, size_t n) {
  narrow<kDType>(static_cast<const float*>(a), out, n);
}

template <typename From, typename To>
constexpr TileFn cast_loop() {
  if constexpr (std::is_same_v<From, To>) return copy_loop<From>;
  else if constexpr (kIsHalf<From> && std::is_same_v<To, float>) return widen_loop<dtype_of<From>>;
  else if constexpr (kIsHalf<To> && std::is_same_v<From, float>) return narrow_loop<dtype_of<To>>;
  else if constexpr (std::is_same_v<From, bool>) return cast_loop<uint8_t, To>();  // 0 and 1, which vectors can load
  else if constexpr (std::is_same_v<To, bool>) return scalar_unary_loop<IsNotZero<From>, From, uint8_t>;
  else return scalar_unary_loop<Cast<From, To>, From, To>;
}

}  // namespace

TileFn find_cast_here(DType in, DType out) {
#if HWY_TARGET == HWY_STATIC_TARGET
  constexpr bool kAll = true;
#else
  constexpr bool kAll = false;
#endif
  return visit(in, [&](auto from) -> TileFn {
    return visit(out, [&](auto to) -> TileFn {
      using From = decltype(from);
      using To = decltype(to);
      constexpr bool common =
          std::is_same_v<From, float> || std::is_same_v<To, float> ||
          ((std::is_same_v<From, int32_t> || std::is_same_v<From, bool>)&&std::is_same_v<To, int64_t>);
      if constexpr (kAll || common) return cast_loop<From, To>();
      else return nullptr;
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_cast_here);

TileFn find_cast(DType in, DType out) {
  if (TileFn fn = HWY_DYNAMIC_DISPATCH(find_cast_here)(in, out)) return fn;
  return HWY_STATIC_DISPATCH(find_cast_here)(in, out);
}

}  // namespace brio::cpu
#endif
