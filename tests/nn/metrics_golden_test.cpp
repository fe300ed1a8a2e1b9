// Every metric of Keras against its values: each option, streamed over three batches, with weights and masks.
#include "brio/nn/metrics/metrics.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

constexpr const char* kMetricFiles[] = {
    "metrics_means_1.json",         "metrics_means_2.json",     "metrics_probabilities_1.json",
    "metrics_probabilities_2.json", "metrics_confusion_1.json", "metrics_confusion_2.json",
    "metrics_limits_1.json",        "metrics_auc_1.json",       "metrics_auc_2.json",
    "metrics_scores_1.json",        "metrics_scores_2.json",    "metrics_overlaps_1.json"};

std::vector<double> list(const golden::Case& c, const std::string& key) {
  return c.inputs.count(key) ? c.input(key).data : std::vector<double>();
}
std::vector<int64_t> numbers(const golden::Case& c, const std::string& key) {
  const std::vector<double> values = list(c, key);
  return {values.begin(), values.end()};
}
std::optional<int64_t> number(const golden::Case& c, const std::string& key) {
  if (!c.has(key)) return {};
  return static_cast<int64_t>(c.number(key));
}
std::string text(const golden::Case& c, const std::string& key, const char* otherwise) {
  return c.has(key) ? c.text(key) : otherwise;
}

nn::ClassAverage average_of(const golden::Case& c) {
  const std::string average = text(c, "average", "none");
  if (average == "micro") return nn::ClassAverage::micro;
  if (average == "macro") return nn::ClassAverage::macro;
  return average == "weighted" ? nn::ClassAverage::weighted : nn::ClassAverage::none;
}
std::optional<double> threshold_of(const golden::Case& c) {
  if (!c.has("threshold")) return {};
  return c.number("threshold");
}

nn::Metric auc_of(const golden::Case& c) {
  const std::string curve = text(c, "curve", "ROC"), method = text(c, "summation_method", "interpolation");
  return nn::AUC({.num_thresholds = number(c, "num_thresholds").value_or(200),
                  .curve = curve == "ROC"  ? nn::Curve::roc
                           : curve == "PR" ? nn::Curve::pr
                                           : nn::Curve::pr_gain,
                  .summation_method = method == "interpolation" ? nn::SummationMethod::interpolation
                                      : method == "minoring"    ? nn::SummationMethod::minoring
                                                                : nn::SummationMethod::majoring,
                  .thresholds = list(c, "thresholds"),
                  .multi_label = c.has("multi_label"),
                  .num_labels = number(c, "num_labels"),
                  .label_weights = list(c, "label_weights"),
                  .from_logits = c.has("from_logits")});
}

nn::Metric r2_of(const golden::Case& c) {
  const std::string aggregation = text(c, "class_aggregation", "uniform_average");
  return nn::R2Score({.class_aggregation = aggregation == "none" ? nn::ClassAggregation::none
                                           : aggregation == "uniform_average"
                                               ? nn::ClassAggregation::uniform_average
                                               : nn::ClassAggregation::variance_weighted_average,
                      .num_regressors = number(c, "num_regressors").value_or(0)});
}

