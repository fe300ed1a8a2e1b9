// The metrics beyond their golden values: names, dtypes, rules of one's own, and what they say to wrong inputs.
#include "brio/nn/metrics/metrics.h"

#include "brio/nn/names.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

Tensor int_tensor(const std::vector<int32_t>& values, const Shape& shape) { return Tensor::from(values, shape); }

TEST(Metrics, NamesAndAliasesAreKeras) {
  const Tensor t({{0, 1}, {1, 0}, {0, 1}}), p({{0.25, 0.75}, {0.75, 0.5}, {0.625, 0.375}});
  const std::vector<std::vector<const char*>> spellings = {
      {"mean_squared_error", "MeanSquaredError", "mse", "MSE"},
      {"mean_absolute_error", "MeanAbsoluteError", "mae", "MAE"},
      {"mean_absolute_percentage_error", "MeanAbsolutePercentageError", "mape", "MAPE"},
      {"mean_squared_logarithmic_error", "MeanSquaredLogarithmicError", "msle", "MSLE"},
      {"root_mean_squared_error", "RootMeanSquaredError"},
      {"cosine_similarity", "CosineSimilarity"},
      {"log_cosh_error", "LogCoshError"},
      {"r2_score", "R2Score"},
      {"pearson_correlation", "PearsonCorrelation"},
      {"concordance_correlation", "ConcordanceCorrelation"},
      {"hinge", "Hinge"},
      {"squared_hinge", "SquaredHinge"},
      {"categorical_hinge", "CategoricalHinge"},
      {"kl_divergence", "KLDivergence"},
      {"poisson", "Poisson"},
      {"binary_crossentropy", "BinaryCrossentropy", "bce", "BCE"},
      {"categorical_crossentropy", "CategoricalCrossentropy"},
      {"accuracy", "acc", "Accuracy"},
      {"binary_accuracy", "BinaryAccuracy"},
      {"categorical_accuracy", "CategoricalAccuracy"},
      {"top_k_categorical_accuracy", "TopKCategoricalAccuracy"},
      {"mean", "Mean"},
      {"sum", "Sum"},
      {"true_positives", "TruePositives"},
      {"true_negatives", "TrueNegatives"},
      {"false_positives", "FalsePositives"},
      {"false_negatives", "FalseNegatives"},
      {"precision", "Precision"},
      {"recall", "Recall"},
      {"auc", "AUC"},
      {"binary_io_u", "BinaryIoU"},
  };
  for (const auto& names : spellings) {
    std::vector<double> found;
    for (const char* name : names) {
      const nn::Metric metric = name;
      EXPECT_EQ(metric.name(), name);
      metric.update_state(t, p);
      found.push_back(metric.read());
      EXPECT_EQ(found.back(), found.front()) << name;
    }
  }
  for (const char* name : {"f1_score", "F1Score", "f_beta_score", "FBetaScore"}) {
    const nn::Metric metric = name;
    metric.update_state(t, p);
    EXPECT_EQ(metric.result().shape(), Shape({2})) << name;
  }
  for (const char* name :
       {"sparse_categorical_accuracy", "SparseCategoricalAccuracy", "sparse_top_k_categorical_accuracy",
        "SparseTopKCategoricalAccuracy", "sparse_categorical_crossentropy", "SparseCategoricalCrossentropy"}) {
    const nn::Metric metric = name;
    metric.update_state(int_tensor({1, 0, 0}, {3}), p);
    EXPECT_GT(metric.read(), 0) << name;
  }
}

TEST(Metrics, UnknownNamesAreRefusedWithASuggestion) {
  EXPECT_SAYS(golden::invalid([] { nn::Metric("precison"); }), "did you mean 'precision'?");
  EXPECT_SAYS(golden::invalid([] { nn::Metric("f1score"); }), "did you mean 'f1_score'?");
}

TEST(Metrics, NamesOfTheirOwnAreCountedAsInKeras) {
  nn::reset_unique_names();
  EXPECT_EQ(nn::AUC().name(), "auc");
  EXPECT_EQ(nn::AUC().name(), "auc_1");
  EXPECT_EQ(nn::Precision({.name = "p"}).name(), "p");
  EXPECT_EQ(nn::MeanIoU({.num_classes = 2}).name(), "mean_io_u");
  EXPECT_EQ(nn::SensitivityAtSpecificity({.specificity = 0.5}).name(), "sensitivity_at_specificity");
  EXPECT_EQ(nn::F1Score().name(), "f1_score");
  EXPECT_EQ(nn::F1Score().name(), "f1_score");
  EXPECT_EQ(nn::FBetaScore().name(), "fbeta_score");
  EXPECT_EQ(nn::LogCoshError().name(), "logcosh");
  EXPECT_EQ(nn::metrics::MeanSquaredError().name(), "mean_squared_error");
  EXPECT_EQ(nn::AUC({.name = "area"}).variables()[0].name(), "area/true_positives");
}

