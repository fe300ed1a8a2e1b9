// The losses for probabilities that are not plain cross-entropies (those are in crossentropy.cpp).
#include "brio/nn/losses/probability.h"

#include "brio/nn/losses/crossentropy.h"
#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/check.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// One factor per class, lying along the last axis as in Keras, or one for all.
Tensor class_factors(const std::vector<double>& alpha, const Tensor& p) {
  if (alpha.size() == 1) return like(p, alpha[0]);
  const int64_t classes = p.rank() == 0 ? Size(0) : p.shape()[p.rank() - 1];
  if (static_cast<int64_t>(alpha.size()) != classes)
    throw_invalid("categorical_focal_crossentropy",
                  cat("alpha has ", alpha.size(), " factors, but the predictions have shape ", p.shape(),
                      "; give one, or one for each class"));
  return cast(Tensor::from(alpha, Shape{classes}), p.dtype());
}

void check_q(double q) {
  if (!(q > 0 && q < 1))
    throw_invalid("categorical_generalized_cross_entropy", cat("q is ", q, "; it must lie between 0 and 1"));
}

}  // namespace

Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, const BinaryFocalOptions& o) {
  constexpr const char* kName = "binary_focal_crossentropy";
  require(kName, y_true, y_pred);
  const Tensor logits =
      o.from_logits ? y_pred : logits_of(kName, y_pred, false, op::sigmoid, FusedActivation::sigmoid);
  const auto [labels, x] =
      compared(kName, y_true, logits.defined() ? logits : y_pred, "give one probability for each prediction");
  const Tensor p = logits.defined() ? sigmoid(x) : x, one = like(p, 1), t = smoothed(labels, o.label_smoothing, 2);
  const Tensor right = t * p + (one - t) * (one - p);
  Tensor values = pow(one - right, like(p, o.gamma)) * binary_crossentropies(t, p, logits.defined() ? x : Tensor());
  if (o.apply_class_balancing) values = values * (t * like(t, o.alpha) + (one - t) * like(t, 1 - o.alpha));
  return mean_over(kName, values, o.axis);
}

Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, const CategoricalFocalOptions& o) {
  constexpr const char* kName = "categorical_focal_crossentropy";
  const auto [labels, x] = compared(kName, y_true, y_pred, "give one probability for each class (one_hot)");
  const int at = positive_axis(kName, o.axis, x.rank());
  const Tensor t = smoothed(labels, o.label_smoothing, labels.shape()[labels.rank() - 1]);
  const Tensor p = o.from_logits ? softmax(x, at) : x;
  const Tensor q = clipped(p / sum(p, at, true));
  const Tensor factors = pow(like(q, 1) - q, like(q, o.gamma)) * class_factors(o.alpha, q);
  return sum(factors * (neg(t) * log(q)), at);
}

Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred, double q) {
  constexpr const char* kName = "categorical_generalized_cross_entropy";
  check_q(q);
  require(kName, y_true, y_pred);
  const int last = positive_axis(kName, -1, y_pred.rank());
  const Tensor labels = class_numbers(kName, y_true, y_pred, last);
  const Tensor p = sum(y_pred * one_hot(cast(labels, i64), y_pred.shape()[last], y_pred.dtype()), -1);
  return (like(p, 1) - pow(p, like(p, q))) / like(p, q);
}

Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred) {
  constexpr const char* kName = "kl_divergence";
  const auto [labels, predicted] = compared(kName, y_true, y_pred);
  auto bounded = [](const Tensor& x) { return minimum(maximum(x, like(x, kEpsilon)), like(x, 1)); };
  const Tensor t = bounded(labels), p = bounded(predicted);
  return sum(t * log(t / p), positive_axis(kName, -1, p.rank()));
}

Tensor poisson(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = compared_broadcast("poisson", y_true, y_pred);
  return mean_last(p - t * log(p + like(p, kEpsilon)));
}

BinaryFocalCrossentropy::BinaryFocalCrossentropy(BinaryFocalOptions o)
    : Loss(
          or_default(o.name, "binary_focal_crossentropy"),
          [o](const Tensor& t, const Tensor& p) { return binary_focal_crossentropy(t, p, o); }, o.reduction,
          settings_of("BinaryFocalCrossentropy", o)) {}
CategoricalFocalCrossentropy::CategoricalFocalCrossentropy(CategoricalFocalOptions o)
    : Loss(
          or_default(o.name, "categorical_focal_crossentropy"),
          [o](const Tensor& t, const Tensor& p) { return categorical_focal_crossentropy(t, p, o); }, o.reduction,
          settings_of("CategoricalFocalCrossentropy", o)) {}
CategoricalGeneralizedCrossEntropy::CategoricalGeneralizedCrossEntropy(GeneralizedCrossentropyOptions o)
    : Loss(
          or_default(o.name, "categorical_generalized_cross_entropy"),
          [q = o.q](const Tensor& t, const Tensor& p) { return categorical_generalized_cross_entropy(t, p, q); },
          o.reduction, settings_of("CategoricalGeneralizedCrossEntropy", o)) {
  check_q(o.q);
}
KLDivergence::KLDivergence(LossOptions o)
    : Loss(or_default(o.name, "kl_divergence"), kl_divergence, o.reduction, settings_of("KLDivergence", o)) {}
Poisson::Poisson(LossOptions o)
    : Loss(or_default(o.name, "poisson"), poisson, o.reduction, settings_of("Poisson", o)) {}

}  // namespace brio::nn