nn::Metric iou_of(const golden::Case& c, const std::string& kind) {
  const DType dtype = c.has("dtype") ? f32 : i32;
  const auto ignored = number(c, "ignore_class");
  const std::vector<int64_t> targets = numbers(c, "target_class_ids");
  if (kind == "BinaryIoU")
    return nn::BinaryIoU({.target_class_ids = targets.empty() ? std::vector<int64_t>{0, 1} : targets,
                          .threshold = c.number("threshold", 0.5),
                          .dtype = dtype});
  const int64_t classes = *number(c, "num_classes");
  if (kind == "OneHotIoU")
    return nn::OneHotIoU({.num_classes = classes,
                          .target_class_ids = targets,
                          .ignore_class = ignored,
                          .sparse_y_pred = c.has("sparse_y_pred")});
  if (kind == "OneHotMeanIoU")
    return nn::OneHotMeanIoU(
        {.num_classes = classes, .ignore_class = ignored, .sparse_y_pred = c.has("sparse_y_pred")});
  const bool sparse_true = c.number("sparse_y_true", 1) != 0, sparse_pred = c.number("sparse_y_pred", 1) != 0;
  if (kind == "IoU")
    return nn::IoU({.num_classes = classes,
                    .target_class_ids = targets,
                    .ignore_class = ignored,
                    .sparse_y_true = sparse_true,
                    .sparse_y_pred = sparse_pred,
                    .dtype = dtype});
  return nn::MeanIoU({.num_classes = classes,
                      .ignore_class = ignored,
                      .sparse_y_true = sparse_true,
                      .sparse_y_pred = sparse_pred,
                      .dtype = dtype});
}

nn::Metric make_golden_metric(const golden::Case& c) {
  const std::string& kind = c.text("metric");
  const int axis = static_cast<int>(c.number("axis", -1));
  const nn::CountOptions counts{.thresholds = list(c, "thresholds")};
  const nn::PrecisionOptions shares{
      .thresholds = list(c, "thresholds"), .top_k = number(c, "top_k"), .class_id = number(c, "class_id")};
  const int64_t many = number(c, "num_thresholds").value_or(200);
  const auto only = number(c, "class_id");
  const nn::metrics::CrossentropyOptions crossentropy{
      .from_logits = c.has("from_logits"), .label_smoothing = c.number("label_smoothing", 0), .axis = axis};
  if (kind.ends_with("IoU")) return iou_of(c, kind);
  if (kind == "AUC") return auc_of(c);
  if (kind == "R2Score") return r2_of(c);
  if (kind == "Accuracy") return nn::Accuracy();
  if (kind == "BinaryAccuracy") return nn::BinaryAccuracy({.threshold = c.number("threshold")});
  if (kind == "TopKCategoricalAccuracy") return nn::TopKCategoricalAccuracy({.k = *number(c, "k")});
  if (kind == "SparseTopKCategoricalAccuracy")
    return nn::SparseTopKCategoricalAccuracy({.k = *number(c, "k"), .from_sorted_ids = c.has("from_sorted_ids")});
  if (kind == "CosineSimilarity") return nn::metrics::CosineSimilarity({.axis = axis});
  if (kind == "PearsonCorrelation") return nn::PearsonCorrelation({.axis = axis});
  if (kind == "ConcordanceCorrelation") return nn::ConcordanceCorrelation({.axis = axis});
  if (kind == "BinaryCrossentropy") return nn::metrics::BinaryCrossentropy(crossentropy);
  if (kind == "CategoricalCrossentropy") return nn::metrics::CategoricalCrossentropy(crossentropy);
  if (kind == "SparseCategoricalCrossentropy")
    return nn::metrics::SparseCategoricalCrossentropy(
        {.from_logits = c.has("from_logits"), .ignore_class = number(c, "ignore_class")});
  if (kind == "TruePositives") return nn::TruePositives(counts);
  if (kind == "TrueNegatives") return nn::TrueNegatives(counts);
  if (kind == "FalsePositives") return nn::FalsePositives(counts);
  if (kind == "FalseNegatives") return nn::FalseNegatives(counts);
  if (kind == "Precision") return nn::Precision(shares);
  if (kind == "Recall") return nn::Recall(shares);
  if (kind == "SensitivityAtSpecificity")
    return nn::SensitivityAtSpecificity(
        {.specificity = c.number("specificity"), .num_thresholds = many, .class_id = only});
  if (kind == "SpecificityAtSensitivity")
    return nn::SpecificityAtSensitivity(
        {.sensitivity = c.number("sensitivity"), .num_thresholds = many, .class_id = only});
  if (kind == "PrecisionAtRecall")
    return nn::PrecisionAtRecall({.recall = c.number("recall"), .num_thresholds = many, .class_id = only});
  if (kind == "RecallAtPrecision")
    return nn::RecallAtPrecision({.precision = c.number("precision"), .num_thresholds = many, .class_id = only});
  if (kind == "F1Score") return nn::F1Score({.average = average_of(c), .threshold = threshold_of(c)});
  if (kind == "FBetaScore")
    return nn::FBetaScore({.average = average_of(c), .beta = c.number("beta"), .threshold = threshold_of(c)});
  return nn::Metric(kind);  // those without options
}