TEST(Metrics, SumAddsUp) {
  const nn::Sum total;
  total.update_state(Tensor({{1, 2}, {3, 4}}));
  EXPECT_EQ(total.read(), 10);
  total.update_state(Tensor({{1, 2}, {3, 4}}), Tensor({2, 0}));
  EXPECT_EQ(total.read(), 16);
  total.update_state(Tensor(4), Tensor(0.5));
  EXPECT_EQ(total.read(), 18);
  total.reset_state();
  EXPECT_EQ(total.result().item<float>(), 0);
}

// State and answers are float32, whatever the predictions are.
TEST(Metrics, OfOtherDtypes) {
  const Tensor t({{0, 1}, {1, 0}, {1, 1}}), p({{0.25, 0.75}, {0.75, 0.5}, {0.625, 0.375}});
  const nn::Metric metrics[] = {"mse",
                                "binary_accuracy",
                                "auc",
                                "precision",
                                "r2_score",
                                "root_mean_squared_error",
                                "binary_io_u",
                                nn::Recall({.thresholds = {0.0, 0.5, 1.0}}),
                                nn::F1Score({.average = nn::ClassAverage::macro})};
  for (const nn::Metric& metric : metrics) {
    metric.update_state(t, p);
    const std::vector<float> expected = metric.result().to_vector<float>();
    for (DType dtype : {f64, f16, bf16})
      for (DType labels : {i64, boolean, dtype}) {
        metric.reset_state();
        metric.update_state(cast(t, labels), cast(p, dtype));
        const std::vector<float> found = metric.result().to_vector<float>();
        for (size_t i = 0; i < expected.size(); ++i)
          EXPECT_NEAR(found[i], expected[i], dtype == f64 ? 1e-6 : 2e-3) << metric.name() << " of " << dtype;
      }
  }
}

class Largest : public nn::MetricRule {
 public:
  Largest() : MetricRule("largest"), seen_(add_variable("seen", {2})) {}
  void update(const Tensor&, const Tensor& y_pred, const Tensor&, const Tensor&) override {
    seen_.assign(maximum(seen_.value(), max(y_pred, 0)));
  }
  Tensor result() const override { return seen_; }

 private:
  Variable seen_;
};

TEST(Metrics, OfARuleOfOnesOwn) {
  const nn::Metric metric(std::make_shared<Largest>());
  auto step = function([&](const Tensor& p) { metric.update_state(p, p); });
  step(Tensor({{1, 5}, {2, 3}}));
  step(Tensor({{4, 0}}));
  EXPECT_EQ(metric.result().to_vector<float>(), (std::vector<float>{4, 5}));
  EXPECT_SAYS(golden::invalid([&] { metric.read(); }), "[largest] the result has shape (2,)");
  metric.reset_state();
  EXPECT_EQ(metric.result().to_vector<float>(), (std::vector<float>{0, 0}));
}

