// Distributions by moments, Kolmogorov and Smirnov's distance (continuous) or chi-square (discrete). Seeds are fixed,
// so a bound that holds once holds always: it is the one that a right generator passes with probability 0.999.
#include "brio/ops/random/distributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/runtime/function.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

std::vector<int64_t> words(DType dtype, int64_t offset, const Shape& shape) {
  std::vector<int64_t> made = {static_cast<int64_t>(dtype), offset, shape.rank()};
  made.insert(made.end(), shape.begin(), shape.end());
  return made;
}
const Input kWord{{Shape(), u64}, 0, 0, Fill::bits};

OpTest of_parameter(const OpDef& op, std::vector<DType> dtypes, double low, double high) {
  return {.op = &op,
          .dtypes = std::move(dtypes),
          .make =
              [&op, low, high](Rng& rng, DType dtype, int i) {
                const Shape shape = random_shape(rng, i % 5), parameter = random_shape(rng, i % 4);
                const bool small = shape.elements() * parameter.elements() < 5000;
                const DType of = &op == &op::random_gamma || is_floating(dtype) ? dtype : f32;
                return Case{{kWord, kWord, {{parameter, of}, low, high}},
                            words(dtype, rng.range(0, 5), small ? shape : Shape())};
              },
          .large =
              [](DType dtype) {
                return Case{{kWord, kWord, {{Shape{16}, dtype}, 0.5, 30}}, words(dtype, 0, {1 << 14})};
              },
          .exact = true};
}

std::vector<OpTest> tests() {
  return {{.op = &op::random_integers,
           .dtypes = kIntegers,
           .make =
               [](Rng& rng, DType dtype, int i) {
                 return Case{{kWord, kWord, {{Shape(), i64}, 0, 20}, {{Shape(), i64}, 21, i % 2 ? 22.0 : 120.0}},
                             words(dtype, rng.range(0, 5), random_shape(rng, i % 9))};
               },
           .large =
               [](DType dtype) {
                 return Case{{kWord, kWord, {{Shape(), i64}, 0, 0}, {{Shape(), i64}, 100, 100}},
                             words(dtype, 0, {1 << 20})};
               },
           .exact = true},
          of_parameter(op::random_gamma, kFloats, 0.05, 20),
          of_parameter(op::random_poisson, kNumbers, 0, 40)};
}

