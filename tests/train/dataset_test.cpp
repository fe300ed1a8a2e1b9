// fit, evaluate and predict over datasets.
#include <gtest/gtest.h>

#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/merging.h"
#include "brio/train/model.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using data::from_tensor_slices;
using data::Structure;
using golden::invalid;

nn::Sequential line() {
  return nn::Sequential({nn::Dense(1, {.kernel_initializer = "ones"})}, {.input_shape = Shape{3}});
}

TEST(DatasetFit, IsTheFitOfItsTensors) {
  const Tensor x = random::normal({50, 3}, {.seed = 1}), y = random::normal({50, 1}, {.seed = 2});
  const Tensor w = random::uniform({50}, {.seed = 3});
  const nn::Sequential a = line(), b = line();
  for (const nn::Sequential& model : {a, b}) model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const nn::FitOptions options{.epochs = 3, .batch_size = 16, .shuffle = false, .verbose = 0, .sample_weight = w};
  const train::History by_tensors = a.fit(x, y, options);
  const data::Dataset batches = from_tensor_slices({x, y, w}).batch(16);
  const train::History by_dataset =
      b.fit(batches, {.epochs = 3, .validation_data = {.dataset = batches}, .verbose = 0});
  EXPECT_EQ(by_tensors["loss"], by_dataset["loss"]);
  EXPECT_EQ(by_tensors["mae"], by_dataset["mae"]);
  EXPECT_EQ(by_dataset["val_loss"].size(), 3U);
  const train::Logs one = a.evaluate(x, y, {.batch_size = 16, .verbose = 0, .sample_weight = w});
  const train::Logs other = b.evaluate(batches, {.verbose = 0});
  for (const char* name : {"loss", "mae"}) EXPECT_EQ(one[name], other[name]);
  EXPECT_EQ(a.predict(x, {.batch_size = 16}).to_vector<float>(), b.predict(batches).to_vector<float>());
}

TEST(DatasetFit, FindsNamedInputs) {
  const nn::Symbol left = nn::Input({2}, {.name = "left"}), right = nn::Input({3}, {.name = "right"});
  const nn::Model model({left, right}, {nn::Dense(1)(nn::Concatenate()({left, right}))});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Structure named = Structure::tuple({Structure::named_tensors({"right", "left"}), Structure()});
  const data::Dataset batches = from_tensor_slices({ones({8, 3}), ones({8, 2}), ones({8, 1})}, named).batch(4);
  EXPECT_EQ(model.fit(batches, {.epochs = 2, .verbose = 0})["loss"].size(), 2U);
  const data::Dataset wrong =
      from_tensor_slices({ones({8, 3}), ones({8, 2}), ones({8, 1})},
                         Structure::tuple({Structure::named_tensors({"right", "lift"}), Structure()}));
  EXPECT_SAYS(invalid([&] { model.fit(wrong.batch(4), {.verbose = 0}); }), "no field called 'left'");
}

// Keras' rule: with steps_per_epoch an epoch goes on where the one before stopped.
TEST(DatasetFit, GoesOnOverEpochsWithStepsPerEpoch) {
  std::vector<float> seen;
  const data::Dataset counted = data::range(6)
                                    .map(
                                        [](data::Sample& s) {
                                          s.write<float>(0, {3})[0] = static_cast<float>(*s.read<int64_t>(0));
                                          s.write<float>(1, {1})[0] = 0;
                                        },
                                        {.results = 2})
                                    .batch(1)
                                    .repeat();
  const nn::Sequential model = line();
  auto watch = [&](const train::Batch& batch) {
    return nn::NamedTensors{{"first", sum(slice(batch.x[0], {{0, 1}, {0, 1}}))}};
  };
  model.compile({.optimizer = "sgd", .train_step = watch});
  const train::History history = model.fit(counted, {.epochs = 3, .verbose = 0, .steps_per_epoch = 4});
  EXPECT_EQ(history["first"], (std::vector<double>{3, 1, 5}));
}

TEST(DatasetFit, SaysWhatIsWrongWithElements) {
  const nn::Sequential model = line();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = ones({8, 3}), y = ones({8, 1});
  EXPECT_SAYS(invalid([&] {
                model.fit(from_tensor_slices({x, y, y, y}).batch(2), {.verbose = 0});
              }),
              "give x, (x, y) or (x, y, sample_weight)");
  EXPECT_SAYS(invalid([&] { model.fit(from_tensor_slices({x, y}), {.verbose = 0}); }), "call batch() on the dataset");
  EXPECT_SAYS(invalid([&] {
                model.fit(from_tensor_slices({x, y}).batch(2), {.validation_split = 0.5, .verbose = 0});
              }),
              "validation_split cannot cut");
  EXPECT_SAYS(invalid([&] { model.fit(from_tensor_slices({x, y}).take(0).batch(2), {.verbose = 0}); }), "no batches");
}

}  // namespace
}  // namespace brio
