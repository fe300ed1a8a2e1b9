#include "brio/nn/metrics/of_losses.h"

#include "brio/nn/losses/crossentropy.h"
#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/losses/losses.h"

namespace brio::nn::metrics {

MeanSquaredError::MeanSquaredError(MetricOptions o)
    : Metric(or_default(o.name, "mean_squared_error"), mean_squared_error) {}
MeanAbsoluteError::MeanAbsoluteError(MetricOptions o)
    : Metric(or_default(o.name, "mean_absolute_error"), mean_absolute_error) {}
MeanAbsolutePercentageError::MeanAbsolutePercentageError(MetricOptions o)
    : Metric(or_default(o.name, "mean_absolute_percentage_error"), mean_absolute_percentage_error) {}
MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(MetricOptions o)
    : Metric(or_default(o.name, "mean_squared_logarithmic_error"), mean_squared_logarithmic_error) {}
Hinge::Hinge(MetricOptions o) : Metric(or_default(o.name, "hinge"), hinge) {}
SquaredHinge::SquaredHinge(MetricOptions o) : Metric(or_default(o.name, "squared_hinge"), squared_hinge) {}
CategoricalHinge::CategoricalHinge(MetricOptions o)
    : Metric(or_default(o.name, "categorical_hinge"), categorical_hinge) {}
KLDivergence::KLDivergence(MetricOptions o) : Metric(or_default(o.name, "kl_divergence"), kl_divergence) {}
Poisson::Poisson(MetricOptions o) : Metric(or_default(o.name, "poisson"), poisson) {}

CosineSimilarity::CosineSimilarity(CosineSimilarityOptions o)
    : Metric(or_default(o.name, "cosine_similarity"),
             [axis = o.axis](const Tensor& t, const Tensor& p) { return neg(cosine_similarity(t, p, axis)); }) {}
BinaryCrossentropy::BinaryCrossentropy(CrossentropyOptions o)
    : Metric(or_default(o.name, "binary_crossentropy"), [o](const Tensor& t, const Tensor& p) {
        return binary_crossentropy(t, p, o.from_logits, o.label_smoothing, o.axis);
      }) {}
CategoricalCrossentropy::CategoricalCrossentropy(CrossentropyOptions o)
    : Metric(or_default(o.name, "categorical_crossentropy"), [o](const Tensor& t, const Tensor& p) {
        return categorical_crossentropy(t, p, o.from_logits, o.label_smoothing, o.axis);
      }) {}
SparseCategoricalCrossentropy::SparseCategoricalCrossentropy(SparseCrossentropyOptions o)
    : Metric(or_default(o.name, "sparse_categorical_crossentropy"), [o](const Tensor& t, const Tensor& p) {
        return sparse_crossentropies(t, p, o.from_logits, o.ignore_class, o.axis);
      }) {}

}  // namespace brio::nn::metrics
