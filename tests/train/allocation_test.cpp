// After the warm-up a training step allocates nothing. This program counts every operator new.
#include <gtest/gtest.h>

#include <brio/brio.h>

#include "tests/counting_new.h"
#include "tests/place.h"

namespace brio {
namespace {

// Counts between the third and the last step of each epoch but the first.
struct Counter : train::Callback {
  uint64_t news_at = 0, host_at = 0, news_made = 0, host_made = 0;
  int64_t steps = 0;
  void on_train_batch_end(train::Progress& progress, int64_t step) override {
    if (step == 2) {
      news_at = counting_new::count.load();
      host_at = host_allocations();
    }
    if (step == *progress.steps - 1 && epoch > 0) {
      news_made += counting_new::count.load() - news_at;
      host_made += host_allocations() - host_at;
      steps += step - 2;
    }
  }
  void on_epoch_begin(train::Progress&, int64_t e) override { epoch = e; }
  int64_t epoch = 0;
};

void expect_no_allocation(const nn::Sequential& model, nn::CompileOptions compile, nn::FitOptions fit) {
  const Tensor x = random::normal({200, 10}, {.seed = 1});
  const Tensor y = cast(random::uniform({200, 1}, {.seed = 2}) > 0.5f, f32);
  auto counter = std::make_shared<Counter>();
  fit.callbacks = {counter};
  fit.verbose = 0;
  fit.epochs = 3;
  model.compile(std::move(compile));
  model.fit(x, y, fit);
  EXPECT_GT(counter->steps, 0);
  EXPECT_EQ(counter->news_made, 0u);
  EXPECT_EQ(counter->host_made, 0u);
}

TEST(Allocation, NoneInAStepOfAdam) {
  SKIP_UNLESS_ON_HOST();
  // 200 rows: the last batch of 8 has a plan of its own.
  expect_no_allocation(
      nn::Sequential({nn::Dense(16, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})}),
      {.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}}, {});
}
TEST(Allocation, NoneWithDropoutMomentumAndWeights) {
  SKIP_UNLESS_ON_HOST();
  expect_no_allocation(nn::Sequential({nn::Dense(16, {.activation = "tanh"}), nn::Dropout(0.3), nn::Dense(1)}),
                       {.optimizer = nn::SGD(0.01, {.momentum = 0.9, .clipnorm = 1}), .loss = "mse"},
                       {.sample_weight = ones({200})});
}
// Every optimizer writes weights and slots in place, with every option, and so does the loss scale.
void expect_no_allocation(const nn::Optimizer& optimizer) {
  SCOPED_TRACE(optimizer.name());
  expect_no_allocation(nn::Sequential({nn::Dense(16, {.activation = "relu"}), nn::Dense(10), nn::Dense(1)}),
                       {.optimizer = optimizer, .loss = "mse"}, {});
}
TEST(Allocation, NoneWithAnyOptimizer) {
  SKIP_UNLESS_ON_HOST();
  for (const char* name : {"sgd", "rmsprop", "adamw", "adamax", "nadam", "adagrad", "adadelta", "adafactor", "ftrl",
                           "lion", "lamb", "muon"}) {
    expect_no_allocation(name);
    expect_no_allocation(nn::LossScaleOptimizer(name));
  }
}
TEST(Allocation, NoneWithOptimizerOptions) {
  SKIP_UNLESS_ON_HOST();
  expect_no_allocation(nn::AdamW(
      nn::CosineDecay({.initial_learning_rate = 0.01, .decay_steps = 100}),
      {.global_clipnorm = 1, .use_ema = true, .ema_overwrite_frequency = 3, .gradient_accumulation_steps = 2}));
  expect_no_allocation(nn::Adamax(nn::CosineDecay({.initial_learning_rate = 0.01, .decay_steps = 100}),
                                  {.clipvalue = 1,
                                   .weight_decay = 0.1,
                                   .use_ema = true,
                                   .ema_overwrite_frequency = 3,
                                   .gradient_accumulation_steps = 2}));
  expect_no_allocation(nn::LossScaleOptimizer(nn::Muon(0.01, {.use_ema = true, .gradient_accumulation_steps = 2})));
}
TEST(Allocation, NoneInPartsOfABatch) {
  SKIP_UNLESS_ON_HOST();
  expect_no_allocation(nn::Sequential({nn::Dense(8, {.activation = "tanh"}), nn::Dense(1)}),
                       {.optimizer = "adam", .loss = "mse"}, {.accumulate = 4});
}
TEST(Allocation, NoneInOrder) {
  SKIP_UNLESS_ON_HOST();
  expect_no_allocation(nn::Sequential({nn::Dense(4, {.activation = "gelu"}), nn::Dense(1)}),
                       {.optimizer = "rmsprop", .loss = "mse", .metrics = {"mse"}}, {.shuffle = false});
}

}  // namespace
}  // namespace brio
