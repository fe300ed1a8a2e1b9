// Every elementwise kernel against a plain definition: all dtypes, tails, misaligned operands, operands in
// place.
#include "brio/backends/cpu/tiles/tile_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "tests/backends/cpu/every_isa.h"

namespace brio::cpu {
namespace {

const size_t kLengths[] = {0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 255, 256, 257, 1000};

// Values of a dtype that meet each other in all combinations, special ones first.
template <typename T>
std::vector<T> samples() {
  std::vector<T> x;
  if constexpr (std::is_same_v<T, bool>) {
    x = {false, true, true, false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using L = std::numeric_limits<T>;
    x = {T(0), T(1),  T(-1), L::min(), L::max(), T(L::min() + 1), T(2),
         T(3), T(-3), T(7),  T(-7),    T(100),   T(13),           T(-128)};
  } else {
    const double inf = std::numeric_limits<double>::infinity();
    for (double v : {0.0, -0.0, 1.0, -1.0,  inf,  -inf, std::nan(""), 0.5,     -0.5,  1.5,
                     2.5, -2.5, 3.0, -7.25, 1e-6, 1e4,  65504.0,      -3.5e-8, 1e-40, 3e38})
      x.push_back(T(static_cast<float>(v)));
  }
  return x;
}

template <typename T>
struct Pairs {
  std::vector<T> a, b;
  Pairs() {
    const std::vector<T> x = samples<T>();
    for (const T u : x)
      for (const T v : x) a.push_back(u), b.push_back(v);
    std::mt19937 generator(5);
    while (a.size() < 1100) {
      const auto random = [&] {
        if constexpr (std::is_same_v<T, bool>) return static_cast<T>(generator() & 1);
        else if constexpr (std::is_integral_v<T>) return static_cast<T>(generator());
        else return T((static_cast<float>(generator() % 20001) - 10000) / 512.0f);
      };
      a.push_back(random()), b.push_back(random());
    }
  }
};
template <>
struct Pairs<bool> {  // std::vector<bool> has no data()
  std::vector<uint8_t> a, b;
  Pairs() {
    for (size_t i = 0; i < 1100; ++i) a.push_back(i * 7 % 3 == 0), b.push_back(i * 5 % 4 < 2);
  }
};

double to_double(const void* element, DType dtype) {
  return visit(dtype, [&](auto t) {
    std::memcpy(&t, element, sizeof t);
    if constexpr (std::is_arithmetic_v<decltype(t)>) return static_cast<double>(t);
    else return static_cast<double>(static_cast<float>(t));
  });
}

// Equal bits, or both NaN, or both a zero.
bool same(const void* x, const void* y, DType dtype) {
  if (std::memcmp(x, y, size_of(dtype)) == 0) return true;
  const double u = to_double(x, dtype), v = to_double(y, dtype);
  return is_floating(dtype) && ((std::isnan(u) && std::isnan(v)) || (u == 0 && v == 0));
}

// A kernel and its definition on one element. Not a template, so that many cases compile quickly.
struct Kernel {
  const char* op;
  DType in, out;
  bool binary;
  std::function<void(const void* a, const void* b, void* out)> define;
};

// Runs a kernel over every length and misalignment, apart and in place, and compares with its definition.
void check(const Kernel& k, const unsigned char* a, const unsigned char* b) {
  const TileFn fn = find_tile_fn(k.op, k.in, k.out);
  ASSERT_NE(fn, nullptr) << k.op << " of " << k.in;
  const size_t in = size_of(k.in), out = size_of(k.out);
  for (size_t n : kLengths)
    for (size_t shift : {0, 1, 5}) {
      const unsigned char *first = a + shift * in, *second = b + 2 * shift * in;
      std::vector<unsigned char> result((n + shift + 20) * out, 0x5a);
      unsigned char* got = result.data() + shift * out;
      fn(got, first, k.binary ? second : nullptr, nullptr, n);
      for (size_t i = 0; i < n; ++i) {
        unsigned char wanted[8];
        k.define(first + i * in, second + i * in, wanted);
        ASSERT_TRUE(same(got + i * out, wanted, k.out))
            << k.op << " of " << k.in << " " << to_double(first + i * in, k.in) << ", "
            << to_double(second + i * in, k.in) << " gave " << to_double(got + i * out, k.out) << ", not "
            << to_double(wanted, k.out) << " (n = " << n << ")";
      }
      for (size_t i = (shift + n) * out; i < result.size(); ++i)
        ASSERT_EQ(result[i], 0x5a) << k.op << " of " << k.in << " wrote past its end, n = " << n;
      if (in != out) continue;
      for (int which = 0; which < (k.binary ? 2 : 1); ++which) {
        std::vector<unsigned char> x(first, first + n * in), y(second, second + n * in);
        unsigned char* in_place = which == 0 ? x.data() : y.data();
        fn(in_place, x.data(), k.binary ? y.data() : nullptr, nullptr, n);
        ASSERT_TRUE(n == 0 || std::memcmp(in_place, got, n * out) == 0)
            << k.op << " of " << k.in << " in place, n = " << n;
      }
    }
}

template <typename T, typename Out, typename Expect>
void check(const char* op, bool binary, Expect&& expect) {
  static const Pairs<T> pairs;
  check({op, dtype_of<T>, dtype_of<Out>, binary,
         [&](const void* a, const void* b, void* out) {
           T x, y;
           std::memcpy(&x, a, sizeof x);
           std::memcpy(&y, b, sizeof y);
           const Out result = static_cast<Out>(expect(x, y));
           std::memcpy(out, &result, sizeof result);
         }},
        reinterpret_cast<const unsigned char*>(pairs.a.data()),
        reinterpret_cast<const unsigned char*>(pairs.b.data()));
}

template <typename T>
T floor_mod(T a, T b) {
  const T r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <typename T>
void check_floats() {
  check<T, T>("add", true, [](T a, T b) { return a + b; });
  check<T, T>("sub", true, [](T a, T b) { return a - b; });
  check<T, T>("mul", true, [](T a, T b) { return a * b; });
  check<T, T>("div", true, [](T a, T b) { return a / b; });
  check<T, T>("floor_div", true, [](T a, T b) { return std::floor(a / b); });
  check<T, T>("mod", true, floor_mod<T>);
  // Of what were floats the kernel gives the rounded result; libm's own for floats is a unit off now and then.
  check<T, T>("atan2", true,
              [](T a, T b) { return static_cast<T>(std::atan2(static_cast<double>(a), static_cast<double>(b))); });
  check<T, T>("nextafter", true, [](T a, T b) { return std::nextafter(a, b); });
  check<T, T>("squared_difference", true, [](T a, T b) { return (a - b) * (a - b); });
  check<T, T>("max", true, [](T a, T b) { return std::isnan(a) || a > b ? a : b; });
  check<T, T>("min", true, [](T a, T b) { return std::isnan(a) || a < b ? a : b; });
  check<T, T>("neg", false, [](T a, T) { return -a; });
  check<T, T>("abs", false, [](T a, T) { return std::fabs(a); });
  check<T, T>("sign", false, [](T a, T) { return a > 0 ? T(1) : a < 0 ? T(-1) : a; });
  check<T, T>("sqrt", false, [](T a, T) { return std::sqrt(a); });
  check<T, T>("rsqrt", false, [](T a, T) { return 1 / std::sqrt(a); });
  check<T, T>("square", false, [](T a, T) { return a * a; });
  check<T, T>("reciprocal", false, [](T a, T) { return 1 / a; });
  check<T, T>("relu", false, [](T a, T) { return a < 0 ? T(0) : a; });
  check<T, T>("floor", false, [](T a, T) { return std::floor(a); });
  check<T, T>("ceil", false, [](T a, T) { return std::ceil(a); });
  check<T, T>("round", false, [](T a, T) { return std::nearbyint(a); });
  check<T, bool>("is_nan", false, [](T a, T) { return std::isnan(a); });
  check<T, bool>("is_finite", false, [](T a, T) { return std::isfinite(a); });
  check<T, bool>("is_inf", false, [](T a, T) { return std::isinf(a); });
}

template <typename T>
void check_comparisons() {
  check<T, bool>("equal", true, [](auto a, auto b) { return a == b; });
  check<T, bool>("not_equal", true, [](auto a, auto b) { return a != b; });
  check<T, bool>("less", true, [](auto a, auto b) { return a < b; });
  check<T, bool>("less_equal", true, [](auto a, auto b) { return a <= b; });
  check<T, bool>("greater", true, [](auto a, auto b) { return a > b; });
  check<T, bool>("greater_equal", true, [](auto a, auto b) { return a >= b; });
}

// Halves: the f32 kernel on the widened values, rounded.
template <typename T>
void check_halves() {
  for (const char* op :
       {"add", "sub", "mul", "div", "floor_div", "mod", "pow", "max", "min", "atan2", "squared_difference"}) {
    const TileFn wide = find_tile_fn(op, f32, f32);
    check<T, T>(op, true, [wide](T a, T b) {
      const float x = a, y = b;
      float r;
      wide(&r, &x, &y, nullptr, 1);
      return T(r);
    });
  }
  for (const char* op :
       {"neg",    "abs",        "sign",  "exp",  "expm1",  "log",     "log1p",    "sqrt",   "rsqrt",
        "square", "reciprocal", "sin",   "cos",  "tanh",   "sigmoid", "softplus", "erf",    "relu",
        "floor",  "ceil",       "round", "tan",  "asin",   "acos",    "atan",     "sinh",   "cosh",
        "asinh",  "acosh",      "atanh", "erfc", "erfinv", "ndtr",    "ndtri",    "lgamma", "digamma"}) {
    const TileFn wide = find_tile_fn(op, f32, f32);
    check<T, T>(op, false, [wide](T a, T) {
      const float x = a;
      float r;
      wide(&r, &x, nullptr, nullptr, 1);
      return T(r);
    });
  }
  check<T, bool>("is_nan", false, [](T a, T) { return std::isnan(static_cast<float>(a)); });
  check<T, bool>("is_finite", false, [](T a, T) { return std::isfinite(static_cast<float>(a)); });
  check<T, bool>("is_inf", false, [](T a, T) { return std::isinf(static_cast<float>(a)); });
}

template <typename T>
void check_integers() {
  __extension__ typedef __int128 Wide;
  const auto wrap = [](auto f) { return [f](T a, T b) { return static_cast<T>(f(Wide{a}, Wide{b})); }; };
  check<T, T>("add", true, wrap([](Wide a, Wide b) { return a + b; }));
  check<T, T>("sub", true, wrap([](Wide a, Wide b) { return a - b; }));
  check<T, T>("mul", true,
              [](T a, T b) { return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); });
  check<T, T>("squared_difference", true, [](T a, T b) {
    const uint64_t d = static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
    return static_cast<T>(d * d);
  });
  const auto floor_div = [](Wide a, Wide b) {
    if (b == 0) return Wide{0};
    return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
  };
  check<T, T>("floor_div", true, wrap(floor_div));
  check<T, T>("mod", true, wrap([&](Wide a, Wide b) { return b == 0 ? Wide{0} : a - b * floor_div(a, b); }));
  check<T, T>("pow", true, [](T a, T b) -> T {
    if (std::is_signed_v<T> && b < 0) {
      if (a == 1) return 1;
      if (static_cast<int64_t>(a) == -1) return b % 2 == 0 ? T(1) : T(-1);
      return 0;
    }
    uint64_t result = 1, base = static_cast<uint64_t>(a);
    for (uint64_t e = static_cast<uint64_t>(b); e; e >>= 1, base *= base)
      if (e & 1) result *= base;
    return static_cast<T>(result);
  });
  check<T, T>("max", true, [](T a, T b) { return a > b ? a : b; });
  check<T, T>("min", true, [](T a, T b) { return a < b ? a : b; });
  check<T, T>("bitwise_and", true, [](T a, T b) { return static_cast<T>(a & b); });
  check<T, T>("bitwise_or", true, [](T a, T b) { return static_cast<T>(a | b); });
  check<T, T>("bitwise_xor", true, [](T a, T b) { return static_cast<T>(a ^ b); });
  const auto bits = [](T b) { return b < 1 ? T(0) : b > T(8 * sizeof(T) - 1) ? T(8 * sizeof(T) - 1) : b; };
  check<T, T>("left_shift", true, [=](T a, T b) { return static_cast<T>(static_cast<uint64_t>(a) << bits(b)); });
  check<T, T>("right_shift", true, wrap([=](Wide a, Wide b) { return a >> bits(static_cast<T>(b)); }));
  check<T, T>("neg", false, wrap([](Wide a, Wide) { return -a; }));
  check<T, T>("abs", false, wrap([](Wide a, Wide) { return a < 0 ? -a : a; }));
  check<T, T>("sign", false, wrap([](Wide a, Wide) { return Wide{(a > 0) - (a < 0)}; }));
  check<T, T>("square", false,
              [](T a, T) { return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a)); });
  check<T, T>("relu", false, [](T a, T) { return a > 0 ? a : T(0); });
}

TEST(TileOps, Floats) {
  on_every_isa([] {
    check_floats<float>(), check_comparisons<float>();
    check_floats<double>(), check_comparisons<double>();
  });
}

TEST(TileOps, Halves) {
  on_every_isa([] {
    check_halves<Half>(), check_comparisons<Half>();
    check_halves<BFloat16>(), check_comparisons<BFloat16>();
  });
}

TEST(TileOps, Integers) {
  on_every_isa([] {
    check_integers<int8_t>(), check_comparisons<int8_t>();
    check_integers<int16_t>(), check_comparisons<int16_t>();
    check_integers<int32_t>(), check_comparisons<int32_t>();
    check_integers<int64_t>(), check_comparisons<int64_t>();
    check_integers<uint8_t>(), check_comparisons<uint8_t>();
    check_integers<uint16_t>(), check_comparisons<uint16_t>();
    check_integers<uint32_t>(), check_comparisons<uint32_t>();
    check_integers<uint64_t>(), check_comparisons<uint64_t>();
  });
}

TEST(TileOps, Booleans) {
  on_every_isa([] {
    check_comparisons<bool>();
    check<bool, bool>("logical_and", true, [](int a, int b) { return a && b; });
    check<bool, bool>("logical_or", true, [](int a, int b) { return a || b; });
    check<bool, bool>("logical_xor", true, [](int a, int b) { return a != b; });
    check<bool, bool>("logical_not", false, [](int a, int) { return !a; });
    check<bool, bool>("max", true, [](int a, int b) { return a || b; });
    check<bool, bool>("min", true, [](int a, int b) { return a && b; });
  });
}

template <typename From, typename To>
To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_arithmetic_v<From>) return x != From(0);
    else return static_cast<float>(x) != 0;
  } else if constexpr (!std::is_arithmetic_v<From>) {
    return converted<float, To>(static_cast<float>(x));
  } else if constexpr (!std::is_arithmetic_v<To>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(x)) return 0;
    const long double wide = std::trunc(static_cast<long double>(x));
    if (wide <= static_cast<long double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (wide >= static_cast<long double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(wide);
  } else {
    return static_cast<To>(x);
  }
}

