// A loss or gradients that stop being finite: what fit() says of the cause, and what it leaves as it was.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "brio/base/warning.h"
#include "brio/brio.h"
#include "brio/nn/names.h"
#include "brio/nn/optimizers/loss_scale_optimizer.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;
using train::OnBadNumber;

constexpr int64_t kRows = 640, kWidth = 256, kBatch = 64;

std::vector<std::string>& told() {
  static std::vector<std::string> list;
  return list;
}
class Told {
 public:
  Told() {
    told().clear();
    set_warner([](const std::string& line) { told().push_back(line); });
  }
  ~Told() { set_warner(nullptr); }
};

void expect_says(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

struct NumberRows {
  std::vector<float> x, y;
  NumberRows() : x(random::normal({kRows, kWidth}, {.seed = 1}).to_vector<float>()), y(static_cast<size_t>(kRows)) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = x[i * kWidth];
  }
  Tensor inputs() const { return Tensor::from(x, {kRows, kWidth}); }
  Tensor targets() const { return Tensor::from(y, {kRows, 1}); }
  void spoil(int64_t row) { x[static_cast<size_t>(row * kWidth + 7)] = std::numeric_limits<float>::quiet_NaN(); }
};

nn::Sequential number_model() {
  nn::reset_unique_names();
  random::set_seed(5);
  return nn::Sequential(
      {nn::Dense(kWidth, {.activation = "relu"}), nn::BatchNormalization(), nn::Dropout(0.1), nn::Dense(1)});
}

nn::FitOptions in_order(OnBadNumber what, int64_t epochs = 1) {
  return {.epochs = epochs, .batch_size = kBatch, .shuffle = false, .verbose = 0, .on_bad_number = what};
}

std::vector<float> all_values(const nn::Model& model) {
  std::vector<float> all;
  std::vector<Variable> list = model.variables();
  for (const Variable& v : model.optimizer().variables()) list.push_back(v);
  for (const Variable& v : list)
    for (const double value : cast(v.value(), f64).to_vector<double>()) all.push_back(static_cast<float>(value));
  return all;
}

// The logarithm of what may be 0.
class LogOf : public nn::Module {
 public:
  LogOf() : Module("log_of", {.name = "log_of"}) {}
  std::string_view kind() const override { return "LogOf"; }

 protected:
  Tensor call(const Tensor& x, const nn::Call&) override { return log(x); }
};

TEST(BadNumber, OfARowOfTheInputIsNamedWithTheRow) {
  NumberRows rows;
  rows.spoil(3 * kBatch + 17);
  nn::Sequential model = number_model();
  model.compile({.optimizer = "adam", .loss = "mse"});
  const std::string said = invalid([&] { model.fit(rows.inputs(), rows.targets(), in_order(OnBadNumber::stop)); });
  expect_says(said, {"[fit] step 4 of epoch 1 gave numbers that are not finite", "first bad number: x is not finite",
                     "f32[64,256]", "1 nan", "in row 17 of the batch (in the data: 209)"});
  // Shuffled, the place in the data is the same.
  nn::FitOptions shuffled = in_order(OnBadNumber::stop);
  shuffled.shuffle = true;
  expect_says(invalid([&] { model.fit(rows.inputs(), rows.targets(), shuffled); }), {"(in the data: 209)"});
}

TEST(BadNumber, OfALogarithmIsNamedWithItsLayer) {
  const NumberRows rows;
  nn::Sequential model({nn::Dense(kWidth, {.activation = "relu", .name = "first"}),
                        nn::Layer(std::make_shared<LogOf>()), nn::Dense(1)},
                       {.name = "net"});
  model.compile({.optimizer = "adam", .loss = "mse"});
  const std::string said = invalid([&] { model.fit(rows.inputs(), rows.targets(), in_order(OnBadNumber::stop)); });
  expect_says(said, {"step 1 of epoch 1", "first bad number: log, in net/log_of", "input 0: f32[64,256], min 0, max ",
                     "result: f32[64,256], min ", " inf", "in all 64 rows of the batch"});
}

TEST(BadNumber, OfALearningRateThatIsTooLarge) {
  const NumberRows rows;
  nn::Sequential model = number_model();
  model.compile({.optimizer = nn::SGD(1e30), .loss = "mse"});
  const std::string said = invalid([&] { model.fit(rows.inputs(), rows.targets(), in_order(OnBadNumber::stop)); });
  expect_says(said, {"gave numbers that are not finite", "first bad number: ", "learning rate 1e+30"});
  for (const float value : all_values(model)) ASSERT_TRUE(std::isfinite(value));
}