std::vector<Invalid> invalid() {
  using namespace random;
  const auto i = static_cast<int64_t>(i32), f = static_cast<int64_t>(f32);
  const Tensor word = tensor({}, u64), number = tensor({}, i64), one = ones({2});
  std::vector<Invalid> list = {
      {&op::random_integers, "no range", [] { integers({2}, {.low = 3, .high = 3}); }, {"low is 3", "high 3"}},
      {&op::random_integers, "high not given", [] { integers({2}, {}); }, {"low is 0", "high 0"}},
      {&op::random_integers,
       "too wide",
       [] { integers({2}, {.high = 300, .dtype = u8}); },
       {"uint8", "[0, 300)", "wider"}},
      {&op::random_integers,
       "below zero",
       [] { integers({2}, {.low = -1, .high = 3, .dtype = u64}); },
       {"uint64", "-1"}},
      {&op::random_integers, "floats", [] { integers({2}, {.high = 3, .dtype = f32}); }, {"integers", "float32"}},
      {&op::random_integers,
       "bounds of another dtype",
       [=] {
         call(op::random_integers, {word, word, number, tensor({}, i32)}, {i, 0, 0});
       },
       {"int64 scalars", "int32"}},
      {&op::random_integers,
       "bounds in the wrong order",
       [=] {
         call(op::random_integers, {word, word, number, number}, {i, 0, 1, 2}).array();
       },
       {"low is 0", "high 0"}},
      {&op::random_integers,
       "a shape",
       [=] {
         call(op::random_integers, {word, word, number, number}, {i, 0, 1, -1});
       },
       {"-1"}},
      {&op::random_gamma, "integers", [] { gamma({2}, tensor({2}, i32)); }, {"floating-point", "int32"}},
      {&op::random_gamma, "none", [] { gamma({2}, Tensor()); }, {"none"}},
      {&op::random_gamma, "beta's shape", [=] { gamma({2}, one, tensor({3})); }, {"(2,)", "(3,)"}},
      {&op::random_gamma, "beta's dtype", [=] { gamma({2}, one, tensor({2}, f64)); }, {"float32", "float64"}},
      {&op::random_gamma,
       "alpha of 0",
       [] {
         gamma({2}, Tensor({1.f, 0.f})).array();
       },
       {"alpha is 0 at position 1"}},
      {&op::random_gamma, "alpha of NaN", [] { gamma({2}, Tensor({NAN})).array(); }, {"alpha is nan"}},
      {&op::random_gamma,
       "another dtype",
       [=] {
         call(op::random_gamma, {word, word, tensor({2}, f64)}, {f, 0, 0});
       },
       {"float32", "float64"}},
      {&op::random_poisson, "none", [] { poisson({2}, Tensor()); }, {"none"}},
      {&op::random_poisson, "an integer rate", [] { poisson({2}, tensor({2}, i32)); }, {"floating-point", "int32"}},
      {&op::random_poisson, "truth", [=] { poisson({2}, one, boolean); }, {"bool"}},
      {&op::random_poisson, "a negative rate", [] { poisson({2}, Tensor({-1.f})).array(); }, {"the rate is -1"}},
      {&op::random_poisson,
       "an infinite rate",
       [] { poisson({2}, Tensor({INFINITY})).array(); },
       {"the rate is inf"}},
  };
  for (const OpDef* op : {&op::random_gamma, &op::random_poisson}) {
    list.push_back({op, "a seed", [=] { call(*op, {number, word, one}, {f, 0, 0}); }, {"seed", "int64"}});
    list.push_back({op, "no dtype", [=] { call(*op, {word, word, one}, {99, 0, 0}); }, {"99"}});
    list.push_back({op, "a shape", [=] { call(*op, {word, word, one}, {f, 0, 1, -1}); }, {"-1"}});
  }
  return list;
}

const AddOpTests add_tests(tests, invalid);

constexpr int64_t kN = 20000;

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

std::vector<double> doubles(const Tensor& x) { return cast(x, f64).to_vector<double>(); }

