// The elementwise ops: op_NAME, for each type that reference/elementwise.cpp defines it for. Half-precision values come
// as float, and the caller rounds the result. An op that is not here runs on the host.
template <typename T> struct UnsignedOf { typedef T type; };
template <> struct UnsignedOf<i8> { typedef u8 type; };
template <> struct UnsignedOf<i16> { typedef u16 type; };
template <> struct UnsignedOf<i32> { typedef u32 type; };
template <> struct UnsignedOf<i64> { typedef u64 type; };

// Integers wrap.
template <typename T> DEVICE T plus(T x, T y) { return (T)((u64)x + (u64)y); }
template <typename T> DEVICE T minus(T x, T y) { return (T)((u64)x - (u64)y); }
template <typename T> DEVICE T times(T x, T y) { return (T)((u64)x * (u64)y); }
DEVICE f32 plus(f32 x, f32 y) { return x + y; }
DEVICE f32 minus(f32 x, f32 y) { return x - y; }
DEVICE f32 times(f32 x, f32 y) { return x * y; }
DEVICE f64 plus(f64 x, f64 y) { return x + y; }
DEVICE f64 minus(f64 x, f64 y) { return x - y; }
DEVICE f64 times(f64 x, f64 y) { return x * y; }

#define UNARY(name, ...) \
  template <typename T> DEVICE T op_##name(T x) { return __VA_ARGS__; }
#define BINARY(name, ...) \
  template <typename T> DEVICE T op_##name(T x, T y) { return __VA_ARGS__; }
#define TEST(name, ...) \
  template <typename T> DEVICE bool op_##name(T x) { return __VA_ARGS__; }
#define COMPARE(name, ...) \
  template <typename T> DEVICE bool op_##name(T x, T y) { return __VA_ARGS__; }
// One function of the device's library for each width.
#define LIBRARY(name, narrow_one, wide_one) \
  DEVICE f32 op_##name(f32 x) { return narrow_one(x); } \
  DEVICE f64 op_##name(f64 x) { return wide_one(x); }

UNARY(neg, minus((T)0, x))
DEVICE f32 op_neg(f32 x) { return -x; }
DEVICE f64 op_neg(f64 x) { return -x; }
UNARY(abs, x < (T)0 ? minus((T)0, x) : x)
DEVICE f32 op_abs(f32 x) { return fabsf(x); }
DEVICE f64 op_abs(f64 x) { return fabs(x); }
UNARY(sign, x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x == (T)0 ? (T)0 : x)
UNARY(square, times(x, x))
UNARY(relu, x > (T)0 || x != x ? x : (T)0)
UNARY(reciprocal, (T)1 / x)
LIBRARY(exp, expf, exp)
LIBRARY(expm1, expm1f, expm1)
LIBRARY(log, logf, log)
LIBRARY(log1p, log1pf, log1p)
LIBRARY(sqrt, sqrtf, sqrt)
DEVICE f32 op_rsqrt(f32 x) { return 1.0f / sqrtf(x); }
DEVICE f64 op_rsqrt(f64 x) { return 1.0 / sqrt(x); }
LIBRARY(sin, sinf, sin)
LIBRARY(cos, cosf, cos)
LIBRARY(tan, tanf, tan)
LIBRARY(asin, asinf, asin)
LIBRARY(acos, acosf, acos)
LIBRARY(atan, atanf, atan)
LIBRARY(sinh, sinhf, sinh)
LIBRARY(cosh, coshf, cosh)
LIBRARY(tanh, tanhf, tanh)
LIBRARY(asinh, asinhf, asinh)
LIBRARY(acosh, acoshf, acosh)
LIBRARY(atanh, atanhf, atanh)
LIBRARY(erf, erff, erf)
LIBRARY(erfc, erfcf, erfc)
LIBRARY(erfinv, erfinvf, erfinv)
LIBRARY(ndtr, normcdff, normcdf)
LIBRARY(ndtri, normcdfinvf, normcdfinv)
LIBRARY(lgamma, lgammaf, lgamma)
LIBRARY(bessel_i0, cyl_bessel_i0f, cyl_bessel_i0)
LIBRARY(bessel_i1, cyl_bessel_i1f, cyl_bessel_i1)
LIBRARY(floor, floorf, floor)
LIBRARY(ceil, ceilf, ceil)
LIBRARY(round, rintf, rint)
DEVICE f32 op_sigmoid(f32 x) { return 1.0f / (1.0f + expf(-x)); }
DEVICE f64 op_sigmoid(f64 x) { return 1.0 / (1.0 + exp(-x)); }
DEVICE f32 op_softplus(f32 x) { return (x > 0 ? x : 0) + log1pf(expf(-fabsf(x))) + (x != x ? x : 0); }
DEVICE f64 op_softplus(f64 x) { return (x > 0 ? x : 0) + log1p(exp(-fabs(x))) + (x != x ? x : 0); }
DEVICE f32 op_softsign(f32 x) { return x / (1.0f + fabsf(x)); }
DEVICE f64 op_softsign(f64 x) { return x / (1.0 + fabs(x)); }
TEST(logical_not, !x)
TEST(is_nan, x != x)
DEVICE bool op_is_finite(f32 x) { return fabsf(x) < INFINITY_F; }
DEVICE bool op_is_finite(f64 x) { return fabs(x) < INFINITY_D; }
DEVICE bool op_is_inf(f32 x) { return fabsf(x) == INFINITY_F; }
DEVICE bool op_is_inf(f64 x) { return fabs(x) == INFINITY_D; }
DEVICE f64 digamma(f64 x) {
  f64 r = 0;
  if (x <= 0) {
    if (x == floor(x)) return __longlong_as_double(0x7ff8000000000000ll);
    r = -3.14159265358979323846 / tan(3.14159265358979323846 * (x - floor(x)));
    x = 1 - x;
  }
  while (x < 10) {
    r -= 1 / x;
    x += 1;
  }
  const f64 w = 1 / (x * x);
  return r + log(x) - 0.5 / x -
         w * (1.0 / 12 - w * (1.0 / 120 - w * (1.0 / 252 - w * (1.0 / 240 - w * (1.0 / 132 - w * (691.0 / 32760 -
         w * (1.0 / 12)))))));
}
DEVICE f32 op_digamma(f32 x) { return (f32)digamma((f64)x); }
DEVICE f64 op_digamma(f64 x) { return digamma(x); }

