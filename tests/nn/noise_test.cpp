// Layers that disturb what passes: their moments, seeds, edges and errors. Dropout itself is in layer_test.cpp.
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

double mean_of(const Tensor& x) { return mean(x).item<float>(); }
double variance_of(const Tensor& x) { return variance(x).item<float>(); }

TEST(GaussianNoise, AddsNormalNoise) {
  const nn::GaussianNoise noise(0.5, {.seed = 1});
  const Tensor x = full({200, 100}, 3);
  EXPECT_EQ(noise(x).to_vector<float>(), x.to_vector<float>());
  const Tensor y = noise(x, true);
  EXPECT_NEAR(mean_of(y), 3, 0.015);
  EXPECT_NEAR(variance_of(y), 0.25, 0.01);
  EXPECT_EQ(noise(zeros({4, 4}, i32), true).dtype(), f32);
}

TEST(GaussianDropout, MultipliesByNormalNoise) {
  const nn::GaussianDropout noise(0.2, {.seed = 1});
  const Tensor y = noise(full({200, 100}, 2), true);
  EXPECT_NEAR(mean_of(y), 2, 0.03);
  EXPECT_NEAR(variance_of(y), 4 * 0.25, 0.04);
}

TEST(AlphaDropout, KeepsMeanAndVarianceOfNormalInputs) {
  const nn::AlphaDropout dropout(0.3, {.seed = 1});
  const Tensor x = random::normal({300, 200}, {.seed = 2}), y = dropout(x, true);
  EXPECT_NEAR(mean_of(y), 0, 0.02);
  EXPECT_NEAR(variance_of(y), 1, 0.02);
  // Dropped elements all have one value.
  const double low = -1.6732632423543772 * 1.0507009873554805;
  const double a = 1 / std::sqrt(0.7 * (1 + 0.3 * low * low)), b = -a * low * 0.3;
  int64_t dropped = 0;
  for (const float v : y.to_vector<float>()) dropped += std::abs(v - (a * low + b)) < 1e-5;
  EXPECT_NEAR(static_cast<double>(dropped) / 60000, 0.3, 0.01);
  // One draw for each row.
  const Tensor rows = nn::AlphaDropout(0.5, {.noise_shape = {nn::kUnknown, 1}, .seed = 3})(ones({50, 4}), true);
  EXPECT_EQ(max(variance(rows, 1)).item<float>(), 0);
  EXPECT_GT(variance_of(rows), 0.1);
}

TEST(SpatialDropout, DropsWholeChannels) {
  const auto shares = [](const Tensor& y, const Axes& spatial) {
    const Tensor low = min(y, spatial), high = max(y, spatial);
    EXPECT_EQ(low.to_vector<float>(), high.to_vector<float>());
    EXPECT_NEAR(mean_of(y), 1, 0.15);
    EXPECT_NEAR(mean_of(cast(equal(low, Tensor(0)), f32)), 0.4, 0.1);
  };
  shares(nn::SpatialDropout1D(0.4, {.seed = 1})(ones({40, 3, 10}), true), 1);
  shares(nn::SpatialDropout2D(0.4, {.seed = 1})(ones({40, 3, 2, 10}), true), {1, 2});
  shares(nn::SpatialDropout3D(0.4, {.seed = 1})(ones({40, 3, 2, 2, 10}), true), {1, 2, 3});
  const nn::SpatialDropoutOptions first{.data_format = DataFormat::channels_first, .seed = 1};
  shares(nn::SpatialDropout2D(0.4, first)(ones({40, 10, 3, 2}), true), {2, 3});
  shares(nn::SpatialDropout3D(0.4, first)(ones({40, 10, 3, 2, 2}), true), {2, 3, 4});
}

TEST(Noise, DrawsAnewEachTimeAndBySeed) {
  const Tensor x = ones({4, 5, 3});
  const auto twice = [&](const nn::Layer& layer) {
    auto traced = function([&](const Tensor& t) { return layer(t, true); });
    return std::vector{traced(x).to_vector<float>(), traced(x).to_vector<float>()};
  };
  const auto check = [&](auto make) {
    const auto once = twice(make(1)), again = twice(make(1)), other = twice(make(2));
    EXPECT_EQ(once, again);
    EXPECT_NE(once[0], once[1]);
    EXPECT_NE(once[0], other[0]);
  };
  check([](uint64_t seed) -> nn::Layer { return nn::GaussianNoise(0.5, {.seed = seed}); });
  check([](uint64_t seed) -> nn::Layer { return nn::GaussianDropout(0.5, {.seed = seed}); });
  check([](uint64_t seed) -> nn::Layer { return nn::AlphaDropout(0.5, {.seed = seed}); });
  check([](uint64_t seed) -> nn::Layer { return nn::SpatialDropout1D(0.5, {.seed = seed}); });
}

TEST(Noise, KeepsShortFormats) {
  const Tensor x = ones({8, 8});
  for (const nn::Layer& layer : {nn::Layer(nn::GaussianNoise(0.5, {.dtype = "mixed_bfloat16"})),
                                 nn::Layer(nn::GaussianDropout(0.5, {.dtype = "mixed_bfloat16"})),
                                 nn::Layer(nn::AlphaDropout(0.5, {.dtype = "mixed_bfloat16"}))})
    EXPECT_EQ(layer(x, true).dtype(), bf16);
}

TEST(Noise, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::GaussianNoise(-0.1, {.name = "n"}); }),
              "[n] the stddev is -0.1; it must lie between 0 and 1");
  EXPECT_SAYS(invalid([] { nn::GaussianNoise(2); }), "the stddev is 2");
  EXPECT_SAYS(invalid([] { nn::GaussianDropout(1); }), "the rate is 1; it must lie between 0 and 1, below 1");
  EXPECT_SAYS(invalid([] { nn::AlphaDropout(1); }), "below 1");
  EXPECT_SAYS(invalid([] {
                nn::AlphaDropout(0.5, {.noise_shape = {3}, .name = "n"})(zeros({2, 2}), true);
              }),
              "[n] noise_shape (3,) does not broadcast");
  EXPECT_SAYS(invalid([] { nn::SpatialDropout2D(0.5, {.name = "n"})(zeros({2, 2})); }), "[n] takes inputs of rank 4");
  EXPECT_SAYS(invalid([] { nn::SpatialDropout1D(0.5, {.data_format = DataFormat::channels_first}); }),
              "permute the axes");
}

TEST(ActivityRegularization, CountsInFit) {
  const nn::Sequential model({nn::ActivityRegularization({.l1 = 2}), nn::Dense(1, {.kernel_initializer = "zeros"})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const train::Logs logs = model.evaluate(ones({4, 3}), zeros({4, 1}), {.batch_size = 4, .verbose = 0});
  EXPECT_NEAR(logs[size_t{0}], 2 * 3, 1e-5);
}

}  // namespace
}  // namespace brio