// Mean and variance within four standard errors of what they should be (kurtosis: of the distribution).
void expect_moments(const std::vector<double>& x, double mean, double variance, double kurtosis = 3) {
  const auto n = static_cast<double>(x.size());
  const double found = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double squares = 0;
  for (double v : x) squares += (v - mean) * (v - mean) / n;
  EXPECT_NEAR(found, mean, 4 * std::sqrt(variance / n));
  EXPECT_NEAR(squares, variance, 4 * variance * std::sqrt((kurtosis - 1) / n));
}
void expect_distribution(std::vector<double> x, const std::function<double(double)>& cdf) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double p = cdf(x[i]);
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(n));
}
// `expected` per class; classes of fewer than five are to be pooled by the caller. Wilson and Hilferty's bound.
void expect_counts(const std::vector<double>& counts, const std::vector<double>& expected) {
  double chi = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    chi += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  const double k = static_cast<double>(counts.size() - 1), part = 2 / (9 * k);
  EXPECT_LT(chi, k * std::pow(1 - part + 3.09 * std::sqrt(part), 3));
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// The regularised lower incomplete gamma function, by its series.
double gamma_cdf(double alpha, double x) {
  if (x <= 0) return 0;
  if (x > alpha + 1 + 12 * std::sqrt(alpha + 1)) return 1;
  double term = 1 / alpha, total = term;
  for (double a = alpha + 1; term > total * 1e-16; ++a) total += term *= x / a;
  return total * std::exp(alpha * std::log(x) - x - std::lgamma(alpha));
}

TEST(Distributions, IntegersAreEquallyFrequent) {
  for (int64_t range : {1, 2, 3, 7, 10, 97}) {
    std::vector<double> counts(static_cast<size_t>(range));
    for (double x : doubles(random::integers({kN}, {.low = -5, .high = range - 5, .seed = 3}))) {
      ASSERT_TRUE(x >= -5 && x < static_cast<double>(range) - 5);
      ++counts[static_cast<size_t>(x + 5)];
    }
    if (range > 1) expect_counts(counts, std::vector<double>(counts.size(), double{kN} / static_cast<double>(range)));
  }
  // Of three quarters of all words a remainder would favour the first third by two to one.
  const int64_t quarter = int64_t{1} << 62;
  const auto wide =
      random::integers({kN}, {.low = -quarter, .high = quarter - 1 + quarter / 2, .dtype = i64, .seed = 4})
          .to_vector<int64_t>();
  std::vector<double> thirds(5);
  for (int64_t x : wide) ++thirds[static_cast<size_t>(x / (quarter / 2) + 2 - (x < 0))];
  EXPECT_GT(*std::min_element(thirds.begin(), thirds.end()), 0);
  // The same of words of 32 bits.
  const int64_t range = int64_t{3} << 30;
  std::vector<double> sixths(6);
  for (int64_t x : random::integers({kN}, {.high = range, .dtype = i64, .seed = 6}).to_vector<int64_t>()) {
    ASSERT_TRUE(x >= 0 && x < range);
    ++sixths[static_cast<size_t>(x / (range / 6))];
  }
  expect_counts(sixths, std::vector<double>(6, double{kN} / 6));
  for (DType dtype : kIntegers) {
    const Tensor edge = random::integers({500}, {.low = 126, .high = 128, .dtype = dtype, .seed = 5});
    EXPECT_EQ(cast(min(edge), i64).item<int64_t>(), 126) << dtype;
    EXPECT_EQ(cast(max(edge), i64).item<int64_t>(), 127) << dtype;
  }
}

TEST(Distributions, TruncatedNormal) {
  for (DType dtype : {f32, f64}) {
    const auto z = doubles(random::truncated_normal({kN}, {.mean = 1, .stddev = 3, .dtype = dtype, .seed = 7}));
    const double share = normal_cdf(2) - normal_cdf(-2);
    expect_moments(z, 1, 9 * 0.87962566103423978 * 0.87962566103423978);
    expect_distribution(z, [&](double x) { return (normal_cdf((x - 1) / 3) - normal_cdf(-2)) / share; });
    for (double x : z) ASSERT_LE(std::abs(x - 1), 6 * (1 + 1e-6));
  }
  EXPECT_EQ(random::truncated_normal({3}, {.dtype = bf16}).dtype(), bf16);
  EXPECT_NE(message([] { random::truncated_normal({2}, {.stddev = -1}); }).find("stddev is -1"), std::string::npos);
  EXPECT_NE(message([] { random::truncated_normal({2}, {.dtype = i32}); }).find("int32"), std::string::npos);
}

TEST(Distributions, Gamma) {
  for (double alpha : {0.05, 0.5, 1.0, 2.5, 30.0, 400.0}) {
    const auto x = doubles(random::gamma({kN}, full({}, alpha, f64), full({}, 4, f64), {.seed = 8}));
    expect_moments(x, alpha / 4, alpha / 16, 3 + 6 / alpha);
    expect_distribution(x, [&](double v) { return gamma_cdf(alpha, 4 * v); });
  }
  EXPECT_EQ(random::gamma({5}, ones({3, 1}), ones({2})).shape(), (Shape{5, 3, 2}));
  const Tensor least = min(random::gamma({1000}, Tensor({1e-3f}), Tensor(), {.seed = 1}));
  EXPECT_EQ(least.item<float>(), 0x1p-126f);  // not 0, of which there is no logarithm
  EXPECT_EQ(random::gamma({2}, cast(ones({2}), f16)).dtype(), f16);
  const Tensor alpha = ones({2}), beta = ones({2}) * 2.f;
  GradientTape tape;
  tape.watch(beta);
  const Tensor x = random::gamma({3}, alpha, beta, {.seed = 2});
  const auto slope = tape.gradient(sum(x), {beta})[0].to_vector<float>(), total = sum(x, 0).to_vector<float>();
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(slope[i], -total[i] / 2, 1e-5);
}

TEST(Distributions, Poisson) {
  for (double rate : {0.0, 0.3, 4.0, 9.9, 10.0, 35.0, 1e5}) {
    const auto x = doubles(random::poisson({kN}, full({}, rate, f64), f64, {.seed = 9}));
    if (rate == 0) {
      for (double v : x) ASSERT_EQ(v, 0);
      continue;
    }
    expect_moments(x, rate, rate, 3 + 1 / rate);
    if (rate > 100) continue;
    std::vector<double> counts, expected;
    double pooled = 0, pooled_expected = kN;
    for (int k = 0; k < 100; ++k) {
      const double p = kN * std::exp(k * std::log(rate) - rate - std::lgamma(k + 1.0));
      if (p < 5) continue;
      expected.push_back(p);
      counts.push_back(static_cast<double>(std::count(x.begin(), x.end(), k)));
      pooled_expected -= p;
    }
    pooled = kN - std::accumulate(counts.begin(), counts.end(), 0.0);
    counts.push_back(pooled);
    expected.push_back(std::max(pooled_expected, 1.0));
    expect_counts(counts, expected);
  }
  EXPECT_EQ(random::poisson({4}, ones({2, 3}), i32).aval(), (Aval{Shape{4, 2, 3}, i32}));
  EXPECT_EQ(max(random::poisson({9}, Tensor({1e4f}), u8)).to_vector<uint8_t>()[0], 255);
}

TEST(Distributions, BernoulliAndCategorical) {
  const auto ones_of = doubles(sum(random::bernoulli({kN, 2}, Tensor({0.2f, 1.f}), i32, {.seed = 1}), 0));
  EXPECT_NEAR(ones_of[0], 0.2 * kN, 4 * std::sqrt(0.16 * kN));
  EXPECT_EQ(ones_of[1], kN);
  const Tensor logits = log(Tensor({{0.1f, 0.2f, 0.f, 0.7f}, {3.f, 3.f, 3.f, 3.f}}));
  const auto classes = doubles(random::categorical(logits, kN, i32, {.seed = 2}));
  std::vector<double> counts[2] = {std::vector<double>(4), std::vector<double>(4)};
  for (size_t i = 0; i < classes.size(); ++i) ++counts[i / kN][static_cast<size_t>(classes[i])];
  EXPECT_EQ(counts[0][2], 0);
  expect_counts({counts[0][0], counts[0][1], counts[0][3]}, {0.1 * kN, 0.2 * kN, 0.7 * kN});
  expect_counts(counts[1], std::vector<double>(4, kN / 4.0));
  EXPECT_EQ(random::categorical(logits, 0).aval(), (Aval{Shape{2, 0}, i64}));
  const auto says = [](const std::function<void()>& f, const char* part) {
    EXPECT_NE(message(f).find(part), std::string::npos) << message(f) << " lacks " << part;
  };
  says([] { random::bernoulli({2}, Tensor()); }, "none");
  says([] { random::bernoulli({2}, tensor({2}, i32)); }, "int32");
  says([] { random::bernoulli({2}, tensor({3})); }, "(3,)");
  says([] { random::categorical(Tensor(), 1); }, "none");
  says([] { random::categorical(tensor({2}), 1); }, "(2,)");
  says([] { random::categorical(tensor({2, 2}, i32), 1); }, "int32");
  says([] { random::categorical(tensor({2, 0}), 1); }, "no classes");
  says([] { random::categorical(tensor({2, 2}), -1); }, "num_samples is -1");
  says([] { random::categorical(tensor({2, 2}), 1, f32); }, "float32");
}

TEST(Distributions, ShuffleGivesEveryOrder) {
  std::vector<double> counts(6);
  const Tensor x({{0, 10}, {1, 11}, {2, 12}});
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const auto y = random::shuffle(x, {.seed = seed}).to_vector<float>();
    for (size_t i = 0; i < 3; ++i) ASSERT_EQ(y[2 * i + 1], y[2 * i] + 10);  // rows stay whole
    ++counts[static_cast<size_t>(y[0]) * 2 + (y[2] > y[4])];
  }
  expect_counts(counts, std::vector<double>(6, 500));
  EXPECT_EQ(random::shuffle(zeros({0, 2})).shape(), (Shape{0, 2}));
  EXPECT_NE(message([] { random::shuffle(tensor({})); }).find("scalar"), std::string::npos);
  EXPECT_NE(message([] { random::shuffle(Tensor()); }).find("none"), std::string::npos);
}