TEST(TileOps, CastsBetweenAllPairs) {
  on_every_isa([] {
    for (int from = 0; from < kRealDTypeCount; ++from)
      for (int to = 0; to < kRealDTypeCount; ++to)
        visit(static_cast<DType>(from), [&](auto f) {
          visit(static_cast<DType>(to), [&](auto t) {
            using From = decltype(f);
            using To = decltype(t);
            check<From, To>("cast", false, [](auto a, auto) { return converted<From, To>(static_cast<From>(a)); });
          });
        });
  });
}

TEST(TileOps, SelectCopiesBits) {
  on_every_isa([] {
    for (DType dtype : {f64, f32, f16, bf16, i8, u16, i32, u64, boolean}) {
      const size_t size = size_of(dtype);
      const TileFn fn = find_tile_fn("select", dtype, dtype);
      ASSERT_NE(fn, nullptr);
      for (size_t n : kLengths) {
        std::vector<uint8_t> condition(n + 1), a(n * size + 1), b(n * size + 1), out(n * size + 1, 0x5a);
        for (size_t i = 0; i < n; ++i) condition[i] = i * 7 % 3 == 0;
        for (size_t i = 0; i < n * size; ++i)
          a[i] = static_cast<uint8_t>(i * 31), b[i] = static_cast<uint8_t>(i * 17 + 5);
        fn(out.data(), condition.data(), a.data(), b.data(), n);
        for (size_t i = 0; i < n; ++i)
          ASSERT_EQ(std::memcmp(out.data() + i * size, (condition[i] ? a : b).data() + i * size, size), 0)
              << dtype << " " << n;
        ASSERT_EQ(out[n * size], 0x5a);
      }
    }
  });
}

