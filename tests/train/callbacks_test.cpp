// The callbacks that come with Brio.
#include "brio/train/callbacks.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "brio/formats/tfrecord.h"
#include "brio/nn/layers/merging.h"
#include "brio/train/model.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;
using train::Logs;
using train::Progress;

// Feeds one number per epoch to a callback, beside a small model; returns the epochs that ran.
struct Epochs {
  nn::Dense model{1, {.kernel_initializer = "zeros"}};
  nn::Optimizer optimizer = nn::SGD(1);
  Progress progress;
  std::vector<double> rates;

  Epochs() {
    model(zeros({1, 1}));
    progress.model = model;
    progress.optimizer = optimizer;
  }
  int64_t operator()(train::Callback& callback, const std::string& name, const std::vector<double>& values) {
    progress.stop_training = false;
    callback.on_train_begin(progress);
    int64_t epoch = 0;
    Logs logs;
    for (; epoch < static_cast<int64_t>(values.size()) && !progress.stop_training; ++epoch) {
      callback.on_epoch_begin(progress, epoch);
      const auto weight = static_cast<float>(epoch);
      model.kernel().assign(Tensor({{weight}}));
      logs = {};
      logs.set(name, values[static_cast<size_t>(epoch)]);
      callback.on_epoch_end(progress, epoch, logs);
      rates.push_back(optimizer.learning_rate().item<double>());
    }
    callback.on_train_end(progress, logs);
    return epoch;
  }
};

TEST(EarlyStopping, StopsWhenPatienceRunsOut) {
  Epochs run;
  EXPECT_EQ(run(*train::early_stopping({.patience = 2}), "val_loss", {5, 4, 4.5, 4.4, 3}), 4);
  EXPECT_EQ(run(*train::early_stopping(), "val_loss", {5, 4, 4, 3}), 3);
  EXPECT_EQ(run(*train::early_stopping({.min_delta = 0.5, .patience = 1}), "val_loss", {5, 4.8, 4}), 2);
  EXPECT_EQ(run(*train::early_stopping({.monitor = "val_accuracy"}), "val_accuracy", {.1, .2, .2, .3}), 3);
  EXPECT_EQ(run(*train::early_stopping({.monitor = "x", .mode = train::Better::up}), "x", {1, 2, 1}), 3);
  EXPECT_EQ(run(*train::early_stopping({.start_from_epoch = 3}), "val_loss", {1, 2, 3, 4, 5, 6}), 5);
  // The baseline of 2 is never reached: the wait goes on while the loss improves.
  EXPECT_EQ(run(*train::early_stopping({.patience = 2, .baseline = 2}), "val_loss", {5, 4, 4.5, 1}), 3);
}

TEST(EarlyStopping, RestoresTheBestWeights) {
  Epochs run;
  const auto callback = train::early_stopping({.patience = 2, .restore_best_weights = true});
  run(*callback, "val_loss", {5, 4, 4.5, 4.4, 3});
  EXPECT_EQ(run.model.kernel().value().item<float>(), 1);  // of epoch 1
  run(*callback, "val_loss", {3, 2, 1});
  EXPECT_EQ(run.model.kernel().value().item<float>(), 2);  // at the end too, as in Keras 3
}

TEST(EarlyStopping, SaysWhatItCannotWatch) {
  Epochs run;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(*train::early_stopping(), "loss", {1, 2, 3}), 3);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_SAYS(said, "there is no 'val_loss' to watch; there is loss");
  EXPECT_EQ(said.find("watch"), said.rfind("watch"));  // once
  EXPECT_SAYS(invalid([&] {
                run(*train::early_stopping({.monitor = "mine"}), "mine", {1, 2});
              }),
              "cannot tell whether 'mine' gets better");
}

TEST(ReduceLROnPlateau, LowersTheRate) {
  Epochs run;
  run(*train::reduce_lr_on_plateau({.factor = 0.5, .patience = 2, .min_lr = 0.2}), "val_loss",
      {5, 5, 5, 5, 5, 5, 5, 5, 5});
  EXPECT_EQ(run.rates, (std::vector<double>{1, 1, .5, .5, .25, .25, .2, .2, .2}));
  Epochs other;
  other(*train::reduce_lr_on_plateau({.factor = 0.5, .patience = 1, .cooldown = 2}), "val_loss", {5, 5, 5, 5, 5, 5});
  EXPECT_EQ(other.rates, (std::vector<double>{1, .5, .5, .25, .25, .125}));
  EXPECT_SAYS(invalid([] { train::reduce_lr_on_plateau({.factor = 1}); }), "the factor is 1");
}

