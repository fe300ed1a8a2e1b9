// Normalisation layers: what the goldens do not show. Freezing, fit, and what they say to wrong inputs.
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

std::vector<float> values(const Variable& v) { return v.value().to_vector<float>(); }

TEST(BatchNormalization, IsFrozenBySetTrainable) {
  const nn::BatchNormalization layer({.momentum = 0.5});
  const Tensor x({{1, 2}, {3, 6}});
  layer(x, true);
  EXPECT_EQ(values(layer.moving_mean()), (std::vector<float>{1, 2}));
  EXPECT_EQ(values(layer.moving_variance()), (std::vector<float>{1, 2.5}));
  EXPECT_EQ(layer.trainable_variables().size(), 2u);
  layer.set_trainable(false);
  const std::vector<float> inference = layer(x, false).to_vector<float>();
  EXPECT_EQ(layer(x, true).to_vector<float>(), inference);  // by the moving statistics
  EXPECT_EQ(values(layer.moving_mean()), (std::vector<float>{1, 2}));
  EXPECT_TRUE(layer.trainable_variables().empty());
  layer.set_trainable(true);
  EXPECT_NE(layer(x, true).to_vector<float>(), inference);
  EXPECT_EQ(values(layer.moving_mean()), (std::vector<float>{1.5, 3}));
}

TEST(BatchNormalization, FollowsItsInputsInFit) {
  set_random_seed(3);
  const nn::BatchNormalization layer({.momentum = 0.9});
  const nn::Sequential model({layer, nn::Dense(1)});
  const Tensor x = random::normal({256, 3}, {.mean = 5, .stddev = 2, .seed = 1}), y = sum(x, 1, true);
  model.compile({.optimizer = nn::Adam(0.01), .loss = "mse"});
  const train::History history = model.fit(x, y, {.epochs = 10, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  for (const float mean : values(layer.moving_mean())) EXPECT_NEAR(mean, 5, 0.3);
  for (const float variance : values(layer.moving_variance())) EXPECT_NEAR(variance, 4, 0.6);

  const std::vector<float> before = values(layer.moving_mean());
  model.evaluate(x, y, {.verbose = 0});
  model.predict(x);
  EXPECT_EQ(values(layer.moving_mean()), before);

  layer.set_trainable(false);
  const std::vector<float> gamma = values(layer.gamma()), beta = values(layer.beta());
  model.compile({.optimizer = nn::Adam(0.01), .loss = "mse"});
  model.fit(x, y, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(values(layer.moving_mean()), before);
  EXPECT_EQ(values(layer.gamma()), gamma);
  EXPECT_EQ(values(layer.beta()), beta);
}

TEST(BatchNormalization, TracesLeaveItsStatisticsAlone) {
  const nn::BatchNormalization layer;
  const nn::Symbol x = nn::Input({4});
  const nn::Symbol y = layer(x, {.training = true});
  EXPECT_EQ(y.spec().str(), "(None, 4)");
  EXPECT_EQ(values(layer.moving_mean()), std::vector<float>(4, 0));
}

TEST(BatchNormalization, KeepsFloat32WeightsUnderAMixedPolicy) {
  const nn::BatchNormalization layer({.dtype = "mixed_bfloat16"});
  const Tensor x = random::normal({64, 2}, {.mean = 100, .seed = 1});
  EXPECT_EQ(layer(x, true).dtype(), bf16);
  EXPECT_EQ(layer.moving_mean().dtype(), f32);
  EXPECT_EQ(layer.gamma().dtype(), f32);
}

TEST(BatchNormalization, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] {
                nn::BatchNormalization({.axis = int64_t{1} << 32})(zeros({2, 4}));
              }),
              "axis 4294967296 is out of range");
  EXPECT_SAYS(invalid([] { nn::BatchNormalization({.synchronized = true, .name = "bn"}); }),
              "[bn] synchronized is true");
  const nn::BatchNormalization layer({.name = "bn"});
  layer(zeros({2, 3}));
  EXPECT_SAYS(invalid([&] {
                layer(zeros({2, 4}));
              }),
              "[bn] was built for features of shape (3,), but the input of shape (2, 4)");
  EXPECT_SAYS(invalid([&] {
                layer(zeros({2, 5, 3}), {.masks = {ones({2}, boolean)}});
              }),
              "[bn] the mask must have one axis less than the input of shape (2, 5, 3), but has shape (2,)");
  EXPECT_SAYS(invalid([] { nn::BatchNormalization({.axis = 3, .name = "bn"})(zeros({2, 4})); }), "[bn] axis 3");
  EXPECT_SAYS(
      invalid([] {
        nn::layer_from_json(R"({"class_name": "BatchNormalization", "config": {"name": "bn", "renorm": true}})");
      }),
      "[bn] renorm is true");
  EXPECT_SAYS(invalid([] { nn::BatchNormalization({.dtype = i32}); }), "weights cannot be int32");
}

