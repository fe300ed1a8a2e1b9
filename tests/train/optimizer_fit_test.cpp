// What fit asks of optimizers: the loss is scaled, averages become the weights at the end, schedules run on.
#include <gtest/gtest.h>

#include <brio/brio.h>

namespace brio {
namespace {

struct Trained {
  nn::Sequential model;
  std::vector<std::vector<float>> weights() const {
    std::vector<std::vector<float>> all;
    for (const Variable& v : model.trainable_variables()) all.push_back(v.value().to_vector<float>());
    return all;
  }
};

// 25 steps by default: 5 epochs of 5 batches, the last one short.
Trained train(const nn::Optimizer& optimizer, int64_t rows = 70, int64_t batch = 16) {
  const Tensor x = random::normal({rows, 6}, {.seed = 1}), y = sum(x, 1, true) * 0.5f;
  Trained trained{nn::Sequential({nn::Dense(8, {.activation = "tanh"}), nn::Dense(1)})};
  trained.model.build({1, 6});
  int64_t seed = 10;
  for (Variable v : trained.model.trainable_variables()) v.assign(random::normal(v.shape(), {.seed = seed++}));
  trained.model.compile({.optimizer = optimizer, .loss = "mse"});
  trained.model.fit(x, y, {.epochs = 5, .batch_size = batch, .shuffle = false, .verbose = 0});
  return trained;
}

// Scales that are powers of 2 round nothing: the same bits as without.
TEST(FitOptimizer, LossScalesChangeNothing) {
  const auto plain = train(nn::Adam(0.01)).weights();
  EXPECT_EQ(train(nn::Adam(0.01, {.loss_scale_factor = 256})).weights(), plain);
  const nn::LossScaleOptimizer dynamic(nn::Adam(0.01), {.dynamic_growth_steps = 10});
  EXPECT_EQ(train(dynamic).weights(), plain);
  EXPECT_EQ(dynamic.loss_scale().item<float>(), 32768 * 4);  // 25 good steps
  EXPECT_EQ(dynamic.iterations().item<int64_t>(), 25);
}

TEST(FitOptimizer, AveragesBecomeTheWeights) {
  const nn::SGD averaging(0.05, {.use_ema = true, .ema_momentum = 0.5});
  const Trained trained = train(averaging);
  EXPECT_NE(trained.weights(), train(nn::SGD(0.05)).weights());
  const std::vector<Variable> state = averaging.variables();
  const auto weights = trained.weights();
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(state[2 + i].name().ends_with("_average")) << state[2 + i].name();
    EXPECT_EQ(state[2 + i].value().to_vector<float>(), weights[i]);
  }
}

TEST(FitOptimizer, SchedulesFollowTheSteps) {
  const nn::Nadam nadam(nn::PiecewiseConstantDecay({.boundaries = {24}, .values = {0.01, 0}}));
  EXPECT_EQ(nadam.learning_rate().item<double>(), static_cast<double>(0.01f));
  train(nadam);
  EXPECT_EQ(nadam.iterations().item<int64_t>(), 25);
  EXPECT_EQ(nadam.learning_rate().item<double>(), 0);
}

// 16 rows in two halves have the mean gradient of 16 rows at once, up to the order of the sums.
TEST(FitOptimizer, AccumulationIsTheLargerBatch) {
  const auto whole = train(nn::AdamW(0.01, {.global_clipnorm = 1}), 64, 16).weights();
  const auto halves =
      train(nn::AdamW(0.01, {.global_clipnorm = 1, .gradient_accumulation_steps = 2}), 64, 8).weights();
  for (size_t i = 0; i < whole.size(); ++i)
    for (size_t k = 0; k < whole[i].size(); ++k) EXPECT_NEAR(whole[i][k], halves[i][k], 1e-5);
}

}  // namespace
}  // namespace brio
