// Accuracy of the floating-point functions against libm in a wider type, over dense grids and at special
// values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/special_functions.h"
#include "tests/backends/cpu/every_isa.h"

namespace brio::cpu {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Distance in units of the last place of the exact result (of the smallest subnormal, below that).
template <typename T, typename Wide>
double ulp_error(T got, Wide exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kInf;
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded) return 0;
    // The largest number and infinity are neighbours, but only close to where rounding decides between them.
    const bool near_limit =
        std::fabs(exact) < Wide(std::numeric_limits<T>::max()) * (1 + Wide(std::numeric_limits<T>::epsilon()));
    const T finite = std::isinf(got) ? rounded : got;
    return near_limit && std::fabs(finite) == std::numeric_limits<T>::max() ? 1 : kInf;
  }
  const T magnitude = std::fabs(rounded);
  const Wide unit =
      static_cast<Wide>(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) - static_cast<Wide>(magnitude);
  return static_cast<double>(std::fabs(static_cast<Wide>(got) - exact) / unit);
}

template <typename T>
std::vector<T> grid(double low, double high) {
  std::vector<T> x;
  const int steps = 200'000;
  for (int i = 0; i <= steps; ++i) x.push_back(static_cast<T>(low + (high - low) * i / steps));
  // Magnitudes from the smallest subnormal on, both signs where the range has them.
  const double tiny = std::numeric_limits<T>::denorm_min();
  for (double m = tiny; m <= std::max(std::fabs(low), std::fabs(high)); m = std::max(m * 1.0173, m + tiny)) {
    if (m <= high && m >= low) x.push_back(static_cast<T>(m));
    if (-m >= low && -m <= high) x.push_back(static_cast<T>(-m));
  }
  for (T special :
       {T(0), -T(0), std::numeric_limits<T>::min(), -std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
        std::numeric_limits<T>::lowest(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
        std::numeric_limits<T>::quiet_NaN(), T(1), T(-1), T(0.5), T(-0.5)})
    x.push_back(special);
  return x;
}

template <typename T, typename Wide>
void check(const char* op, double low, double high, double bound, Wide (*exact)(Wide)) {
  const std::vector<T> x = grid<T>(low, high);
  std::vector<Wide> expected;  // once for all instruction sets: libm in a wide type is what takes the time here
  for (const T at : x) expected.push_back(exact(static_cast<Wide>(at)));
  on_every_isa([&] {
    const TileFn fn = find_tile_fn(op, dtype_of<T>, dtype_of<T>);
    ASSERT_NE(fn, nullptr) << op;
    std::vector<T> y(x.size());
    fn(y.data(), x.data(), nullptr, nullptr, x.size());
    double worst = 0;
    T worst_at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = ulp_error(y[i], expected[i]);
      if (error > worst) worst = error, worst_at = x[i];
      if (x[i] == 0 && expected[i] == 0) {
        EXPECT_EQ(std::signbit(y[i]), std::signbit(expected[i])) << op << " of a signed zero";
      }
    }
    EXPECT_LE(worst, bound) << op << " " << dtype_of<T> << " is worst at " << worst_at;
    if (std::getenv("BRIO_SHOW_ULP"))
      std::printf("%-8s %-9s %-8s worst %.3f ulp at %.9g\n", std::string(isa_name()).c_str(), op,
                  std::string(info(dtype_of<T>).name).c_str(), worst, static_cast<double>(worst_at));
  });
}

template <typename Wide>
Wide sigmoid(Wide x) {
  return 1 / (1 + std::exp(-x));
}
template <typename Wide>
Wide softplus(Wide x) {
  return (x > 0 ? x : Wide(0)) + std::log1p(std::exp(-std::fabs(x)));
}
template <typename Wide>
Wide normal_distribution(Wide x) {
  return std::erfc(-x / std::sqrt(Wide(2))) / 2;
}
template <typename Wide>
Wide rsqrt(Wide x) {
  return 1 / std::sqrt(x);
}
template <typename Wide>
Wide reciprocal(Wide x) {
  return 1 / x;
}

