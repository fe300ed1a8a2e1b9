// model.save, load_model, save_weights and load_weights.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "brio/brio.h"
#include "brio/formats/data_error.h"
#include "brio/formats/file.h"
#include "brio/formats/safetensors.h"
#include "brio/models/models.h"
#include "brio/nn/optimizers/loss_scale_optimizer.h"
#include "brio/nn/weight_paths.h"

namespace brio {
namespace {

namespace fs = std::filesystem;

class Saving : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              cat("brio-saving-", ::getpid(), "-", testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    set_random_seed(7);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

// Without the care that a file of one's own deserves.
void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.aval() == b.aval() && std::memcmp(a.array().data(), b.array().data(), a.aval().bytes()) == 0;
}

void expect_same_weights(const nn::Layer& a, const nn::Layer& b) {
  const auto left = a.get_weights(), right = b.get_weights();
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) EXPECT_TRUE(same_bits(left[i], right[i])) << "weight " << i;
}

nn::Sequential late_built() {
  return nn::Sequential(
      {nn::Dense(8, {.activation = "relu"}), nn::BatchNormalization(), nn::Dropout(0.2), nn::Dense(3)});
}

const nn::FitOptions kQuiet{.epochs = 2, .batch_size = 8, .verbose = 0};

TEST_F(Saving, ModelTrainsOnWithTheSameBits) {
  const Tensor x = random::normal({40, 5}, {.seed = 1}), y = random::normal({40, 3}, {.seed = 2});
  for (const char* optimizer : {"sgd", "rmsprop", "adam", "adamw", "adamax", "nadam", "adagrad", "adadelta",
                                "adafactor", "ftrl", "lion", "lamb", "muon"}) {
    const nn::Sequential model = late_built();  // no input shape: the weights come with the first batch
    model.compile({.optimizer = optimizer, .loss = "mse", .metrics = {"mae"}});
    model.fit(x, y, kQuiet);
    model.save(path("m.keras"));
    const nn::Model again = nn::load_model(path("m.keras"));
    ASSERT_TRUE(again.compiled()) << optimizer;
    expect_same_weights(model, again);
    EXPECT_TRUE(same_bits(model.predict(x), again.predict(x)));
    EXPECT_EQ(model.optimizer().iterations().item<int64_t>(), again.optimizer().iterations().item<int64_t>());
    // Dropout's streams are no part of the file: it trains on as the one with the same streams does.
    for (const nn::Model* each : {static_cast<const nn::Model*>(&model), &again}) {
      set_random_seed(5);
      each->fit(x, y, {.epochs = 1, .batch_size = 8, .shuffle = false, .verbose = 0});
    }
    expect_same_weights(model, again);
  }
}

TEST_F(Saving, WhatCompileWasGivenComesBack) {
  const Tensor x = random::normal({16, 4}, {.seed = 1});
  const Tensor y = cast(random::uniform({16, 1}, {.high = 3, .seed = 2}), i32);
  const nn::Sequential model({nn::Dense(3)}, {.input_shape = Shape{4}});
  model.compile({.optimizer = nn::SGD(
                     nn::CosineDecay(
                         {.initial_learning_rate = 0.3, .decay_steps = 50, .warmup_target = 0.5, .warmup_steps = 4}),
                     {.momentum = 0.9, .nesterov = true, .clipnorm = 1}),
                 .loss = nn::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 2}),
                 .metrics = {"accuracy"}});
  const nn::FitOptions in_order{.epochs = 3, .batch_size = 4, .shuffle = false, .verbose = 0};
  model.fit(x, y, in_order);
  model.save(path("m.keras"));
  const nn::Model again = nn::load_model(path("m.keras"));
  const auto left = model.fit(x, y, in_order), right = again.fit(x, y, in_order);
  EXPECT_EQ(left["loss"], right["loss"]);
  EXPECT_EQ(left["accuracy"], right["accuracy"]);
  expect_same_weights(model, again);
}

TEST_F(Saving, LossScaleStandsWhereItStood) {
  const Tensor x = random::normal({16, 4}, {.seed = 1}), y = random::normal({16, 2}, {.seed = 2});
  const nn::Sequential model({nn::Dense(4, {.dtype = "mixed_float16"}), nn::Dense(2)}, {.input_shape = Shape{4}});
  model.compile(
      {.optimizer = nn::LossScaleOptimizer(nn::Adam(0.01), {.initial_scale = 64, .dynamic_growth_steps = 3}),
       .loss = "mse"});
  const nn::FitOptions in_order{.epochs = 2, .batch_size = 4, .shuffle = false, .verbose = 0};
  model.fit(x, y, in_order);
  model.save(path("m.keras"));
  const nn::Model again = nn::load_model(path("m.keras"));
  EXPECT_EQ(model.fit(x, y, in_order)["loss"], again.fit(x, y, in_order)["loss"]);
  expect_same_weights(model, again);
}