TEST(Distributions, StatelessFormsAreFunctionsOfTheirSeed) {
  using namespace random;
  const Tensor logits({{0.f, 1.f, 2.f, 3.f}}), x = Tensor::from(std::vector<float>(50, 1), {50}) * 1.f;
  std::vector<float> rising(50);
  std::iota(rising.begin(), rising.end(), 0.f);
  const Tensor rows = Tensor::from(rising, {50});
  const std::vector<std::function<Tensor(StatelessSeed)>> forms = {
      [](StatelessSeed s) { return stateless_uniform({50}, s, {.low = 2, .high = 3}); },
      [](StatelessSeed s) { return stateless_integers({50}, s, {.high = 1000}); },
      [](StatelessSeed s) { return stateless_normal({50}, s); },
      [](StatelessSeed s) { return stateless_truncated_normal({50}, s); },
      [](StatelessSeed s) { return stateless_gamma({50}, s, Tensor({2.f}), Tensor({3.f})); },
      [](StatelessSeed s) { return stateless_poisson({50}, s, Tensor({20.f})); },
      [](StatelessSeed s) { return stateless_bernoulli({50}, s, Tensor(0.5f)); },
      [&](StatelessSeed s) { return stateless_categorical(logits, 50, s); },
      [&](StatelessSeed s) { return stateless_shuffle(rows, s); },
  };
  for (size_t i = 0; i < forms.size(); ++i) {
    const auto& form = forms[i];
    const Generator::State before = generator().state();
    EXPECT_EQ(doubles(form({1, 2})), doubles(form({1, 2}))) << i;
    EXPECT_NE(doubles(form({1, 2})), doubles(form({2, 1}))) << i;
    EXPECT_NE(doubles(form({1, 2})), doubles(form({1, -2}))) << i;
    EXPECT_EQ(before, generator().state()) << i;
    auto traced = function([&] { return form({1, 2}); });
    EXPECT_EQ(doubles(traced()), doubles(form({1, 2}))) << i;
  }
  EXPECT_NE(message([] { stateless_uniform({2}, {1, 2}, {.seed = 3}); }).find("two numbers"), std::string::npos);
  Generator own(1);
  EXPECT_NE(message([&] {
              stateless_normal({2}, {1, 2}, {.generator = &own});
            }).find("two numbers"),
            std::string::npos);
}

