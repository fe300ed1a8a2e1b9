#include "brio/base/special_functions.h"

#include <math.h>  // lgamma_r

#include <cmath>
#include <limits>
#include <numbers>

namespace brio::special {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

// Σ (q + k)^-s over k ≥ 0, for q > 0 and a whole s ≥ 2: the first terms one by one, the others by Euler and
// Maclaurin.
double zeta_of_positive(double s, double q) {
  double sum = 0;
  while (q < s + 10) sum += std::pow(q++, -s);
  constexpr double factors[] = {1. / 12,         -1. / 720,     1. / 30240,
                                -1. / 1209600,   1. / 47900160, -691. / 1307674368000,
                                1. / 74724249600};  // B(2k) / (2k)!
  double term = std::pow(q, -s);
  sum += term * (q / (s - 1) + 0.5);
  term *= s / q;
  for (double k = 1; double factor : factors) {
    sum += factor * term;
    term *= (s + k) * (s + k + 1) / (q * q);
    k += 2;
  }
  return sum;
}

// Below 0 the terms are those of two sums over positive numbers, one of which ends.
double zeta(double s, double q) {
  if (q > 0) return zeta_of_positive(s, q);
  const double fraction = -q - std::floor(-q);
  const double negative = zeta_of_positive(s, fraction) - zeta_of_positive(s, 1 - q);
  return zeta_of_positive(s, 1 - fraction) + (std::fmod(s, 2) == 0 ? negative : -negative);
}

// z ≥ 0 with erf(z) = p and erfc(z) = q; p + q = 1, but the smaller one has digits of its own.
double inverse_erf(long double p, long double q) {
  if (p == 0) return 0;
  if (q == 0) return kInf;
  constexpr long double a = 0.147L, half_root_pi = 0.886226925452758013649L;
  // Winitzki's formula is right to 2e-3. Newton's method on the logarithm then doubles the digits in each step.
  const long double l = std::log(q * (1 + p)), c = 2 / (std::numbers::pi_v<long double> * a) + l / 2;
  long double z = p < 0.1L ? p * half_root_pi : std::sqrt(std::sqrt(c * c - l / a) - c);
  for (int i = 0; i < 4; ++i) {
    const long double inverse_slope = half_root_pi * std::exp(z * z);
    if (q < p) z += std::log(std::erfc(z) / q) * std::erfc(z) * inverse_slope;
    else z -= std::log(std::erf(z) / p) * std::erf(z) * inverse_slope;
  }
  return static_cast<double>(z);
}

}  // namespace

double lgamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

namespace {

// Of order 0 or 1. Not std::cyl_bessel_i, which takes std::lgamma: that writes to a variable of all threads.
double bessel_i(int order, double x) {
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return order == 1 ? x : kInf;
  const long double size = std::fabs(x);
  long double term = 1, sum = 1;
  if (size <= 30) {  // the power series, whose terms are all positive
    for (int k = 1; term > sum * 1e-20L; ++k) sum += term *= size * size / 4 / k / (k + order);
    if (order == 1) sum *= size / 2;
  } else {  // the asymptotic one, long before its terms grow again
    for (int k = 1; std::fabs(term) > 1e-20L; ++k)
      sum += term *= ((2 * k - 1) * (2 * k - 1) - 4 * order) / (8 * k * size);
    sum *= std::exp(size) / std::sqrt(2 * std::numbers::pi_v<long double> * size);
  }
  return static_cast<double>(order == 1 && x < 0 ? -sum : sum);
}

}  // namespace

double bessel_i0(double x) { return bessel_i(0, x); }
double bessel_i1(double x) { return bessel_i(1, x); }

double digamma(double x) {
  if (x <= 0) {
    if (x == std::floor(x)) return kNaN;
    const double from_whole = x - std::nearbyint(x);  // exact, unlike π x
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * from_whole);
  }
  double below = 0;
  while (x < 10) below += 1 / x++;
  const double r = 1 / (x * x);
  const double series =
      r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r * (1. / 132 - r * (691. / 32760 - r / 12))))));
  return std::log(x) - 0.5 / x - series - below;
}

double polygamma(double n, double x) {
  if (!(n >= 0) || n != std::floor(n) || std::isnan(x)) return kNaN;
  if (n == 0) return digamma(x);
  const bool odd = std::fmod(n, 2) == 1;
  if (x <= 0 && x == std::floor(x)) return odd ? kInf : kNaN;
  const double sign = odd ? 1 : -1;
  if (x == kInf) return sign * 0.0;
  if (n > 170) return sign * kInf;  // as n! is
  return sign * std::tgamma(n + 1) * zeta(n + 1, x);
}

double erfinv(double x) {
  if (!(std::fabs(x) <= 1)) return kNaN;
  return std::copysign(inverse_erf(std::fabs(x), 1 - static_cast<long double>(std::fabs(x))), x);
}

double ndtr(double x) {
  // erfc of z + error, z being what is left of -x / √2 after rounding: for large z it falls as e^-z² does.
  constexpr double kHalfRoot = std::numbers::sqrt2 / 2, kRest = -4.8336466567264567e-17;
  const double z = -x * kHalfRoot, error = std::fma(-x, kHalfRoot, -z) - x * kRest;
  const double tail = 0.5 * std::erfc(z);
  return z > 1 && z < 40 ? tail - tail * 2 * z * error : tail;
}

double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  const long double twice = 2 * static_cast<long double>(p < 0.5 ? p : 1 - p);
  return std::copysign(std::numbers::sqrt2 * inverse_erf(1 - twice, twice), p - 0.5);
}

}  // namespace brio::special
