// Layers that prepare numbers: what they learn from data, and what they refuse. Values are compared in
// layer_golden_test.cpp.
#include "brio/nn/preprocessing/preprocessing.h"

#include "brio/nn/config.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

TEST(Normalization, LearnsMeanAndVariance) {
  const nn::Normalization layer;
  const Tensor x({{1, 2}, {3, 6}, {5, 4}});
  layer.adapt(x);
  const std::vector<float> expected = {-1.2247448f, -1.2247448f, 0, 1.2247448f, 1.2247448f, 0};  // Keras'
  const auto found = layer(x).to_vector<float>();
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6);
  EXPECT_EQ(layer.trainable_variables().size(), 0u);
  const nn::Normalization whole({.axis = {}});
  whole.adapt(x);
  EXPECT_NEAR(mean(whole(x)).item<float>(), 0, 1e-6);
  const nn::Normalization back({.axis = {}, .mean = {3.5}, .variance = {2.9166667}, .invert = true});
  const auto again = back(whole(x)).to_vector<float>(), first = x.to_vector<float>();
  for (size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(again[i], first[i], 1e-5);
}

TEST(Normalization, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Normalization({.mean = {1, 2}, .variance = {1}}); }), "2 means and 1 variances");
  EXPECT_SAYS(invalid([] { nn::Normalization({.axis = {3}})(ones({2, 2})); }), "axis 3 is outside");
  EXPECT_SAYS(invalid([] {
                nn::Normalization({.mean = {1, 2}, .variance = {1, 2}})(ones({2, 3}));
              }),
              "has 2 means, but the input of shape (2, 3) has 3 places");
  EXPECT_SAYS(invalid([] {
                nn::Normalization({.mean = {1}, .variance = {1}}).adapt(ones({2, 2}));
              }),
              "it has nothing to learn");
  EXPECT_SAYS(invalid([] { nn::Normalization().adapt(Tensor()); }), "adapt got none");
  const nn::Normalization layer;
  layer.adapt(ones({2, 2}));
  EXPECT_SAYS(invalid([&] { layer(ones({2, 3})); }), "was built for means of shape (2,)");
}

TEST(CategoryEncoding, TakesWeightsAndRefusesTheRest) {
  const nn::CategoryEncoding count(3, {.output_mode = "count"});
  const Tensor tokens({{0, 2, 2}}, i32), weights({{0.5, 1, 2}});
  EXPECT_EQ(count({tokens, weights}).to_vector<float>(), (std::vector<float>{0.5, 0, 3}));
  EXPECT_SAYS(invalid([&] { nn::CategoryEncoding(3)({tokens, weights}); }), "got 2 inputs");
  EXPECT_SAYS(invalid([&] { nn::CategoryEncoding(0); }), "num_tokens is 0");
  EXPECT_SAYS(invalid([&] { nn::CategoryEncoding(2, {.output_mode = "int"}); }), "output_mode is 'int'");
  EXPECT_SAYS(invalid([&] { nn::CategoryEncoding(2)(Tensor(1)); }), "the input is a scalar");
  EXPECT_SAYS(invalid([&] { nn::CategoryEncoding(2)(tokens).array(); }), "gather");
}

TEST(Discretization, LearnsBoundaries) {
  // Keras' boundaries for the same numbers.
  struct Boundaries {
    int64_t values, bins;
    std::vector<double> boundaries;
  };
  for (const Boundaries& c :
       {Boundaries{7, 3, {13.33333, 43.66666}}, Boundaries{250, 4, {24.25001, 49.50001, 74.74999}},
        Boundaries{1000, 5, {19.99998, 39.99998, 59.99999, 79.99999}}}) {
    std::vector<float> values;
    for (int64_t i = 0; i < c.values; ++i) values.push_back(static_cast<float>(i * 37 % 101));
    const nn::Discretization layer({.num_bins = c.bins});
    layer.adapt(Tensor::from(values, {c.values}));
    const std::vector<double> found = layer.bin_boundaries();
    ASSERT_EQ(found.size(), c.boundaries.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], c.boundaries[i], 1e-4);
    const nn::Layer copy = nn::clone(layer);  // what it learnt is part of its config
    EXPECT_EQ(copy(Tensor({14, 0})).to_vector<int32_t>(), layer(Tensor({14, 0})).to_vector<int32_t>());
  }
}

TEST(Discretization, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Discretization(); }), "needs bin_boundaries");
  EXPECT_SAYS(invalid([] { nn::Discretization({.num_bins = 0}); }), "num_bins is 0");
  EXPECT_SAYS(invalid([] { nn::Discretization({.bin_boundaries = {2, 1}}); }), "must ascend");
  EXPECT_SAYS(invalid([] { nn::Discretization({.num_bins = 2, .epsilon = 0}); }), "epsilon is 0");
  EXPECT_SAYS(invalid([] { nn::Discretization({.num_bins = 2})(ones({2})); }), "has no boundaries yet");
  EXPECT_SAYS(invalid([] { nn::Discretization({.num_bins = 2}).adapt(zeros({0})); }), "adapt got no values");
  EXPECT_SAYS(invalid([] { nn::Discretization({.bin_boundaries = {1}}).adapt(ones({2})); }), "nothing to learn");
}

}  // namespace
}  // namespace brio