TEST(BadNumber, OfADivisionByZeroInALoss) {
  const NumberRows rows;
  nn::Sequential model = number_model();
  model.compile({.optimizer = "adam", .loss = nn::Loss("relative", [](const Tensor& y, const Tensor& p) {
                                        return mean(square(y - p) / (y - y), -1);
                                      })});
  const std::string said = invalid([&] { model.fit(rows.inputs(), rows.targets(), in_order(OnBadNumber::stop)); });
  expect_says(said, {"first bad number: div", "in the loss 'relative'", "input 1: f32[64,1], min 0, max 0, mean 0"});
}

TEST(BadNumber, OfAGradientAloneIsNamedWithTheOpThatItBelongsTo) {
  NumberRows rows;
  std::ranges::fill(rows.y, 0.0f);
  nn::Sequential model({nn::Dense(kWidth, {.kernel_initializer = "zeros"}), nn::Dense(1)});
  // sqrt is finite at 0, its gradient is not.
  model.compile({.optimizer = "adam", .loss = nn::Loss("root", [](const Tensor& y, const Tensor& p) {
                                        return mean(sqrt(square(y - p)), -1);
                                      })});
  const std::string said = invalid([&] { model.fit(rows.inputs(), rows.targets(), in_order(OnBadNumber::stop)); });
  expect_says(said, {"first bad number: ", "in the gradient of sqrt, in the loss 'root'"});
}

TEST(BadNumber, ThatIsSkippedLeavesEverythingAsItWas) {
  NumberRows rows;
  rows.spoil(5 * kBatch);
  const Told listening;
  nn::Sequential model = number_model();
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const train::History history = model.fit(rows.inputs(), rows.targets(), in_order(OnBadNumber::skip, 3));
  for (const float value : all_values(model)) ASSERT_TRUE(std::isfinite(value));
  for (const double loss : history["loss"]) EXPECT_TRUE(std::isfinite(loss));
  for (const double mae : history["mae"]) EXPECT_TRUE(std::isfinite(mae));
  ASSERT_EQ(told().size(), 2U);
  expect_says(told()[0], {"step 6 of epoch 1", "in row 0 of the batch (in the data: 320)", "training goes on"});
  expect_says(told()[1], {"3 steps were left out"});

  // The same run on the other batches alone: the gate is as if the step had not been, but for its random numbers.
  const auto last_values = [&](const std::vector<int64_t>& batches) {
    nn::Sequential again({nn::Dense(kWidth, {.activation = "relu", .kernel_initializer = "ones"}),
                          nn::BatchNormalization(), nn::Dense(1, {.kernel_initializer = "ones"})});
    again.compile({.optimizer = "adam", .loss = "mse"});
    std::vector<float> x, y;
    for (const int64_t b : batches) {
      x.insert(x.end(), rows.x.begin() + b * kBatch * kWidth, rows.x.begin() + (b + 1) * kBatch * kWidth);
      y.insert(y.end(), rows.y.begin() + b * kBatch, rows.y.begin() + (b + 1) * kBatch);
    }
    const auto n = static_cast<int64_t>(y.size());
    again.fit(Tensor::from(x, {n, kWidth}), Tensor::from(y, {n, 1}), in_order(OnBadNumber::skip));
    return all_values(again);
  };
  EXPECT_EQ(last_values({4, 5, 6}), last_values({4, 6}));
}

TEST(BadNumber, TheGateChangesNoBitOfAHealthyRun) {
  const NumberRows rows;
  for (const char* optimizer : {"sgd", "adam", "rmsprop"}) {
    const auto values = [&](OnBadNumber what) {
      nn::Sequential model = number_model();
      model.compile({.optimizer = optimizer, .loss = "mse", .metrics = {"mae"}});
      model.fit(rows.inputs(), rows.targets(), in_order(what, 4));
      return all_values(model);
    };
    EXPECT_EQ(values(OnBadNumber::warn), values(OnBadNumber::skip)) << optimizer;
  }
}