TEST_F(Saving, EveryNetworkOfBrioModels) {
  const auto check = [&](const nn::Model& model, const Tensor& x) {
    const Tensor before = model.predict(x);
    model.save(path("m.keras"));
    model.save_weights(path("m.weights.h5"));
    model.save_weights(path("m.safetensors"));
    const nn::Model again = nn::load_model(path("m.keras"));
    EXPECT_TRUE(same_bits(before, again.predict(x))) << model.name();
    for (const char* file : {"m.weights.h5", "m.safetensors", "m.keras"}) {
      const nn::Model fresh = nn::clone_model(model);
      EXPECT_FALSE(same_bits(model.get_weights()[0], fresh.get_weights()[0])) << model.name();
      fresh.load_weights(path(file));
      expect_same_weights(model, fresh);
      EXPECT_TRUE(same_bits(before, fresh.predict(x))) << model.name() << " " << file;
    }
  };
  check(models::lenet5(), random::uniform({2, 32, 32, 1}, {.seed = 1}));
  check(models::small_cnn(), random::uniform({2, 28, 28, 1}, {.seed = 1}));
  check(models::separable_cnn({.input = {32, 32, 3}, .classes = 4}), random::uniform({2, 32, 32, 3}, {.seed = 1}));
  check(models::resnet18({.input = {32, 32, 3}, .classes = 5}), random::uniform({1, 32, 32, 3}, {.seed = 1}));
  check(models::mobilenet_v2({.input = {32, 32, 3}, .classes = 5}), random::uniform({1, 32, 32, 3}, {.seed = 1}));
  check(models::lstm_forecaster({.steps = 8, .features = 3, .units = 4}), random::normal({2, 8, 3}, {.seed = 1}));
}

// They hold steps that are functions: only their weights can be kept.
TEST_F(Saving, WeightsOfNetworksWithSteps) {
  const models::VitOptions vit{.image = 16, .patch = 8, .classes = 3, .width = 8, .depth = 2, .heads = 2};
  const models::GptOptions gpt{.vocabulary = 11, .context = 6, .width = 8, .depth = 2, .heads = 2};
  const auto check = [&](const nn::Model& model, const nn::Model& fresh, const Tensor& x) {
    EXPECT_THROW(model.save(path("m.keras")), InvalidArgument);
    const Tensor before = model.predict(x);
    for (const char* file : {"m.weights.h5", "m.safetensors"}) {
      model.save_weights(path(file));
      fresh.load_weights(path(file));
      EXPECT_TRUE(same_bits(before, fresh.predict(x))) << model.name() << " " << file;
    }
  };
  check(models::vit(vit), models::vit(vit), random::uniform({2, 16, 16, 3}, {.seed = 1}));
  check(models::gpt2(gpt), models::gpt2(gpt), Tensor({{1, 2, 3, 4}, {5, 6, 7, 8}}));
}

TEST_F(Saving, LayersWithLayersInside) {
  const nn::Symbol in = nn::Input({6, 4});
  const nn::Layer shared = nn::Dense(4);
  nn::Symbol x = shared(shared(in));
  x = nn::Bidirectional(nn::LSTM(3, {.return_sequences = true}))(x);
  x = nn::MultiHeadAttention(2, 4)(std::vector<nn::Symbol>{x, x});
  x = nn::GRU(5)(x);
  const nn::Model inner = nn::Sequential({nn::Dense(4), nn::Dense(2)}, {.input_shape = Shape{5}});
  const nn::Model model(in, inner(x));
  const Tensor data = random::normal({3, 6, 4}, {.seed = 1});
  const Tensor before = model.predict(data);
  model.save(path("m.keras"));
  EXPECT_TRUE(same_bits(before, nn::load_model(path("m.keras")).predict(data)));
  std::vector<std::string> paths;
  for (const nn::WeightEntry& entry : nn::weight_entries(model))
    if (!entry.variables.empty()) paths.push_back(entry.path);
  const std::vector<std::string> expected = {"layers/dense",
                                             "layers/bidirectional/forward_layer/cell",
                                             "layers/bidirectional/backward_layer/cell",
                                             "layers/multi_head_attention/key_dense",
                                             "layers/multi_head_attention/output_dense",
                                             "layers/multi_head_attention/query_dense",
                                             "layers/multi_head_attention/value_dense",
                                             "layers/gru/cell",
                                             "layers/sequential/layers/dense",
                                             "layers/sequential/layers/dense_1"};
  std::vector<std::string> sorted = paths, wanted = expected;
  std::ranges::sort(sorted);
  std::ranges::sort(wanted);
  EXPECT_EQ(sorted, wanted);
}