// Derivatives of second order, which a gradient penalty takes, beside those of the definition in plain ops.
TEST(LayerNormalization, HasExactSecondDerivatives) {
  const nn::LayerNormalization layer({.dtype = f64});
  const Tensor x = random::normal({2, 5}, {.dtype = f64, .seed = 1}),
               up = random::normal({2, 5}, {.dtype = f64, .seed = 2});
  layer.build(x.shape());
  const auto second = [&](const std::function<Tensor(const Tensor&)>& f) {
    GradientTape outer;
    outer.watch(x);
    Tensor penalty;
    {
      GradientTape inner;
      inner.watch(x);
      const Tensor y = sum(f(x) * up);
      penalty = sum(square(inner.gradient(y, {x})[0]));
    }
    return outer.gradient(penalty, {x})[0].to_vector<double>();
  };
  const std::vector<double> found = second([&](const Tensor& t) { return layer(t); });
  const std::vector<double> plain = second([](const Tensor& t) {
    const Tensor centred = t - mean(t, 1, true);
    return centred / sqrt(mean(square(centred), 1, true) + 1e-3);
  });
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], plain[i], 1e-9) << i;
}

TEST(LayerNormalization, WorksInALoop) {
  const nn::LayerNormalization layer;
  const Tensor x = random::normal({2, 4}, {.seed = 1});
  layer.build(x.shape());
  const auto gradient = [&](auto twice) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = sum(square(twice(x)) * Tensor({1, 2, 3, 4}));
    return tape.gradient(y, {x})[0].to_vector<float>();
  };
  const auto outside = gradient([&](const Tensor& t) { return layer(layer(t)); });
  const auto inside = gradient([&](const Tensor& t) {
    return while_loop([](const std::vector<Tensor>& s) { return s[0] < Tensor(2, i32); },
                      [&](const std::vector<Tensor>& s) -> std::vector<Tensor> {
                        return {s[0] + Tensor(1, i32), layer(s[1])};
                      },
                      {Tensor(0, i32), t})[1];
  });
  for (size_t i = 0; i < outside.size(); ++i) EXPECT_NEAR(inside[i], outside[i], 1e-5) << i;
}

TEST(LayerNormalization, SaysWhatIsWrong) {
  const nn::LayerNormalization layer({.name = "ln"});
  layer(zeros({2, 3}));
  EXPECT_SAYS(invalid([&] { layer(zeros({2, 4})); }), "[ln] was built for features of shape (3,)");
  EXPECT_SAYS(invalid([] {
                nn::LayerNormalization({.axis = {1, -1}, .name = "ln"})(zeros({2, 4}));
              }),
              "[ln] axis 1 of the input of shape (2, 4) is listed twice");
  EXPECT_SAYS(invalid([] {
                nn::LayerNormalization({.axis = {}, .name = "ln"})(zeros({2, 4}));
              }),
              "[ln] axis is an empty");
  EXPECT_SAYS(invalid([] {
                nn::LayerNormalization({.axis = {2}, .name = "ln"})(zeros({2, 4}));
              }),
              "[ln] axis 2 is out");
  EXPECT_SAYS(
      invalid([] {
        nn::layer_from_json(R"({"class_name": "LayerNormalization", "config": {"name": "ln", "rms_scaling": true}})");
      }),
      "[ln] rms_scaling is true");
  EXPECT_SAYS(
      invalid([] { nn::layer_from_json(R"({"class_name": "LayerNormalization", "config": {"axis": [1.5]}})"); }),
      "'axis' of LayerNormalization is [1.5]");
}

TEST(GroupNormalization, TakesAsManyAxesAsTensorsHave) {
  const Tensor x = random::normal({2, 12, 4}, {.seed = 1});
  const nn::GroupNormalization layer({.groups = 2});
  const Tensor wide = layer(reshape(x, {2, 1, 3, 1, 2, 2, 1, 4}));
  EXPECT_EQ(wide.to_vector<float>(), layer(x).to_vector<float>());
}