// Its gradient is some rows, which the gate looks at in the place of the table.
TEST(BadNumber, InTheRowsOfALookedUpTableLeavesTheTable) {
  const Tensor words = cast(random::uniform({kRows, 16}, {.high = 20'000, .seed = 1}), i32);
  for (const char* optimizer : {"sgd", "adam"}) {
    const auto values = [&](OnBadNumber what, const std::vector<float>& targets) {
      random::set_seed(5);
      nn::Sequential model({nn::Embedding(20'000, 64), nn::GlobalAveragePooling1D(), nn::Dense(1)});
      model.compile({.optimizer = optimizer, .loss = "mse"});
      model.fit(words, Tensor::from(targets, {kRows, 1}), in_order(what));
      return all_values(model);
    };
    std::vector<float> targets(static_cast<size_t>(kRows), 1.0f);
    EXPECT_EQ(values(OnBadNumber::warn, targets), values(OnBadNumber::skip, targets)) << optimizer;
    targets[100] = std::numeric_limits<float>::infinity();
    const Told listening;
    for (const float value : values(OnBadNumber::skip, targets)) ASSERT_TRUE(std::isfinite(value)) << optimizer;
    ASSERT_EQ(told().size(), 1U);
    expect_says(told()[0], {"first bad number: y is not finite", "in row 36 of the batch (in the data: 100)"});
  }
}

TEST(BadNumber, IsWarnedOfOnceWhereNobodyAskedAndTrainingGoesOn) {
  NumberRows rows;
  rows.spoil(200);
  const Told listening;
  nn::Sequential model = number_model();
  model.compile({.optimizer = "adam", .loss = "mse"});
  const train::History history = model.fit(rows.inputs(), rows.targets(), in_order(OnBadNumber::warn, 3));
  EXPECT_EQ(history["loss"].size(), 3U);
  EXPECT_TRUE(std::isnan(history["loss"].back()));
  ASSERT_EQ(told().size(), 1U);
  expect_says(told()[0],
              {"brio: [fit] the loss is nan by step 10 of epoch 1 (learning rate 0.001)", "on_bad_number"});
}

TEST(BadNumber, IsFoundFromTheCheckpointBeforeIt) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / cat("brio-bad-number-", ::getpid());
  const NumberRows rows;
  NumberRows spoiled;
  spoiled.spoil(7 * kBatch + 3);
  const auto run = [&](const NumberRows& data, OnBadNumber what, int64_t epochs) {
    nn::Sequential model = number_model();
    model.compile({.optimizer = "adam", .loss = "mse"});
    nn::FitOptions options = in_order(what, epochs);
    options.checkpoint = {.directory = folder.string(), .every_steps = 5};
    options.resume = true;
    model.fit(data.inputs(), data.targets(), options);
    return all_values(model);
  };
  const Told listening;
  run(rows, OnBadNumber::warn, 1);
  run(spoiled, OnBadNumber::warn, 2);
  ASSERT_EQ(told().size(), 1U);
  expect_says(told()[0], {"the loss is nan", "from the checkpoint before it", folder.string()});
  expect_says(invalid([&] { run(spoiled, OnBadNumber::stop, 2); }),
              {"step 8 of epoch 2", "in row 3 of the batch (in the data: 451)"});
  fs::remove_all(folder);
}

TEST(BadNumber, OfAPartOfABatchIsNamedByTheRowsOfTheBatch) {
  NumberRows rows;
  rows.spoil(kBatch + 40);
  nn::Sequential model = number_model();
  model.compile({.optimizer = "adam", .loss = "mse"});
  nn::FitOptions options = in_order(OnBadNumber::stop);
  options.accumulate = 4;
  expect_says(invalid([&] { model.fit(rows.inputs(), rows.targets(), options); }),
              {"step 2 of epoch 1", "in row 40 of the batch (in the data: 104)"});
}

// An overflow of float16 is what the scale of the loss is for.
TEST(BadNumber, ThatTheScaleOfTheLossMendsIsNotReported) {
  const NumberRows rows;
  const Told listening;
  nn::Sequential model({nn::Dense(kWidth, {.activation = "relu", .dtype = "mixed_float16"}),
                        nn::Dense(1, {.dtype = "mixed_float16"})});
  const nn::LossScaleOptimizer scaled(nn::Adam(1e-3), {.initial_scale = 1e9});
  model.compile({.optimizer = scaled, .loss = "mse"});
  for (const OnBadNumber what : {OnBadNumber::warn, OnBadNumber::skip})
    model.fit(rows.inputs(), rows.targets(), in_order(what, 2));
  EXPECT_LT(scaled.loss_scale().item<float>(), 1e8f);
  EXPECT_EQ(told(), std::vector<std::string>());
  // A loss that is not finite is: no scale mends it.
  NumberRows spoiled;
  spoiled.spoil(0);
  expect_says(invalid([&] { model.fit(spoiled.inputs(), spoiled.targets(), in_order(OnBadNumber::stop)); }),
              {"first bad number: x is not finite", "in row 0 of the batch"});
}

}  // namespace
}  // namespace brio
