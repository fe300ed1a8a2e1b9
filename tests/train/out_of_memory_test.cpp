// A training run that is refused memory ends in a clean error, and the model can go on afterwards.
#include <gtest/gtest.h>

#include <brio/brio.h>

namespace brio {
namespace {

TEST(OutOfMemory, AnyAllocationOfFitMayFail) {
  const Tensor x = random::normal({40, 6}, {.seed = 1});
  const Tensor y = cast(random::uniform({40, 1}, {.seed = 2}) > 0.5f, f32);
  x.array();
  y.array();
  uint64_t failures = 0;
  for (uint64_t n = 1;; ++n) {
    trim_host_memory();
    const nn::Sequential model({nn::Dense(8, {.activation = "relu"}), nn::Dropout(0.1, {.seed = 3}), nn::Dense(1)});
    const nn::Adam adam;
    bool failed = false;
    fail_host_allocation(n);
    try {
      model.compile({.optimizer = adam, .loss = "mse", .metrics = {"mse"}});
      model.fit(x, y, {.epochs = 2, .batch_size = 16, .validation_split = 0.2, .verbose = 0});
    } catch (const ResourceError&) {
      failed = true;
    }
    fail_host_allocation(0);
    if (!failed) break;  // the run needs fewer than n
    ++failures;
    // Whatever was half made is whole or gone: the same model trains.
    model.compile({.optimizer = adam, .loss = "mse", .metrics = {"mse"}});
    const int64_t before = adam.iterations().item<int64_t>();
    const train::History history = model.fit(x, y, {.epochs = 2, .batch_size = 16, .verbose = 0});
    EXPECT_EQ(model.variables().size(), 4u);
    ASSERT_TRUE(std::isfinite(history["loss"].back())) << "after failure " << n;
    EXPECT_EQ(adam.iterations().item<int64_t>(), before + 6);
    ASSERT_LT(n, 10'000u);
  }
  EXPECT_GT(failures, 20u);
}

}  // namespace
}  // namespace brio
