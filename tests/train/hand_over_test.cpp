// Batches on their way to a device that runs behind: each step sees its own, in order, in bounded memory.
#include "brio/train/hand_over.h"

#include <gtest/gtest.h>

#include <set>

#include "brio/brio.h"
#include "brio/data/sources/sources.h"
#include "brio/train/batch_source.h"
#include "tests/place.h"
#include "tests/walled_device.h"

namespace brio::train {
namespace {

using test::device_of;
using test::walled_device;

int64_t input_bytes() {
  for (const LedgerRow& row : memory_ledger())
    if (row.owner == Owner::input) return row.bytes;
  return 0;
}

TEST(HandOver, EachStepSeesItsOwnBatch) {
  Device& device = walled_device(0);
  const DeviceScope scope(device);
  const auto step = function([](const Tensor& x) { return sum(matmul(x, transpose(x))) + sum(x) / Tensor(256); });
  HandOver hand_over;
  std::vector<Tensor> results;
  Tensor batch(Array::allocate({Shape{16, 16}, f32}, Owner::input));  // the same memory for each, as sources do
  for (int i = 0; i < 50; ++i) {
    float* const rows = batch.impl()->array.as<float>();
    std::fill(rows, rows + 256, static_cast<float>(i));
    std::vector<Tensor> arguments{batch};
    hand_over.move(arguments, device);
    EXPECT_EQ(&device_of(arguments[0]), &device);
    results.push_back(step(arguments[0]));
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(results[static_cast<size_t>(i)].item<float>(), 4096.f * i * i + i) << i;
}

TEST(HandOver, TakesTheMemoryOfAFewBatches) {
  Device& device = walled_device(0);
  const DeviceScope scope(device);
  const auto step = function([](const Tensor& x) { return sum(x); });
  const int64_t before = input_bytes();
  constexpr int64_t kBatch = 1 << 16;
  int64_t most = 0;
  {
    HandOver hand_over;
    for (int i = 0; i < 40; ++i) {
      std::vector<Tensor> arguments{Tensor(Array::allocate({Shape{kBatch / 4}, f32}))};
      std::memset(arguments[0].impl()->array.data(), 0, kBatch);
      hand_over.move(arguments, device);
      (void)step(arguments[0]);
      most = std::max(most, input_bytes() - before);
    }
  }
  EXPECT_GE(most, 2 * kBatch);      // staging and the device's
  EXPECT_LE(most, 2 * 3 * kBatch);  // of three batches
  EXPECT_EQ(input_bytes(), before);
}

TEST(HandOver, WhatSomebodyKeepsIsNotWrittenOver) {
  Device& device = walled_device(0);
  HandOver hand_over;
  std::vector<Tensor> kept;
  for (int i = 0; i < 8; ++i) {
    std::vector<Tensor> arguments{Tensor({i, i + 1, i + 2})};
    hand_over.move(arguments, device);
    kept.push_back(arguments[0]);
  }
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(kept[static_cast<size_t>(i)].to_vector<float>(),
              (std::vector<float>{static_cast<float>(i), static_cast<float>(i + 1), static_cast<float>(i + 2)}));
}

// What lies in the device's staging memory goes from there, and is the source's again when it has been read.
TEST(HandOver, BatchesInStagingMemoryAreNotCopiedThere) {
  Device& device = walled_device(0);
  const DeviceScope scope(device);
  const std::vector<float> numbers(1 << 14, 1);
  const Tensor all = Tensor::from(numbers, {64, 256});
  ArraySource source(all, {}, {}, {.batch_size = 16, .shuffle = Generator::State{.seed = 1}});
  source.set_memory(device.staging());
  const auto step = function([](const Tensor& x) { return sum(x); });
  HandOver hand_over;
  std::set<const void*> seen;
  for (int64_t epoch = 0; epoch < 5; ++epoch) {
    source.reset(epoch);
    Batch batch;
    while (source.next(batch)) {
      const Array& rows = batch.x[0].impl()->array;
      EXPECT_EQ(&rows.buffer->memory(), &device.staging());
      seen.insert(rows.data());
      std::vector<Tensor> arguments{batch.x[0]};
      hand_over.move(arguments, device);
      EXPECT_EQ(&device_of(arguments[0]), &device);
      EXPECT_EQ(step(arguments[0]).item<float>(), 4096.f);
    }
  }
  EXPECT_LE(seen.size(), 5u);  // three are under way, and one is filled
}

TEST(HandOver, StringsAndWhatIsThereStay) {
  Device& device = walled_device(0);
  Tensor there;
  {
    const DeviceScope scope(device);
    there = Tensor({1, 2}) + Tensor({1, 1});
    (void)test::own_array(there);
  }
  std::vector<Tensor> arguments{string_tensor({"a", "b"}), there};
  const void* const before = test::place(there);
  HandOver hand_over;
  hand_over.move(arguments, device);
  EXPECT_EQ(&device_of(arguments[0]), &registry().host());
  EXPECT_EQ(test::place(arguments[1]), before);
}

struct Trained {
  std::vector<double> losses;
  std::vector<float> weights, predictions;
  Device* device;
};
Trained train(bool from_dataset) {
  random::set_seed(7);
  const Tensor x = random::normal({100, 6}), y = sum(x, {1}, true);
  const nn::Sequential model({nn::Dense(16, {.activation = "relu"}), nn::Dense(1)});
  model.compile({.optimizer = "adam", .loss = "mse"});
  History history;
  if (from_dataset)
    history =
        model.fit(data::from_tensor_slices({x, y}).shuffle(100, {.seed = 3}).batch(16), {.epochs = 3, .verbose = 0});
  else history = model.fit(x, y, {.epochs = 3, .batch_size = 16, .verbose = 0});
  const Tensor weights = model.trainable_variables()[0].value();
  return {history.columns[0].second, weights.to_vector<float>(), model.predict(x).to_vector<float>(),
          &device_of(weights)};
}

TEST(HandOver, FitOnADeviceGivesTheSameBits) {
  for (const bool from_dataset : {false, true}) {
    const Trained here = [&] {
      const DeviceScope scope(registry().host());
      return train(from_dataset);
    }();
    const DeviceScope scope(walled_device(1));
    const Trained there = train(from_dataset);
    EXPECT_EQ(there.device, &walled_device(1));
    EXPECT_EQ(here.losses, there.losses);
    EXPECT_EQ(here.weights, there.weights);
    EXPECT_EQ(here.predictions, there.predictions);
  }
}

}  // namespace
}  // namespace brio::train
