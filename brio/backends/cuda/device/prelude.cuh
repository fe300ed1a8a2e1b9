// What every kernel stands on: element types and how they are computed with, division by numbers that are known before
// a launch, vectors of elements. NVRTC reads no header but this; so it names what it needs itself.
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef double f64;
typedef float f32;
struct alignas(16) u128 { u64 low, high; };
#define DEVICE __device__ __forceinline__
#define INFINITY_F __int_as_float(0x7f800000)
#define NAN_F __int_as_float(0x7fc00000)
#define INFINITY_D __longlong_as_double(0x7ff0000000000000ll)

template <bool B, typename T, typename F> struct If { typedef T type; };
template <typename T, typename F> struct If<false, T, F> { typedef F type; };
template <typename A, typename B> struct Same { static const bool value = false; };
template <typename A> struct Same<A, A> { static const bool value = true; };

// Half and bfloat16 are storage: they are computed with as float, and each op rounds its result.
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
template <typename T> struct WideOf { typedef T type; };
template <> struct WideOf<f16> { typedef f32 type; };
template <> struct WideOf<bf16> { typedef f32 type; };
template <typename T> using Wide = typename WideOf<T>::type;

template <typename T> DEVICE T wide(T x) { return x; }
DEVICE f32 wide(f16 x) {
  f32 y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
DEVICE f32 wide(bf16 x) { return __uint_as_float((u32)x.bits << 16); }
template <typename T> struct Narrow {
  static DEVICE T of(T x) { return x; }
};
template <> struct Narrow<f16> {
  static DEVICE f16 of(f32 x) {
    f16 y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
  }
};
template <> struct Narrow<bf16> {
  static DEVICE bf16 of(f32 x) {
    bf16 y;
#if __CUDA_ARCH__ >= 900
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
#else
    const u32 u = __float_as_uint(x);
    y.bits = (u & 0x7fffffffu) > 0x7f800000u ? (u16)(u >> 16 | 0x40u) : (u16)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
#endif
    return y;
  }
};
template <typename T> DEVICE T narrow(Wide<T> x) { return Narrow<T>::of(x); }
// To what T holds. One goes beside a zero: the instruction that converts two is the quicker one (a gelu's gradient, which
// rounds nine times, took 98 µs instead of 202 on an H200).
template <typename T> DEVICE Wide<T> rounded(Wide<T> x) { return wide(narrow<T>(x)); }
#if __CUDA_ARCH__ >= 800
template <> DEVICE f32 rounded<f16>(f32 x) {
  u32 pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(x));
  return wide(f16{(u16)pair});
}
template <> DEVICE f32 rounded<bf16>(f32 x) {
  u32 pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(x), "f"(0.0f));
  return __uint_as_float(pair);
}
#endif

// One instruction each, to within 2^-22 of the result.
DEVICE f32 quick_exp2(f32 x) {
  f32 y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
DEVICE f32 quick_reciprocal(f32 x) {
  f32 y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

template <typename T> struct IsFloat { static const bool value = Same<T, f32>::value || Same<T, f64>::value; };
template <typename T> struct IsBool { static const bool value = Same<T, bool>::value; };
template <typename T> struct IsSigned { static const bool value = ((T)-1) < (T)0; };
template <typename T> struct Limits;
#define LIMITS(T, low, high) \
  template <> struct Limits<T> { \
    static DEVICE T lowest() { return low; } \
    static DEVICE T highest() { return high; } \
  };
LIMITS(i8, -128, 127)
LIMITS(i16, -32768, 32767)
LIMITS(i32, (-2147483647 - 1), 2147483647)
LIMITS(i64, (-9223372036854775807ll - 1), 9223372036854775807ll)
LIMITS(u8, 0, 255)
LIMITS(u16, 0, 65535)
LIMITS(u32, 0, 4294967295u)
LIMITS(u64, 0, 18446744073709551615ull)
LIMITS(f32, -INFINITY_F, INFINITY_F)
LIMITS(f64, -INFINITY_D, INFINITY_D)
LIMITS(bool, false, true)
#undef LIMITS

// Elements that are moved at once.
template <typename T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack { T v[N]; };
template <typename T> struct Pack<T, 1> { T v[1]; };

// Shared memory of a size that the launch says. Copies to it are under way until wait_for_copies(), which a thread calls
// for its own. A host that emulates a device has no such instructions.
#ifdef __CUDACC_RTC__
extern __shared__ u128 dynamic_memory[];
#else
static u128 dynamic_memory[232448 / 16];
#endif
DEVICE void copy_ahead(u128* shared, const u128* from) {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(shared)), "l"(from));
#else
  *shared = *from;
#endif
}
DEVICE void wait_for_copies() {
#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Quotients by d of numbers below 2^31: high half of a product.
struct Divider {
  u32 d, multiplier, shift;
};
DEVICE u32 quotient(u32 n, const Divider& by) { return (__umulhi(n, by.multiplier) + n) >> by.shift; }
DEVICE i64 quotient(i64 n, const i64& by) { return (i64)((u64)n / (u64)by); }
DEVICE u32 divisor(const Divider& by) { return by.d; }
DEVICE i64 divisor(const i64& by) { return by; }

// What a kernel that refuses its data says, and where.
struct Failure {
  long long which, value, place;
};
struct FailureAt {
  Failure* at;
  long long which;
};
DEVICE void refuse(const FailureAt& failure, long long value, long long place) {
  volatile Failure* const at = failure.at;
  if (at->which != 0) return;
  at->value = value;
  at->place = place;
  at->which = failure.which;
}