struct Batch {
  Batch(const golden::Case& c, size_t i) {
    const std::string n = std::to_string(i);
    const golden::Array &t = c.input("y_true_" + n), &p = c.input("y_pred_" + n);
    y_true = c.has("integer_true") ? golden::int_tensor(t) : golden::tensor(t);
    y_pred = c.has("integer_pred") ? golden::int_tensor(p) : golden::tensor(p);
    if (c.inputs.count("sample_weight_" + n)) weight = golden::tensor(c.input("sample_weight_" + n));
    if (c.inputs.count("mask_" + n)) mask = cast(golden::int_tensor(c.input("mask_" + n)), boolean);
  }
  Tensor y_true, y_pred, weight, mask;
};

constexpr size_t kBatches = 3;

// The result after batch i.
golden::Array expected(const golden::Case& c, size_t i) {
  const golden::Array& all = c.output("result");
  const auto each = static_cast<ptrdiff_t>(all.data.size() / kBatches), first = static_cast<ptrdiff_t>(i) * each;
  return {{all.shape.begin() + 1, all.shape.end()}, {all.data.begin() + first, all.data.begin() + first + each}};
}

TEST(MetricsGolden, StreamedOverBatches) {
  for (const char* file : kMetricFiles)
    for (const golden::Case& c : golden::load(file)) {
      const nn::Metric metric = make_golden_metric(c);
      for (int round = 0; round < 2; ++round) {  // again after a reset
        for (size_t i = 0; i < kBatches; ++i) {
          const Batch b(c, i);
          metric.update_state(b.y_true, b.y_pred, b.weight, b.mask);
          golden::expect_close(metric.result(), expected(c, i), c.name + " after batch " + std::to_string(i));
          if (expected(c, i).shape.empty())
            EXPECT_FLOAT_EQ(static_cast<float>(metric.read()), metric.result().item<float>()) << c.name;
          else EXPECT_SAYS(golden::invalid([&] { metric.read(); }), "not one number");
        }
        metric.reset_state();
      }
    }
}

// The state that is made at the first batch included.
TEST(MetricsGolden, InAFunction) {
  for (const char* file : kMetricFiles)
    for (const golden::Case& c : golden::load(file)) {
      const nn::Metric metric = make_golden_metric(c);
      const Tensor none;
      auto plain = function([&](const Tensor& t, const Tensor& p) { metric.update_state(t, p); });
      auto weighed =
          function([&](const Tensor& t, const Tensor& p, const Tensor& w) { metric.update_state(t, p, w); });
      auto masked =
          function([&](const Tensor& t, const Tensor& p, const Tensor& m) { metric.update_state(t, p, none, m); });
      auto both = function([&](const Tensor& t, const Tensor& p, const Tensor& w, const Tensor& m) {
        metric.update_state(t, p, w, m);
      });
      for (size_t i = 0; i < kBatches; ++i) {
        const Batch b(c, i);
        if (b.weight.defined() && b.mask.defined()) both(b.y_true, b.y_pred, b.weight, b.mask);
        else if (b.weight.defined()) weighed(b.y_true, b.y_pred, b.weight);
        else if (b.mask.defined()) masked(b.y_true, b.y_pred, b.mask);
        else plain(b.y_true, b.y_pred);
      }
      golden::expect_close(metric.result(), expected(c, kBatches - 1), c.name);
    }
}

}  // namespace
}  // namespace brio
