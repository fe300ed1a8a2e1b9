// Metrics against Keras' values.
#include "brio/nn/metrics/metric.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

nn::Metric make_metric(const golden::Case& c) {
  const std::string& kind = c.text("metric");
  if (kind == "Accuracy") return nn::Accuracy();
  if (kind == "BinaryAccuracy") return nn::BinaryAccuracy({.threshold = c.number("threshold", 0.5)});
  return nn::Metric(kind);
}

TEST(Metric, AgreesWithKeras) {
  for (const golden::Case& c : golden::load("metrics.json")) {
    const nn::Metric metric = make_metric(c);
    const bool labels = c.text("metric").starts_with("Sparse") || c.text("metric") == "Accuracy";
    const std::vector<double>& expected = c.output("result").data;
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string n = std::to_string(i);
      const golden::Array &t = c.input("y_true_" + n), &p = c.input("y_pred_" + n);
      const auto weight = c.inputs.find("sample_weight_" + n);
      metric.update_state(labels ? golden::int_tensor(t) : golden::tensor(t),
                          c.text("metric") == "Accuracy" ? golden::int_tensor(p) : golden::tensor(p),
                          weight == c.inputs.end() ? Tensor() : golden::tensor(weight->second));
      EXPECT_NEAR(metric.read(), expected[i], 1e-6) << c.name << " after batch " << i;
      EXPECT_NEAR(metric.result().item<float>(), expected[i], 1e-6) << c.name;
    }
    metric.reset_state();
    EXPECT_EQ(metric.read(), 0) << c.name;
    EXPECT_EQ(metric.result().item<float>(), 0) << c.name;
  }
}

TEST(Metric, AccuracyIsToldByTheShapes) {
  const Tensor p({{0.2, 0.5, 0.3}, {0.6, 0.3, 0.1}}), one_hot({{0, 1, 0}, {0, 1, 0}});
  const Tensor labels = Tensor::from(std::vector<int32_t>{1, 1}, {2});
  auto share = [](const Tensor& t, const Tensor& q) {
    const nn::Metric accuracy = "accuracy";
    accuracy.update_state(t, q);
    return accuracy.read();
  };
  EXPECT_EQ(share(one_hot, p), 0.5);
  EXPECT_EQ(share(labels, p), 0.5);
  EXPECT_EQ(share(reshape(labels, {2, 1}), p), 0.5);
  EXPECT_EQ(share(Tensor({{1}, {1}}), Tensor({{0.75}, {0.25}})), 0.5);
  EXPECT_EQ(share(Tensor({1, 1}), Tensor({{0.75}, {0.75}})), 1);  // (2,) beside (2, 1)
}

TEST(Metric, OfEqualPredictionsTheFirstCounts) {
  const Tensor p({{1, 3, 3}, {2, 2, 2}, {0, -1, 5}});
  EXPECT_EQ(nn::sparse_categorical_accuracy(Tensor({1, 0, 2}, i32), p).to_vector<float>(),
            (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(nn::sparse_categorical_accuracy(Tensor({2, 1, 0}, i32), p).to_vector<float>(),
            (std::vector<float>{0, 0, 0}));
  EXPECT_SAYS(golden::invalid([] { nn::categorical_accuracy(zeros({2, 0}), zeros({2, 0})); }), "(2, 0)");
}

TEST(Metric, MeanCountsWeights) {
  const nn::Mean mean_metric;
  mean_metric.update_state(Tensor({1, 3, 5, 7}));
  EXPECT_EQ(mean_metric.read(), 4);
  mean_metric.reset_state();
  mean_metric.update_state(Tensor({1, 3, 5, 7}), Tensor({1, 1, 0, 0}));
  EXPECT_EQ(mean_metric.read(), 2);
  mean_metric.update_state(Tensor(8));  // one number counts once
  EXPECT_EQ(mean_metric.read(), 4);
}

TEST(Metric, UpdatesInsideAFunction) {
  const nn::BinaryAccuracy accuracy;
  auto step = function([&](const Tensor& t, const Tensor& p) { accuracy.update_state(t, p); });
  const Tensor t({{1}, {0}}), p({{0.75}, {0.75}});
  for (int i = 0; i < 3; ++i) step(t, p);
  EXPECT_EQ(accuracy.variables()[1].value().item<float>(), 6);
  EXPECT_EQ(accuracy.read(), 0.5);
  accuracy.reset_state();
  step(t, t);
  EXPECT_EQ(accuracy.read(), 1);
}

TEST(Metric, SaysWhatIsWrong) {
  EXPECT_SAYS(golden::invalid([] { nn::Metric("acuracy"); }), "did you mean 'accuracy'?");
  EXPECT_SAYS(golden::invalid([] { nn::Metric("mse").update_state(Tensor({1, 2}), Tensor()); }), "y_pred is none");
  EXPECT_SAYS(golden::invalid([] {
                nn::Metric("binary_accuracy").update_state(zeros({4, 1}), zeros({4, 1}), zeros({3}));
              }),
              "sample_weight has shape (3,)");
}

}  // namespace
}  // namespace brio