BINARY(add, plus(x, y))
BINARY(sub, minus(x, y))
BINARY(mul, times(x, y))
BINARY(div, x / y)
// Python's // and %: the remainder has the divisor's sign; integers divided by 0 give 0.
template <typename T> DEVICE T op_mod(T x, T y) {
  if (y == 0) return 0;
  if (IsSigned<T>::value && y == (T)-1) return 0;
  const T r = (T)(x % y);
  return r != 0 && (r < 0) != (y < 0) ? (T)(r + y) : r;
}
DEVICE f32 op_mod(f32 x, f32 y) {
  const f32 r = fmodf(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
DEVICE f64 op_mod(f64 x, f64 y) {
  const f64 r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
template <typename T> DEVICE T op_floor_div(T x, T y) {
  if (y == 0) return 0;
  if (IsSigned<T>::value && y == (T)-1) return minus((T)0, x);
  const T q = (T)(x / y);
  return x % y != 0 && (x < 0) != (y < 0) ? (T)(q - 1) : q;
}
DEVICE f32 op_floor_div(f32 x, f32 y) { return floorf(x / y); }
DEVICE f64 op_floor_div(f64 x, f64 y) { return floor(x / y); }
template <typename T> DEVICE T op_pow(T x, T y) {
  if (IsSigned<T>::value && y < 0) return x == 1 ? (T)1 : x == (T)-1 ? (T)(y % 2 == 0 ? 1 : -1) : (T)0;
  T result = 1;
  for (typename UnsignedOf<T>::type e = (typename UnsignedOf<T>::type)y; e != 0; e >>= 1) {
    if (e & 1) result = times(result, x);
    x = times(x, x);
  }
  return result;
}
DEVICE f32 op_pow(f32 x, f32 y) { return powf(x, y); }
DEVICE f64 op_pow(f64 x, f64 y) { return pow(x, y); }
BINARY(max, x > y || x != x ? x : y)
BINARY(min, x < y || x != x ? x : y)
DEVICE f32 op_atan2(f32 x, f32 y) { return atan2f(x, y); }
DEVICE f64 op_atan2(f64 x, f64 y) { return atan2(x, y); }
DEVICE f64 op_nextafter(f64 x, f64 y) { return nextafter(x, y); }
DEVICE f32 op_nextafter(f32 x, f32 y) { return nextafterf(x, y); }
BINARY(squared_difference, times(minus(x, y), minus(x, y)))
COMPARE(equal, x == y)
COMPARE(not_equal, x != y)
COMPARE(less, x < y)
COMPARE(less_equal, x <= y)
COMPARE(greater, x > y)
COMPARE(greater_equal, x >= y)
COMPARE(logical_and, x && y)
COMPARE(logical_or, x || y)
COMPARE(logical_xor, x != y)
BINARY(bitwise_and, (T)(x & y))
BINARY(bitwise_or, (T)(x | y))
BINARY(bitwise_xor, (T)(x ^ y))
template <typename T> DEVICE int shift_within(T y) {
  if (y < (T)0) return 0;
  return y > (T)(8 * sizeof(T) - 1) ? (int)(8 * sizeof(T) - 1) : (int)y;
}
BINARY(left_shift, (T)((u64)x << shift_within(y)))
BINARY(right_shift, (T)(x >> shift_within(y)))
template <typename T> DEVICE T op_select(bool condition, T x, T y) { return condition ? x : y; }

// Floats to integers are cut towards 0 and clamped, NaN gives 0; integers wrap; to bool is x != 0. The result is To's
// wide form, not yet rounded.
template <typename To, bool to_integer, bool from_float> struct CastOf {
  template <typename From> static DEVICE Wide<To> of(From x) { return (Wide<To>)x; }
};
template <typename To> struct CastOf<To, true, true> {
  template <typename From> static DEVICE To of(From x) {
    if (x != x) return 0;
    if (x <= (From)Limits<To>::lowest()) return Limits<To>::lowest();
    if (x >= (From)Limits<To>::highest()) return Limits<To>::highest();
    return (To)x;
  }
};
template <> struct CastOf<bool, true, true> {
  template <typename From> static DEVICE bool of(From x) { return x != (From)0; }
};
template <> struct CastOf<bool, true, false> : CastOf<bool, true, true> {};
template <typename To, typename From> DEVICE Wide<To> op_cast(From x) {
  return CastOf<To, !IsFloat<Wide<To>>::value, IsFloat<From>::value>::of(x);
}
#undef UNARY
#undef BINARY
#undef TEST
#undef COMPARE
#undef LIBRARY

// Of a table that is read as rows: a place outside of them stands for the last.
template <typename I> DEVICE I row_at(i32 place, I last) { return place < 0 || (I)place > last ? last : (I)place; }

// Folds: what an empty one gives, and how two join. They are the same in every order but for rounding.
template <typename T> struct FoldSum {
  static DEVICE T start() { return (T)0; }
  static DEVICE T join(T a, T b) { return plus(a, b); }
};
template <typename T> struct FoldProd {
  static DEVICE T start() { return (T)1; }
  static DEVICE T join(T a, T b) { return times(a, b); }
};
template <typename T> struct FoldMax {
  static DEVICE T start() { return Limits<T>::lowest(); }
  static DEVICE T join(T a, T b) { return b > a || b != b ? b : a; }
};
template <typename T> struct FoldMin {
  static DEVICE T start() { return Limits<T>::highest(); }
  static DEVICE T join(T a, T b) { return b < a || b != b ? b : a; }
};
template <typename T> struct FoldAny {
  static DEVICE T start() { return false; }
  static DEVICE T join(T a, T b) { return a || b; }
};
template <typename T> struct FoldAll {
  static DEVICE T start() { return true; }
  static DEVICE T join(T a, T b) { return a && b; }
};
template <typename T> DEVICE T shuffled_down(T x, int by) { return __shfl_down_sync(0xffffffffu, x, by); }
DEVICE i8 shuffled_down(i8 x, int by) { return (i8)__shfl_down_sync(0xffffffffu, (int)x, by); }
DEVICE i16 shuffled_down(i16 x, int by) { return (i16)__shfl_down_sync(0xffffffffu, (int)x, by); }
DEVICE u8 shuffled_down(u8 x, int by) { return (u8)__shfl_down_sync(0xffffffffu, (int)x, by); }
DEVICE u16 shuffled_down(u16 x, int by) { return (u16)__shfl_down_sync(0xffffffffu, (int)x, by); }
DEVICE bool shuffled_down(bool x, int by) { return (bool)__shfl_down_sync(0xffffffffu, (int)x, by); }
// The fold of the first of `group` neighbouring threads is that of all of them.
template <typename F, typename T> DEVICE T fold_threads(T x, int group) {
  for (int by = group / 2; by > 0; by /= 2) x = F::join(x, shuffled_down(x, by));
  return x;
}
// The same for a whole block; every thread takes part, the first has the result.
template <typename F, typename T> DEVICE T fold_block(T x, T* shared, int threads) {
  x = fold_threads<F>(x, 32);
  if (threads <= 32) return x;
  __syncthreads();
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) {
    x = (int)threadIdx.x < threads / 32 ? shared[threadIdx.x] : F::start();
    x = fold_threads<F>(x, 32);
  }
  return x;
}
// Blocks of 32 × 32: store(element, the sum of its parts), added up in a fixed order; partial is (parts, elements).
template <typename W, typename Store> DEVICE void join_parts(const W* partial, i32 elements, i32 parts, Store store) {
  __shared__ W shared[32][33];
  const i32 i = blockIdx.x * 32 + threadIdx.x, mine = blockIdx.x * 32 + threadIdx.y;
  W sum = 0;
  if (i < elements)
#pragma unroll 8
    for (i32 p = threadIdx.y; p < parts; p += 32) sum = plus(sum, partial[(i64)p * elements + i]);
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum = fold_threads<FoldSum<W>>(shared[threadIdx.x][threadIdx.y], 32);
  if (threadIdx.x == 0 && mine < elements) store(mine, sum);
}