TEST(LearningRateScheduler, SetsTheRateOfEachEpoch) {
  Epochs run;
  run(*train::learning_rate_scheduler([](int64_t epoch, double rate) { return epoch < 2 ? rate : rate / 2; }), "loss",
      {1, 1, 1, 1});
  EXPECT_EQ(run.rates, (std::vector<double>{1, 1, .5, .25}));
  EXPECT_SAYS(invalid([] { train::learning_rate_scheduler({}); }), "the schedule is none");
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(CSVLogger, WritesALinePerEpoch) {
  const auto path = std::filesystem::temp_directory_path() / cat("brio_csv_", ::getpid(), ".csv");
  Epochs run;
  run(*train::csv_logger(path), "loss", {1, 0.25});
  EXPECT_EQ(read(path), "epoch,loss,val_loss\r\n0,1,NA\r\n1,0.25,NA\r\n");
  run(*train::csv_logger(path, {.append = true}), "loss", {0.1});
  EXPECT_EQ(read(path), "epoch,loss,val_loss\r\n0,1,NA\r\n1,0.25,NA\r\n0,0.1,NA\r\n");
  run(*train::csv_logger(path, {.separator = ';'}), "val_loss", {3});
  EXPECT_EQ(read(path), "epoch;val_loss\r\n0;3\r\n");
  std::filesystem::remove(path);
  EXPECT_SAYS(invalid([&] { run(*train::csv_logger("/no/such/folder/x.csv"), "loss", {1}); }),
              "cannot write to '/no/such/folder/x.csv'");
}

struct FewRows {
  Tensor x = random::normal({64, 3}, {.seed = 1});
  Tensor y = sum(x, 1, true);
};

TEST(Callbacks, AreCalledInKerasOrder) {
  const FewRows data;
  std::string calls;
  auto callback = std::make_shared<train::LambdaCallback>();
  callback->train_begin = [&](Progress&) { calls += "T"; };
  callback->epoch_begin = [&](Progress&, int64_t) { calls += "E"; };
  callback->train_batch_begin = [&](Progress&, int64_t) { calls += "b"; };
  callback->train_batch_end = [&](Progress&, int64_t) { calls += "B"; };
  callback->test_begin = [&](Progress&) { calls += "v"; };
  callback->test_end = [&](Progress&, const Logs&) { calls += "V"; };
  callback->epoch_end = [&](Progress&, int64_t, Logs& logs) {
    calls += "e";
    logs.set("mine", 7);  // callbacks that come later see it, and so does the history
  };
  callback->train_end = [&](Progress&, const Logs&) { calls += "t"; };
  const nn::Sequential model({nn::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto history =
      model.fit(data.x, data.y, {.epochs = 2, .validation_split = 0.5, .verbose = 0, .callbacks = {callback}});
  EXPECT_EQ(calls, "TEbBvVeEbBvVet");
  EXPECT_EQ(history["mine"], (std::vector<double>{7, 7}));
}

TEST(Callbacks, MaySetTheFirstEpoch) {
  const FewRows data;
  auto callback = std::make_shared<train::LambdaCallback>();
  callback->train_begin = [&](Progress& progress) { progress.initial_epoch = 3; };
  const nn::Sequential model({nn::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  EXPECT_EQ(model.fit(data.x, data.y, {.epochs = 5, .verbose = 0, .callbacks = {callback}}).epoch,
            (std::vector<int64_t>{3, 4}));
}

TEST(Callbacks, TerminateOnNaNEndsTheRun) {
  const FewRows data;
  const nn::Sequential model({nn::Dense(1)});
  model.compile({.optimizer = nn::SGD(1e30), .loss = "mse"});
  testing::internal::CaptureStdout();
  const auto history = model.fit(
      data.x, data.y, {.epochs = 5, .batch_size = 8, .verbose = 0, .callbacks = {train::terminate_on_nan()}});
  EXPECT_SAYS(testing::internal::GetCapturedStdout(), "Invalid loss, terminating training");
  EXPECT_EQ(history.epoch.size(), 1u);
}

TEST(Fit, WeighsClasses) {
  const Tensor x = ones({4, 1}), labels({0, 1, 1, 2}, i32);
  const nn::Sequential model({nn::Dense(3, {.activation = "softmax", .kernel_initializer = "zeros"})});
  model.compile({.optimizer = nn::SGD(0), .loss = "sparse_categorical_crossentropy"});
  const double each = std::log(3.0);
  auto loss = [&](const Tensor& y) {
    return model.fit(x, y, {.batch_size = 4, .verbose = 0, .class_weight = {{0, 4}, {1, 0.5}}})["loss"][0];
  };
  EXPECT_NEAR(loss(labels), each * (4 + 0.5 + 0.5 + 1) / 4, 1e-5);
  model.compile({.optimizer = nn::SGD(0), .loss = "categorical_crossentropy"});
  EXPECT_NEAR(loss(one_hot(labels, 3)), each * (4 + 0.5 + 0.5 + 1) / 4, 1e-5);
  EXPECT_NEAR(model.fit(x, one_hot(labels, 3), {.batch_size = 4, .verbose = 0})["loss"][0], each, 1e-5);
  EXPECT_SAYS(invalid([&] { model.fit(x, labels, {.verbose = 0, .class_weight = {{-1, 2}}}); }), "the class -1");
  EXPECT_SAYS(invalid([&] {
                model.fit(x, labels, {.verbose = 0, .sample_weight = ones({4}), .class_weight = {{1, 2}}});
              }),
              "not beside sample_weight");
}

TEST(Fit, OnOneBatch) {
  const FewRows data;
  const nn::Sequential model({nn::Dense(1)});
  model.compile({.optimizer = nn::SGD(0.1), .loss = "mse", .metrics = {"mse"}});
  const double first = model.train_on_batch(data.x, data.y)["loss"];
  model.reset_metrics();
  const Logs later = model.test_on_batch(data.x, data.y);
  EXPECT_LT(later["loss"], first);
  EXPECT_EQ(model.predict_on_batch(data.x).shape(), Shape({64, 1}));
  EXPECT_SAYS(invalid([&] { model.train_on_batch(data.x, zeros({3, 1})); }), "x has 64 rows, but y has 3");
  EXPECT_SAYS(invalid([&] { model.predict_on_batch(Tensor()); }), "must have an axis");
}

TEST(Fit, TakesAStepOfOnesOwn) {
  const FewRows data;
  const nn::Sequential model({nn::Dense(1)}, {.input_shape = Shape{3}});
  const nn::Optimizer optimizer = nn::SGD(0.1);
  int traced = 0;
  model.compile({.optimizer = optimizer, .train_step = [&](const train::Batch& batch) -> nn::NamedTensors {
                   ++traced;
                   GradientTape tape;
                   const Tensor loss = mean(abs(model(batch.x[0], true) - batch.y[0]));
                   const auto weights = model.trainable_variables();
                   optimizer.apply_gradients(tape.gradient(loss, weights), weights);
                   return {{"loss", loss}, {"twice", loss + loss}};
                 }});
  const auto history = model.fit(data.x, data.y, {.epochs = 20, .verbose = 0});
  EXPECT_EQ(traced, 1);
  EXPECT_LT(history["loss"].back(), history["loss"].front() / 2);
  EXPECT_NEAR(history["twice"].back(), 2 * history["loss"].back(), 1e-6);
}

TEST(TensorBoard, WritesNumbersHistogramsAndTheGraph) {
  const std::string logs = (std::filesystem::temp_directory_path() / "brio-tensorboard-test").string();
  std::filesystem::remove_all(logs);
  const nn::Symbol a = nn::Input({6}, {.name = "a"});
  const nn::Symbol b = nn::Dense(300, {.activation = "relu", .name = "wide"})(a);
  const nn::Model model(a, nn::Dense(1, {.name = "last"})(nn::Concatenate({.name = "both"})({a, b})));
  model.compile({.optimizer = nn::SGD(0.125), .loss = "mse"});
  const Tensor x = random::normal({64, 6}, {.seed = 1}), y = random::normal({64, 1}, {.seed = 2});
  model.fit(x, y,
            {.epochs = 2,
             .batch_size = 16,
             .validation_split = 0.25,
             .verbose = 0,
             .callbacks = {train::tensorboard(logs, {.histogram_freq = 1, .update_every = 2})}});
  const auto events = [&](const std::string& part) {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(logs + "/" + part))
      for (auto [reader, record] = std::pair(formats::RecordReader(entry.path()), std::string_view());
           reader.next(record);)
        all += std::string(record) + "\n";
    return all;
  };
  const auto count = [](const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  const std::string train = events("train"), validation = events("validation");
  EXPECT_EQ(count(train, "epoch_loss"), 2u);
  EXPECT_EQ(count(train, "batch_loss"), 3u);  // of six batches
  EXPECT_EQ(count(train, "epoch_learning_rate"), 2u);
  EXPECT_EQ(count(train, "/histogram"), 8u);  // two kernels and two biases, twice
  EXPECT_EQ(count(train, "Concatenate"), 1u);
  EXPECT_EQ(count(validation, "epoch_loss"), 2u);
  std::filesystem::remove_all(logs);
  EXPECT_EQ(invalid([] { train::tensorboard(""); }),
            "[tensorboard] the directory has no name; give it one, such as \"logs\"");
}

}  // namespace
}  // namespace brio