TEST(TileOps, WhatThereIsNot) {
  EXPECT_EQ(find_tile_fn("div", i32, i32), nullptr);
  EXPECT_EQ(find_tile_fn("exp", i32, i32), nullptr);
  EXPECT_EQ(find_tile_fn("add", boolean, boolean), nullptr);
  EXPECT_EQ(find_tile_fn("bitwise_and", f32, f32), nullptr);
  EXPECT_EQ(find_tile_fn("add", f32, f64), nullptr);
  EXPECT_EQ(find_tile_fn("less", f32, f32), nullptr);
  EXPECT_EQ(find_tile_fn("is_nan", i32, boolean), nullptr);
  EXPECT_EQ(find_tile_fn("no such operation", f32, f32), nullptr);
}

TEST(TileOps, EveryOperationHasItsKernel) {
  const auto both = {"neg",   "abs",       "sign", "square", "relu", "add", "sub",
                     "mul",   "floor_div", "mod",  "pow",    "max",  "min", "squared_difference",
                     "select"};
  for (int d = 0; d < kRealDTypeCount; ++d) {
    const DType dtype = static_cast<DType>(d);
    if (dtype == boolean) continue;
    for (const char* op : both) EXPECT_NE(find_tile_fn(op, dtype, dtype), nullptr) << op << " " << dtype;
  }
}

}  // namespace
}  // namespace brio::cpu