template <typename T, typename Wide>
void check_all(double bound_core, double bound_trigonometry, double bound_others) {
  const double edge = sizeof(T) == 4 ? 110 : 760;
  check<T, Wide>("exp", -edge, edge, bound_core, [](Wide x) { return std::exp(x); });
  check<T, Wide>("exp", -2, 2, bound_core, [](Wide x) { return std::exp(x); });
  check<T, Wide>("log", 0, 3, bound_core, [](Wide x) { return std::log(x); });
  check<T, Wide>("log", 0.99, 1.01, bound_core, [](Wide x) { return std::log(x); });
  check<T, Wide>("log", 0, 1e30, bound_core, [](Wide x) { return std::log(x); });
  check<T, Wide>("tanh", -12, 12, bound_core, [](Wide x) { return std::tanh(x); });
  check<T, Wide>("tanh", -1, 1, bound_core, [](Wide x) { return std::tanh(x); });
  check<T, Wide>("sigmoid", -edge, edge, bound_core, sigmoid<Wide>);
  check<T, Wide>("sigmoid", -5, 5, bound_core, sigmoid<Wide>);
  check<T, Wide>("sin", -10, 10, bound_trigonometry, [](Wide x) { return std::sin(x); });
  check<T, Wide>("sin", -1e4, 1e4, bound_trigonometry, [](Wide x) { return std::sin(x); });
  check<T, Wide>("sin", -1e9, 1e9, bound_trigonometry, [](Wide x) { return std::sin(x); });
  check<T, Wide>("cos", -10, 10, bound_trigonometry, [](Wide x) { return std::cos(x); });
  check<T, Wide>("cos", -1e4, 1e4, bound_trigonometry, [](Wide x) { return std::cos(x); });
  check<T, Wide>("cos", -1e9, 1e9, bound_trigonometry, [](Wide x) { return std::cos(x); });
  check<T, Wide>("expm1", -30, edge, bound_others, [](Wide x) { return std::expm1(x); });
  check<T, Wide>("expm1", -2, 2, bound_others, [](Wide x) { return std::expm1(x); });
  check<T, Wide>("log1p", -1.5, 3, bound_others, [](Wide x) { return std::log1p(x); });
  check<T, Wide>("log1p", -1, 1e30, bound_others, [](Wide x) { return std::log1p(x); });
  check<T, Wide>("softplus", -edge, edge, bound_others, softplus<Wide>);
  check<T, Wide>("softplus", -5, 5, bound_others, softplus<Wide>);
  check<T, Wide>("erf", -6, 6, bound_others, [](Wide x) { return std::erf(x); });
  check<T, Wide>("erfc", -6, 30, bound_others, [](Wide x) { return std::erfc(x); });
  check<T, Wide>("erfc", -1, 1, bound_others, [](Wide x) { return std::erfc(x); });
  check<T, Wide>("ndtr", -15, 9, bound_others, normal_distribution<Wide>);
  check<T, Wide>("ndtr", -1, 1, bound_others, normal_distribution<Wide>);
  check<T, Wide>("tan", -10, 10, bound_trigonometry, [](Wide x) { return std::tan(x); });
  check<T, Wide>("tan", -1e9, 1e9, bound_trigonometry, [](Wide x) { return std::tan(x); });
  check<T, Wide>("asin", -1.1, 1.1, bound_core, [](Wide x) { return std::asin(x); });
  check<T, Wide>("acos", -1.1, 1.1, bound_core, [](Wide x) { return std::acos(x); });
  check<T, Wide>("atan", -10, 10, bound_core, [](Wide x) { return std::atan(x); });
  check<T, Wide>("atan", -1e30, 1e30, bound_core, [](Wide x) { return std::atan(x); });
  check<T, Wide>("sinh", -edge, edge, bound_core, [](Wide x) { return std::sinh(x); });
  check<T, Wide>("sinh", -2, 2, bound_core, [](Wide x) { return std::sinh(x); });
  check<T, Wide>("cosh", -edge, edge, bound_core, [](Wide x) { return std::cosh(x); });
  check<T, Wide>("asinh", -5, 5, bound_core, [](Wide x) { return std::asinh(x); });
  check<T, Wide>("asinh", -1e30, 1e30, bound_core, [](Wide x) { return std::asinh(x); });
  check<T, Wide>("acosh", 0.5, 5, bound_core, [](Wide x) { return std::acosh(x); });
  check<T, Wide>("acosh", 1, 1e30, bound_core, [](Wide x) { return std::acosh(x); });
  check<T, Wide>("atanh", -1.1, 1.1, bound_core, [](Wide x) { return std::atanh(x); });
  check<T, Wide>("erfinv", -1.1, 1.1, bound_core, [](Wide x) { return Wide(special::erfinv(double(x))); });
  check<T, Wide>("ndtri", -0.1, 1.1, bound_core, [](Wide x) { return Wide(special::ndtri(double(x))); });
  check<T, Wide>("ndtri", 0, 1e-7, bound_core, [](Wide x) { return Wide(special::ndtri(double(x))); });
  check<T, Wide>("lgamma", 0.1, 40, bound_core, [](Wide x) { return Wide(special::lgamma(double(x))); });
  check<T, Wide>("digamma", -4, 40, bound_core, [](Wide x) { return Wide(special::digamma(double(x))); });
  check<T, Wide>("digamma", 1.46, 1.464, bound_core, [](Wide x) { return Wide(special::digamma(double(x))); });
  check<T, Wide>("sqrt", -1, 1e6, 0.5001, [](Wide x) { return std::sqrt(x); });
  check<T, Wide>("rsqrt", 0, 1e6, 1.5, rsqrt<Wide>);
  check<T, Wide>("reciprocal", -100, 100, 0.5001, reciprocal<Wide>);
}

TEST(TileAccuracy, Float32Functions) { check_all<float, double>(2, 4, 4); }

TEST(TileAccuracy, Float64Functions) { check_all<double, long double>(4, 4, 4); }

template <typename T, typename Wide>
void check_pow() {
  const TileFn fn = find_tile_fn("pow", dtype_of<T>, dtype_of<T>);
  std::vector<T> a, b;
  for (double base = 1e-3; base < 1e3; base *= 1.031)
    for (double e = -12; e <= 12; e += 0.37) {
      a.push_back(T(base)), b.push_back(T(e));
      a.push_back(T(-base)), b.push_back(T(std::round(e)));  // whole exponents of negative bases
      a.push_back(T(-base)), b.push_back(T(e));
    }
  const double inf = kInf, nan = std::nan("");
  for (double base : {0.0, -0.0, 1.0, -1.0, -2.0, 2.0, 0.5, inf, -inf, nan, 1e-40, 3e38})
    for (double e : {0.0, -0.0, 1.0, -1.0, 2.0, 3.0, -3.0, 0.5, 2.5, inf, -inf, nan, 1e10, -1e10})
      a.push_back(T(base)), b.push_back(T(e));
  std::vector<T> y(a.size());
  fn(y.data(), a.data(), b.data(), nullptr, a.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_LE(ulp_error(y[i], std::pow(Wide(a[i]), Wide(b[i]))), 2) << a[i] << " to the " << b[i] << " gave " << y[i];
}

TEST(TileAccuracy, Powers) {
  on_every_isa([] {
    check_pow<float, double>();
    check_pow<double, long double>();
  });
}

}  // namespace
}  // namespace brio::cpu