TEST(Distributions, DrawFromTheGeneratorAndDoNotDependOnThreads) {
  auto all = function([] {
    return std::vector{random::integers({5000}, {.high = 9}), random::gamma({5000}, Tensor({0.7f})),
                       random::poisson({5000}, Tensor({14.f})), random::truncated_normal({5000}),
                       random::shuffle(zeros({5}) + 1.f)};
  });
  const int before = thread_count();
  std::vector<std::vector<double>> first;
  for (int threads : {1, 3}) {
    set_thread_count(threads);
    random::set_seed(11);
    std::vector<std::vector<double>> now;
    for (int i = 0; i < 2; ++i)
      for (const Tensor& x : all()) now.push_back(doubles(x));
    EXPECT_EQ(random::generator().state(), (Generator::State{11, 10}));
    for (size_t i = 0; i < 4; ++i) EXPECT_NE(now[i], now[i + 5]) << i;
    if (first.empty()) first = now;
    EXPECT_EQ(first, now);
  }
  set_thread_count(before);
  random::set_seed(11);  // as eager code draws
  EXPECT_EQ(doubles(random::integers({5000}, {.high = 9})), first[0]);
  EXPECT_EQ(doubles(random::gamma({5000}, Tensor({0.7f}))), first[1]);
}

}  // namespace
}  // namespace brio::testing
