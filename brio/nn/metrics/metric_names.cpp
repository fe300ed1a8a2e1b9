// The metrics by name, as Keras spells them: those that need nothing but options.
#include "brio/nn/metrics/metrics.h"
#include "brio/nn/names.h"

namespace brio::nn {
namespace {

Metric told_by_shapes(const std::string& name) { return Metric(name, accuracy_by_shapes); }

template <typename Kind>
Metric made(const std::string& name) {
  return Kind({.name = name});
}

struct MetricRow {
  std::string_view name;
  Metric (*make)(const std::string&);
};
constexpr MetricRow kMetrics[] = {
    {"accuracy", told_by_shapes},
    {"acc", told_by_shapes},
    {"Accuracy", told_by_shapes},
    {"binary_accuracy", made<BinaryAccuracy>},
    {"BinaryAccuracy", made<BinaryAccuracy>},
    {"categorical_accuracy", made<CategoricalAccuracy>},
    {"CategoricalAccuracy", made<CategoricalAccuracy>},
    {"sparse_categorical_accuracy", made<SparseCategoricalAccuracy>},
    {"SparseCategoricalAccuracy", made<SparseCategoricalAccuracy>},
    {"top_k_categorical_accuracy", made<TopKCategoricalAccuracy>},
    {"TopKCategoricalAccuracy", made<TopKCategoricalAccuracy>},
    {"sparse_top_k_categorical_accuracy", made<SparseTopKCategoricalAccuracy>},
    {"SparseTopKCategoricalAccuracy", made<SparseTopKCategoricalAccuracy>},
    {"mean", made<Mean>},
    {"Mean", made<Mean>},
    {"sum", made<Sum>},
    {"Sum", made<Sum>},
    {"true_positives", made<TruePositives>},
    {"TruePositives", made<TruePositives>},
    {"true_negatives", made<TrueNegatives>},
    {"TrueNegatives", made<TrueNegatives>},
    {"false_positives", made<FalsePositives>},
    {"FalsePositives", made<FalsePositives>},
    {"false_negatives", made<FalseNegatives>},
    {"FalseNegatives", made<FalseNegatives>},
    {"precision", made<Precision>},
    {"Precision", made<Precision>},
    {"recall", made<Recall>},
    {"Recall", made<Recall>},
    {"auc", made<AUC>},
    {"AUC", made<AUC>},
    {"f1_score", made<F1Score>},
    {"F1Score", made<F1Score>},
    {"f_beta_score", made<FBetaScore>},
    {"FBetaScore", made<FBetaScore>},
    {"binary_io_u", made<BinaryIoU>},
    {"BinaryIoU", made<BinaryIoU>},
    {"r2_score", made<R2Score>},
    {"R2Score", made<R2Score>},
    {"pearson_correlation", made<PearsonCorrelation>},
    {"PearsonCorrelation", made<PearsonCorrelation>},
    {"concordance_correlation", made<ConcordanceCorrelation>},
    {"ConcordanceCorrelation", made<ConcordanceCorrelation>},
    {"root_mean_squared_error", made<RootMeanSquaredError>},
    {"RootMeanSquaredError", made<RootMeanSquaredError>},
    {"log_cosh_error", made<LogCoshError>},
    {"LogCoshError", made<LogCoshError>},
    {"mean_squared_error", made<metrics::MeanSquaredError>},
    {"MeanSquaredError", made<metrics::MeanSquaredError>},
    {"mse", made<metrics::MeanSquaredError>},
    {"MSE", made<metrics::MeanSquaredError>},
    {"mean_absolute_error", made<metrics::MeanAbsoluteError>},
    {"MeanAbsoluteError", made<metrics::MeanAbsoluteError>},
    {"mae", made<metrics::MeanAbsoluteError>},
    {"MAE", made<metrics::MeanAbsoluteError>},
    {"mean_absolute_percentage_error", made<metrics::MeanAbsolutePercentageError>},
    {"MeanAbsolutePercentageError", made<metrics::MeanAbsolutePercentageError>},
    {"mape", made<metrics::MeanAbsolutePercentageError>},
    {"MAPE", made<metrics::MeanAbsolutePercentageError>},
    {"mean_squared_logarithmic_error", made<metrics::MeanSquaredLogarithmicError>},
    {"MeanSquaredLogarithmicError", made<metrics::MeanSquaredLogarithmicError>},
    {"msle", made<metrics::MeanSquaredLogarithmicError>},
    {"MSLE", made<metrics::MeanSquaredLogarithmicError>},
    {"cosine_similarity", made<metrics::CosineSimilarity>},
    {"CosineSimilarity", made<metrics::CosineSimilarity>},
    {"hinge", made<metrics::Hinge>},
    {"Hinge", made<metrics::Hinge>},
    {"squared_hinge", made<metrics::SquaredHinge>},
    {"SquaredHinge", made<metrics::SquaredHinge>},
    {"categorical_hinge", made<metrics::CategoricalHinge>},
    {"CategoricalHinge", made<metrics::CategoricalHinge>},
    {"kl_divergence", made<metrics::KLDivergence>},
    {"KLDivergence", made<metrics::KLDivergence>},
    {"poisson", made<metrics::Poisson>},
    {"Poisson", made<metrics::Poisson>},
    {"binary_crossentropy", made<metrics::BinaryCrossentropy>},
    {"BinaryCrossentropy", made<metrics::BinaryCrossentropy>},
    {"bce", made<metrics::BinaryCrossentropy>},
    {"BCE", made<metrics::BinaryCrossentropy>},
    {"categorical_crossentropy", made<metrics::CategoricalCrossentropy>},
    {"CategoricalCrossentropy", made<metrics::CategoricalCrossentropy>},
    {"sparse_categorical_crossentropy", made<metrics::SparseCategoricalCrossentropy>},
    {"SparseCategoricalCrossentropy", made<metrics::SparseCategoricalCrossentropy>},
};

}  // namespace

Metric::Metric(std::string_view name) : Metric(row_named("metric", name, kMetrics).make(std::string(name))) {
  by_name_ = true;
}

}  // namespace brio::nn
