// Runs that grow in the ways of which people ask, and what Brio says of them; and one that does not.
#include <gtest/gtest.h>

#include "brio/base/warning.h"
#include "brio/brio.h"
#include "brio/profile/gauges.h"
#include "brio/profile/recorder.h"
#include "tests/share.h"

namespace brio::train {
namespace {

// What is warned of while it lives, with samples as often as a short test needs them.
class Warnings {
 public:
  Warnings() {
    lines().clear();
    profile::sample_every(0.005);
    set_warner([](const std::string& line) { lines().push_back(line); });
  }
  ~Warnings() {
    set_warner(nullptr);
    profile::sample_every(0.5);
  }
  static std::vector<std::string>& lines() {
    static std::vector<std::string> list;
    return list;
  }
};

void expect_warning(std::initializer_list<std::string_view> parts) {
  ASSERT_EQ(Warnings::lines().size(), 1U) << ::testing::PrintToString(Warnings::lines());
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own memory may grow faster than what is to be named";
#endif
  for (const std::string_view part : parts)
    EXPECT_NE(Warnings::lines()[0].find(part), std::string::npos) << Warnings::lines()[0];
}

struct Layer {
  Variable w{random::normal({256, 256}, {.seed = 1}) * 0.05f};
  Tensor x = random::normal({64, 256}, {.seed = 2});
  Tensor loss() const { return mean(square(matmul(x, w.value()))); }
};

TEST(DriftOfRuns, ATapeThatIsLeftOpen) {
  const Warnings warnings;
  Layer layer;
  nn::Optimizer sgd = nn::SGD(1e-3);
  GradientTape tape({.persistent = true});
  int line = 0;
  for (int step = 0; step < 20'000 && Warnings::lines().empty(); ++step) {
    line = __LINE__ + 1;
    sgd.apply_gradients(tape.gradient(layer.loss(), {layer.w}), {layer.w});
  }
  const std::string sentence = cat("recorded graph is being extended in your loop at drift_test.cpp:", line, ": +");
  expect_warning({sentence, " ops a step since step ", "; open the GradientTape inside of the loop"});
}

TEST(DriftOfRuns, TensorsThatAreKeptInAList) {
  const Warnings warnings;
  Layer layer;
  nn::Optimizer sgd = nn::SGD(1e-3);
  auto train = function([&](const Tensor& x) {
    GradientTape tape;
    const Tensor made = matmul(x, layer.w.value());
    sgd.apply_gradients(tape.gradient(mean(square(made)), {layer.w}), {layer.w});
    return made;
  });
  std::vector<Tensor> kept;
  for (int step = 0; step < 20'000 && Warnings::lines().empty(); ++step) kept.push_back(train(layer.x));
  expect_warning({"tensors that are kept by your loop", ": +65.", " kB a step since step ",
                  "keep numbers, not tensors: losses.push_back(loss.item<float>())"});
}

TEST(DriftOfRuns, VariablesThatAreMadeInTheLoop) {
  const Warnings warnings;
  Layer layer;
  nn::Optimizer sgd = nn::SGD(1e-3);
  std::vector<Variable> made;
  for (int step = 0; step < 20'000 && Warnings::lines().empty(); ++step) {
    made.emplace_back(zeros({256, 64}));
    GradientTape tape;
    const Tensor loss = layer.loss() + mean(made.back().value());
    sgd.apply_gradients(tape.gradient(loss, {layer.w}), {layer.w});
  }
  expect_warning({"variables that are made in your loop at drift_test.cpp:", ": +65.", " kB a step since step ",
                  "make them before the loop"});
}

TEST(DriftOfRuns, StateOfNewVariables) {
  const Warnings warnings;
  Layer layer;
  nn::Optimizer first = nn::Adam(1e-3);
  std::vector<nn::Optimizer> kept;
  for (int step = 0; step < 20'000 && Warnings::lines().empty(); ++step) {
    GradientTape tape;
    first.apply_gradients(tape.gradient(layer.loss(), {layer.w}), {layer.w});
    kept.emplace_back(nn::Adam(1e-3));
    kept.back().build(std::span(&layer.w, 1));
  }
  expect_warning({"optimizer state of new variables: +52", " kB a step since step ", "before the loop"});
}

TEST(DriftOfRuns, AShuffleBufferThatIsTooLarge) {
  const Warnings warnings;
  const auto rows = [] {
    return data::Next([n = 0](std::vector<Tensor>& values) mutable {
      values = {zeros({256}), zeros({1})};
      return ++n < 1'000'000;
    });
  };
  nn::Sequential model({nn::Dense(256, {.activation = "relu"}), nn::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const data::Dataset batches = data::from_generator(rows, data::Structure::tuple_of(2))
                                    .shuffle(500'000)
                                    .batch(64)
                                    .with_options({.ram_budget = 16 << 20});
  EXPECT_THROW(model.fit(batches, {.verbose = 0}), InvalidArgument);  // beyond the budget
  expect_warning({"shuffle buffer too large: ", " of 500000 elements take 4.", " MB, all would take ",
                  "and the RAM budget is 16.8 MB", "lower buffer_size"});
}

// As often as the watch can look: 10^5 steps are 500 samples at least.
TEST(DriftOfRuns, NothingIsSaidOfAHealthyRun) {
  const Warnings warnings;
  const Tensor x = random::normal({6400, 64}, {.seed = 1}), y = sum(x, 1, true);
  nn::Sequential model({nn::Dense(256, {.activation = "relu"}), nn::Dropout(0.1), nn::Dense(1)});
  model.compile({.optimizer = "adam", .loss = "mse"});
  const auto epochs = static_cast<int>(test::share_of(1000));
  const History history =
      model.fit(x, y, {.epochs = epochs, .batch_size = 64, .validation_split = 0.01, .verbose = 0});
  EXPECT_EQ(history["loss"].size(), static_cast<size_t>(epochs));
  EXPECT_EQ(Warnings::lines(), std::vector<std::string>());
}

TEST(DriftOfRuns, TheWatchChangesNoBit) {
  const auto weights = [](bool watched) {
    profile::set_recording(watched);
    random::set_seed(3);
    const Tensor x = random::normal({1280, 256}, {.seed = 1}), y = sum(x, 1, true);
    nn::Sequential model({nn::Dense(256, {.activation = "relu"}), nn::Dropout(0.1), nn::Dense(1)});
    model.compile({.optimizer = "adam", .loss = "mse"});
    model.fit(x, y, {.epochs = 5, .batch_size = 64, .verbose = 0});
    profile::set_recording(true);
    std::vector<float> all;
    for (const Variable& v : model.trainable_variables())
      for (const float f : v.value().to_vector<float>()) all.push_back(f);
    return all;
  };
  const Warnings warnings;
  EXPECT_EQ(weights(true), weights(false));
}

}  // namespace
}  // namespace brio::train