// As many buckets as thresholds, whatever the number of samples: no tensor of (thresholds, samples).
TEST(Metrics, AucOfManySamples) {
  const Tensor p = random::uniform({50'000}, {.seed = 3});
  const Tensor t = cast(random::uniform({50'000}, {.seed = 4}) < p, f32);  // P(t = 1 | p) = p
  const nn::AUC auc;
  auc.update_state(t, p);
  EXPECT_NEAR(auc.read(), 5 / 6.0, 0.01);
}

// A prediction that is no number is above no threshold; infinities are beyond all of them.
TEST(Metrics, OfPredictionsThatAreNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Tensor odd = Tensor::from(std::vector<float>{nan, inf, -inf, 2}, {4, 1}), t({{1}, {1}, {1}, {0}});
  auto result = [&](const nn::Metric& metric) {
    metric.update_state(t, odd);
    return metric.result().to_vector<float>();
  };
  EXPECT_EQ(result(nn::TruePositives()), (std::vector<float>{1}));
  EXPECT_EQ(result(nn::TruePositives({.thresholds = {0, 0.5, 1}})), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(result(nn::FalsePositives({.thresholds = {0, 0.5, 1}})), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(result(nn::F1Score({.threshold = 0.5})).size(), 1u);
  EXPECT_GE(result(nn::AUC())[0], 0);
  EXPECT_GE(result(nn::RecallAtPrecision({.precision = 0.5}))[0], 0);
  EXPECT_GE(result(nn::Recall({.top_k = 1}))[0], 0);
  EXPECT_GE(result(nn::MeanIoU({.num_classes = 2}))[0], 0);
}

TEST(Metrics, OfAnEmptyBatch) {
  const Tensor none = zeros({0, 2});
  const nn::Metric metrics[] = {"auc", "precision", "true_positives", "mse", "binary_io_u"};
  for (const nn::Metric& metric : metrics) {
    metric.update_state(none, none);
    EXPECT_EQ(metric.read(), 0) << metric.name();
  }
}

TEST(Metrics, ResultsThatNeedABatchSaySo) {
  const nn::Metric metrics[] = {nn::F1Score(), nn::R2Score(), nn::AUC({.multi_label = true})};
  for (const nn::Metric& metric : metrics) {
    metric.reset_state();
    EXPECT_SAYS(golden::invalid([&] { metric.read(); }), "there is no result before the first batch");
    metric.update_state(ones({2, 3}), ones({2, 3}));
    EXPECT_SAYS(golden::invalid([&] {
                  metric.update_state(ones({2, 4}), ones({2, 4}));
                }),
                "use another metric for these");
  }
}

TEST(Metrics, EachSaysWhatIsWrongWithItsShapes) {
  const Tensor t = zeros({2, 3}), p = zeros({2, 2});
  const nn::Metric metrics[] = {"auc",
                                "precision",
                                "recall",
                                "true_positives",
                                "f1_score",
                                "r2_score",
                                "root_mean_squared_error",
                                "mse",
                                nn::RecallAtPrecision({.precision = 0.5})};
  for (const nn::Metric& metric : metrics) {
    EXPECT_SAYS(golden::invalid([&] { metric.update_state(t, p); }),
                "the targets have shape (2, 3), but the predictions (2, 2)");
    EXPECT_SAYS(golden::invalid([&] { metric.update_state(t, Tensor()); }), "y_pred is none");
    EXPECT_SAYS(golden::invalid([&] { metric.update_state(p, p, zeros({3})); }), "sample_weight has shape (3");
  }
  EXPECT_SAYS(golden::invalid([&] { nn::Metric("r2_score").update_state(zeros({3}), zeros({3})); }),
              "(batch, outputs)");
  EXPECT_SAYS(golden::invalid([&] { nn::Metric("f1_score").update_state(zeros({3}), zeros({3})); }),
              "(batch, classes)");
  EXPECT_SAYS(golden::invalid([&] { nn::MeanIoU({.num_classes = 2}).update_state(t, p); }),
              "a true class for each predicted one");
  EXPECT_SAYS(golden::invalid([&] { nn::MeanIoU({.num_classes = 2}).update_state(p, p, zeros({3})); }),
              "there are 4 labels");
  EXPECT_SAYS(golden::invalid([&] { nn::Metric("mse").update_state(p, p, {}, zeros({5})); }), "sample_weight");
  EXPECT_SAYS(golden::invalid([&] { nn::Metric("mse").update_state(p, p, zeros({2}), zeros({5})); }),
              "the mask (5,)");
  EXPECT_SAYS(golden::invalid([&] { nn::Mean().update_state(Tensor()); }), "[mean] the values are none");
  EXPECT_SAYS(golden::invalid([&] { nn::Sum().update_state(Tensor()); }), "[sum] the values are none");
  EXPECT_SAYS(golden::invalid([&] { nn::Sum().update_state(p, zeros({3})); }), "[sum] sample_weight has shape (3,)");
  EXPECT_SAYS(golden::invalid([&] {
                nn::top_k_categorical_accuracy(zeros({3, 2}), p);
              }),
              "class numbers of shape (3,)");
  EXPECT_SAYS(golden::invalid([&] { nn::sparse_top_k_categorical_accuracy(zeros({3}), p, 1, true); }), "(3,)");
  EXPECT_SAYS(golden::invalid([&] { nn::pearson_correlation(p, p, 2); }), "[pearson_correlation] axis 2");
  EXPECT_SAYS(golden::invalid([&] { nn::concordance_correlation(p, p, 2); }), "[concordance_correlation] axis 2");
}

TEST(Metrics, OfNothing) {
  EXPECT_SAYS(golden::invalid([] { nn::Metric(std::shared_ptr<nn::MetricRule>()); }), "[metric] the rule is none");
  EXPECT_SAYS(golden::invalid([] { nn::Metric("own", nn::Metric::Function()); }), "[own] the function is none");
  const nn::Metric empty("own", [](const Tensor&, const Tensor&) { return Tensor(); });
  EXPECT_THROW(empty.update_state(zeros({2}), zeros({2})), InvalidArgument);
}

TEST(Metrics, SayWhichOptionIsWrong) {
  const Tensor p = zeros({2, 3}), vector = zeros({4});
  auto message = [](auto make) { return golden::invalid([&] { make(); }); };
  EXPECT_SAYS(message([] { nn::TopKCategoricalAccuracy({.k = 0}); }), "k is 0");
  EXPECT_SAYS(message([] { nn::SparseTopKCategoricalAccuracy({.k = -1}); }), "k is -1");
  EXPECT_SAYS(message([] { nn::sparse_top_k_categorical_accuracy(zeros({2}), zeros({2, 2}), 0, true); }), "k is 0");
  EXPECT_SAYS(message([] { nn::TruePositives({.thresholds = {0.5, 1.5}}); }), "a threshold is 1.5");
  EXPECT_SAYS(message([] { nn::Precision({.thresholds = {-0.5}}); }), "a threshold is -0.5");
  EXPECT_SAYS(message([] { nn::AUC({.thresholds = {std::nan("")}}); }), "they must lie in [0, 1]");
  EXPECT_SAYS(message([] { nn::AUC({.num_thresholds = 1}); }), "num_thresholds is 1");
  EXPECT_SAYS(message([] { nn::AUC({.num_labels = 3}); }), "multi_label is not set");
  EXPECT_SAYS(message([] { nn::AUC({.multi_label = true, .num_labels = 0}); }), "num_labels is 0");
  EXPECT_SAYS(message([&] { nn::AUC({.multi_label = true}).update_state(vector, vector); }), "(batch, labels)");
  EXPECT_SAYS(message([&] { nn::AUC({.multi_label = true, .label_weights = {1}}).update_state(p, p); }),
              "there are 1 label_weights");
  EXPECT_SAYS(message([&] { nn::AUC({.label_weights = {1, 2}}).update_state(p, p); }), "there are 2 label_weights");
  EXPECT_SAYS(message([&] { nn::Precision({.top_k = 4}).update_state(p, p); }), "top_k is 4");
  EXPECT_SAYS(message([&] { nn::Precision({.top_k = 0}).update_state(p, p); }), "top_k is 0");
  EXPECT_SAYS(message([&] { nn::Recall({.class_id = 3}).update_state(p, p); }), "class_id is 3");
  EXPECT_SAYS(message([&] { nn::Recall({.class_id = 0}).update_state(vector, vector); }), "class_id is 0");
  EXPECT_SAYS(message([] { nn::SensitivityAtSpecificity({.specificity = 1.5}); }), "specificity is 1.5");
  EXPECT_SAYS(message([] { nn::SpecificityAtSensitivity({.sensitivity = -1}); }), "sensitivity is -1");
  EXPECT_SAYS(message([] { nn::PrecisionAtRecall({.recall = 2}); }), "recall is 2");
  EXPECT_SAYS(message([] { nn::RecallAtPrecision({.precision = 0.5, .num_thresholds = 0}); }), "num_thresholds is 0");
  EXPECT_SAYS(message([] { nn::FBetaScore({.beta = 0}); }), "beta is 0");
  EXPECT_SAYS(message([] { nn::F1Score({.threshold = 1.5}); }), "the threshold is 1.5");
  EXPECT_SAYS(message([] { nn::R2Score({.num_regressors = -1}); }), "num_regressors is -1");
  EXPECT_SAYS(message([] { nn::MeanIoU({.num_classes = 0}); }), "num_classes is 0");
  EXPECT_SAYS(message([] { nn::IoU({.num_classes = 2}); }), "there are no target_class_ids");
  EXPECT_SAYS(message([] {
                nn::IoU({.num_classes = 2, .target_class_ids = {0, 2}});
              }),
              "target class 2 is out of range");
  EXPECT_SAYS(message([] { nn::IoU({.num_classes = 2, .target_class_ids = {-1}}); }),
              "target class -1 is out of range");
  EXPECT_SAYS(message([] { nn::MeanIoU({.num_classes = 2, .dtype = bf16}); }), "cannot count in bfloat16");
  EXPECT_SAYS(message([&] { nn::OneHotMeanIoU({.num_classes = 2, .axis = 4}).update_state(p, p); }), "axis 4");
}

}  // namespace
}  // namespace brio
