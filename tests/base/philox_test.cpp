#include "brio/base/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace brio {
namespace {

// Known answers of the Random123 distribution (kat_vectors).
static_assert(philox4x32({0, 0, 0, 0}, {0, 0}) == PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
              PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

constexpr size_t kSamples = 200000;

template <typename F>
std::vector<double> draw(F&& f) {
  std::vector<double> values(kSamples);
  for (size_t i = 0; i < kSamples; ++i) values[i] = f(i);
  return values;
}

struct Moments {
  double mean, variance, skew, kurtosis;
};
Moments moments(const std::vector<double>& values) {
  double mean = 0, m2 = 0, m3 = 0, m4 = 0;
  for (double v : values) mean += v / static_cast<double>(values.size());
  for (double v : values) {
    const double d = v - mean;
    m2 += d * d, m3 += d * d * d, m4 += d * d * d * d;
  }
  const double n = static_cast<double>(values.size());
  m2 /= n, m3 /= n, m4 /= n;
  return {mean, m2, m3 / std::pow(m2, 1.5), m4 / (m2 * m2)};
}

// Kolmogorov and Smirnov: √n · sup |F_n − F|; above 1.95 with probability 0.001 when the law is right.
template <typename Cdf>
double kolmogorov_smirnov(std::vector<double> values, Cdf&& cdf) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double worst = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double f = cdf(values[i]);
    worst = std::max({worst, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return worst * std::sqrt(n);
}

void expect_uniform(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, 0.0);
  EXPECT_LT(*high, 1.0);
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean, 0.5, 0.003);
  EXPECT_NEAR(m.variance, 1.0 / 12, 0.001);
  EXPECT_LT(kolmogorov_smirnov(values, [](double x) { return x; }), 1.95);
}

void expect_normal(const std::vector<double>& values) {
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean, 0.0, 0.01);
  EXPECT_NEAR(m.variance, 1.0, 0.015);
  EXPECT_NEAR(m.skew, 0.0, 0.03);
  EXPECT_NEAR(m.kurtosis, 3.0, 0.06);
  EXPECT_LT(kolmogorov_smirnov(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), 1.95);
}

TEST(Philox, UniformsHaveTheirLaw) {
  const RandomStream stream{7, 3};
  expect_uniform(draw([&](size_t i) { return stream.uniform_f32(i); }));
  expect_uniform(draw([&](size_t i) { return stream.uniform_f64(i); }));
}

TEST(Philox, NormalsHaveTheirLaw) {
  const RandomStream stream{7, 4};
  expect_normal(draw([&](size_t i) { return stream.normal_f32(i); }));
  expect_normal(draw([&](size_t i) { return stream.normal_f64(i); }));
}

TEST(Philox, SeedsAndStreamsAreUncorrelated) {
  const RandomStream a{1, 0};
  for (const RandomStream b :
       {RandomStream{1, 1}, RandomStream{2, 0}, RandomStream{1ull << 32, 0}, RandomStream{1, 1ull << 40}}) {
    double product = 0;
    for (size_t i = 0; i < kSamples; ++i) product += (a.uniform_f64(i) - 0.5) * (b.uniform_f64(i) - 0.5);
    EXPECT_NEAR(product / kSamples * 12, 0, 0.01);
  }
}

TEST(Philox, WordsOfABlockAreItsNumbersInOrder) {
  const RandomStream stream{0x123456789abcdef0, 0xfedcba9876543210};
  const uint64_t block = 0x1'0000'0005;  // the counter carries into its second word
  const PhiloxCounter words = stream.block(block);
  for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(stream.u32(block * 4 + i), words[i]);
  EXPECT_EQ(stream.u64(block * 2), words[0] | uint64_t{words[1]} << 32);
  EXPECT_EQ(stream.u64(block * 2 + 1), words[2] | uint64_t{words[3]} << 32);
}

}  // namespace
}  // namespace brio
