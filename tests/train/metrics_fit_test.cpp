// Metrics and losses of all kinds inside compile, fit and evaluate.
#include "brio/train/model.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

struct WeightedRows {
  Tensor x = random::normal({60, 4}, {.seed = 5});
  Tensor y = cast(sum(x, 1, true) + random::normal({60, 1}, {.seed = 6}) > 0.f, f32);
  Tensor weight = random::uniform({60}, {.seed = 7});
};

// What evaluate says is what the metric says of the predictions, batch by batch, the last one smaller.
TEST(MetricsInFit, AgreeWithTheMetricsAlone) {
  const WeightedRows d;
  const nn::Sequential model({nn::Dense(1, {.activation = "sigmoid"})});
  auto metrics = [] {
    return std::vector<nn::Metric>{nn::AUC({.name = "area"}),
                                   nn::AUC({.curve = nn::Curve::pr, .multi_label = true, .name = "pr"}),
                                   nn::Precision({.name = "precise"}),
                                   nn::RecallAtPrecision({.precision = 0.7, .name = "at"}),
                                   nn::F1Score({.average = nn::ClassAverage::micro, .threshold = 0.5, .name = "f1"}),
                                   nn::BinaryIoU({.name = "iou"}),
                                   nn::R2Score({.name = "r2"}),
                                   "mae",
                                   "root_mean_squared_error"};
  };
  model.compile({.optimizer = "sgd", .loss = nn::Huber({.delta = 0.25}), .metrics = metrics()});
  const train::History history = model.fit(d.x, d.y, {.epochs = 2, .batch_size = 16, .verbose = 0});
  const train::Logs evaluated = model.evaluate(d.x, d.y, {.batch_size = 16, .verbose = 0});
  const Tensor p = model.predict(d.x);
  for (const nn::Metric& metric : metrics()) {
    for (int64_t i = 0; i < 60; i += 16)
      metric.update_state(slice(d.y, {{.begin = i, .end = i + 16}}), slice(p, {{.begin = i, .end = i + 16}}));
    EXPECT_NEAR(evaluated[metric.name()], metric.read(), 1e-5) << metric.name();
    EXPECT_EQ(history[metric.name()].size(), 2u);
    EXPECT_TRUE(std::isfinite(history[metric.name()].back())) << metric.name();
  }
}

TEST(MetricsInFit, WeightedMetricsSeeTheWeights) {
  const WeightedRows d;
  const nn::Sequential model({nn::Dense(1, {.activation = "sigmoid"})});
  model.compile({.optimizer = "sgd",
                 .loss = "binary_focal_crossentropy",
                 .metrics = {nn::TruePositives({.name = "count"})},
                 .weighted_metrics = {nn::TruePositives({.name = "weighed"}), nn::AUC({.name = "area"})}});
  model.fit(d.x, d.y, {.verbose = 0, .sample_weight = d.weight});
  const train::Logs logs = model.evaluate(d.x, d.y, {.verbose = 0, .sample_weight = d.weight});
  const Tensor p = model.predict(d.x);
  const nn::TruePositives count, weighed;
  count.update_state(d.y, p);
  weighed.update_state(d.y, p, d.weight);
  EXPECT_EQ(logs["count"], count.read());
  EXPECT_NEAR(logs["weighed"], weighed.read(), 1e-4);
  EXPECT_LT(logs["weighed"], logs["count"]);
}

// A number is shown in the progress bar and kept in the history.
TEST(MetricsInFit, AVectorIsRefusedInWords) {
  const WeightedRows d;
  const nn::Sequential model({nn::Dense(2, {.activation = "softmax"})});
  const Tensor one_hot_y = one_hot(cast(reshape(d.y, {60}), i32), 2);
  model.compile({.loss = "categorical_crossentropy", .metrics = {nn::F1Score()}});
  EXPECT_SAYS(golden::invalid([&] { model.fit(d.x, one_hot_y, {.verbose = 0}); }),
              "[f1_score] the result has shape (2,), which is not one number");
}

TEST(LossesInFit, EveryLossForNumbersTrains) {
  const WeightedRows d;
  for (const char* name : {"mse", "mae", "msle", "huber", "log_cosh", "poisson", "kld", "hinge", "squared_hinge",
                           "bce", "binary_focal_crossentropy", "dice", "tversky"}) {
    set_random_seed(2);
    const nn::Sequential model({nn::Dense(1, {.activation = "sigmoid"})});
    model.compile({.optimizer = nn::SGD(0.05), .loss = name});
    const train::History history = model.fit(d.x, d.y, {.epochs = 8, .batch_size = 20, .verbose = 0});
    EXPECT_LT(history["loss"].back(), history["loss"].front()) << name;
  }
}

}  // namespace
}  // namespace brio