TEST(GroupNormalization, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::GroupNormalization({.groups = 0, .name = "gn"}); }), "[gn] groups is 0");
  EXPECT_SAYS(invalid([] {
                nn::GroupNormalization({.groups = 3, .name = "gn"})(zeros({2, 4}));
              }),
              "[gn] 4 features of the input of shape (2, 4) do not make 3 equal groups");
  EXPECT_SAYS(invalid([] { nn::GroupNormalization({.groups = 8, .name = "gn"})(zeros({2, 4})); }), "do not make 8");
  EXPECT_SAYS(invalid([] {
                nn::GroupNormalization({.groups = 1, .axis = 0, .name = "gn"})(zeros({2, 4}));
              }),
              "[gn] axis is that of the batch");
  const nn::GroupNormalization layer({.groups = 1, .name = "gn"});
  layer(zeros({2, 4}));
  EXPECT_SAYS(invalid([&] { layer(zeros({2, 3})); }), "[gn] was built for features of shape (4,)");
  EXPECT_EQ(nn::GroupNormalization({.groups = 2})(zeros({0, 4})).shape(), Shape({0, 4}));
}

TEST(RMSNormalization, LiesAlongItsAxes) {
  const nn::RMSNormalization layer({.axis = {1}, .name = "rms"});
  const Tensor x = random::normal({2, 3, 4}, {.seed = 1});
  layer.build(x.shape());
  layer.set_weights({Tensor({1, 2, 3})});
  const Tensor plain = x * rsqrt(mean(square(x), 1, true) + 1e-6f);
  EXPECT_EQ(layer(x).to_vector<float>(), (plain * Tensor({{1}, {2}, {3}})).to_vector<float>());
  EXPECT_SAYS(invalid([&] { layer(zeros({2, 4, 4})); }), "[rms] was built for features of shape (3,)");
}

TEST(UnitNormalization, LeavesZerosAndCastsIntegers) {
  EXPECT_EQ(nn::UnitNormalization()(zeros({1, 2})).to_vector<float>(), std::vector<float>(2, 0));
  EXPECT_EQ(nn::UnitNormalization()(Tensor({{0, 5}}, i32)).to_vector<float>(), (std::vector<float>{0, 1}));
  EXPECT_SAYS(invalid([] { nn::UnitNormalization({.axis = {1, 1}})(zeros({1, 2})); }), "listed twice");
}

TEST(SpectralNormalization, BringsTheLargestSingularValueToOne) {
  const nn::Dense dense(4, {.kernel_initializer = nn::random_normal({.stddev = 3, .seed = 2})});
  const nn::SpectralNormalization layer(dense, {.power_iterations = 30});
  const Tensor x = random::normal({2, 5}, {.seed = 1});
  layer(x);
  EXPECT_GT(matrix_norm(dense.kernel(), MatrixNorm::spectral).item<float>(), 2);
  layer(x, true);
  EXPECT_NEAR(matrix_norm(dense.kernel(), MatrixNorm::spectral).item<float>(), 1, 1e-3);
  const nn::Sequential model({layer});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(x, zeros({2, 4}), {.epochs = 3, .verbose = 0});
  EXPECT_LT(matrix_norm(dense.kernel(), MatrixNorm::spectral).item<float>(), 1.01);
}

// Keras casts the vectors to the dtype of the words' numbers, which leaves nothing of them.
TEST(SpectralNormalization, OfAnEmbeddingKeepsItsVectors) {
  const nn::Embedding words(4, 3);
  const nn::SpectralNormalization layer(words, {.power_iterations = 30});
  const Tensor y = layer(Tensor({{0, 1, 2, 3}}, i32), true);
  EXPECT_EQ(y.dtype(), f32);
  EXPECT_NEAR(matrix_norm(words.embeddings(), MatrixNorm::spectral).item<float>(), 1, 1e-3);
  EXPECT_EQ(y.to_vector<float>(), words.embeddings().value().to_vector<float>());
}

TEST(SpectralNormalization, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::SpectralNormalization(nn::Dense(1), {.power_iterations = 0, .name = "sn"}); }),
              "[sn] power_iterations is 0");
  EXPECT_SAYS(invalid([] { nn::SpectralNormalization(nn::Add(), {.name = "sn"}); }), "takes several inputs");
  const nn::SpectralNormalization layer(nn::Flatten({.name = "flat"}), {.name = "sn"});
  EXPECT_SAYS(invalid([&] { layer(zeros({2, 3})); }), "[sn] wraps 'flat', which has neither kernel nor embeddings");
  EXPECT_SAYS(
      invalid([] { nn::layer_from_json(R"({"class_name": "SpectralNormalization", "config": {"name": "sn"}})"); }),
      "[sn] the config of a SpectralNormalization has no layer");
}

}  // namespace
}  // namespace brio