TEST_F(Saving, VocabularyGoesWithTheModel) {
  const nn::StringLookup lookup({.vocabulary = {"red", "green", "blue"}});
  const nn::Sequential model(
      {nn::InputLayer({1}, {.dtype = DType::string}), lookup, nn::Embedding(4, 3), nn::Flatten(), nn::Dense(2)});
  const Tensor words = reshape(string_tensor({"green", "pink", "blue"}), {3, 1});
  const Tensor before = model.predict(words);
  model.save(path("m.keras"));
  EXPECT_TRUE(same_bits(before, nn::load_model(path("m.keras")).predict(words)));
}

TEST_F(Saving, FailedLoadLeavesTheModel) {
  const nn::Sequential model({nn::Dense(4), nn::Dense(2)}, {.input_shape = Shape{3}});
  const nn::Sequential other({nn::Dense(4), nn::Dense(5)}, {.input_shape = Shape{3}});
  for (const char* file : {"o.safetensors", "o.weights.h5"}) {
    other.save_weights(path(file));
    const auto before = model.get_weights();
    try {
      model.load_weights(path(file));
      FAIL() << "loaded a model of another shape";
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("has shape (4, 2), but the file has (4, 5)"), std::string::npos)
          << error.what();
    }
    const auto after = model.get_weights();
    for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(same_bits(before[i], after[i]));
    model.load_weights(path(file), {.skip_mismatch = true});
    EXPECT_TRUE(same_bits(model.get_weights()[0], other.get_weights()[0]));
    model.set_weights(before);
  }
}

TEST_F(Saving, AnyFlippedBitIsFound) {
  const nn::Sequential model({nn::Dense(2)}, {.input_shape = Shape{3}});
  for (const char* name : {"m.keras", "m.weights.h5", "m.safetensors"}) {
    const std::string file = path(name);
    if (file.ends_with(".keras")) model.save(file);
    else model.save_weights(file);
    const std::string whole = formats::read_file(file);
    const size_t stride = std::max<size_t>(1, whole.size() / 200);
    for (size_t at = 0; at < whole.size(); at += stride) {
      std::string broken = whole;
      broken[at] = static_cast<char>(broken[at] ^ (1 << (at % 8)));
      put(file, broken);
      EXPECT_THROW(model.load_weights(file), Error) << name << " at byte " << at << " of " << whole.size();
    }
    put(file, whole.substr(0, whole.size() / 2));
    EXPECT_THROW(model.load_weights(file), Error) << name;
    put(file, whole);
    model.load_weights(file);
  }
}

TEST_F(Saving, SaysWhatCannotBeSaved) {
  const nn::Sequential unbuilt({nn::Dense(2)});
  EXPECT_THROW(unbuilt.save(path("m.keras")), InvalidArgument);
  EXPECT_THROW(nn::load_model(path("none.keras")), formats::FileNotFound);
  const nn::Sequential model({nn::Dense(2)}, {.input_shape = Shape{3}});
  EXPECT_THROW(model.save(path("m.h5")), InvalidArgument);
  EXPECT_THROW(model.save_weights(path("m.bin")), InvalidArgument);
  model.save(path("m.keras"));
  EXPECT_THROW(model.save(path("m.keras"), {.overwrite = false}), InvalidArgument);
  // A loss of one's own: the model is saved, and says that it must be compiled again.
  model.compile({.optimizer = "sgd",
                 .loss = nn::Loss("mine", [](const Tensor& t, const Tensor& p) { return mean(square(t - p), -1); })});
  testing::internal::CaptureStderr();
  model.save(path("m.keras"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("compile() it again"), std::string::npos);
  EXPECT_FALSE(nn::load_model(path("m.keras")).compiled());
}

TEST_F(Saving, TextGoesWithTheModel) {
  const nn::Sequential model({nn::Dense(2)}, {.input_shape = Shape{3}});
  model.save(path("m.keras"), {.about = "{\"classes\": [\"a\", \"b\"]}"});
  EXPECT_EQ(nn::about_model(path("m.keras")), "{\"classes\": [\"a\", \"b\"]}");
}

}  // namespace
}  // namespace brio
