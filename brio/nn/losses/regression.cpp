#include "brio/nn/losses/regression.h"

#include <numbers>

#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/check.h"
#include "brio/ops/reductions/reduction.h"

namespace brio::nn {
namespace {

// Vectors of length 1; those of length 0 stay.
Tensor directions(const Tensor& x, int axis) {
  return x * minimum(rsqrt(sum(square(x), axis, true)), like(x, 1 / kEpsilon));
}

}  // namespace

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = compared_broadcast("mean_squared_error", y_true, y_pred);
  return mean_last(square(t - p));
}

Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = compared_broadcast("mean_absolute_error", y_true, y_pred);
  return mean_last(abs(t - p));
}

Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = compared_broadcast("mean_absolute_percentage_error", y_true, y_pred);
  const Tensor shares = mean_last(abs((t - p) / maximum(abs(t), like(t, kEpsilon))));
  return shares * like(shares, 100);
}

Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = compared_broadcast("mean_squared_logarithmic_error", y_true, y_pred);
  auto log_of = [](const Tensor& x) { return log(maximum(x, like(x, kEpsilon)) + like(x, 1)); };
  return mean_last(square(log_of(p) - log_of(t)));
}

Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = compared_broadcast("log_cosh", y_true, y_pred);
  const Tensor error = p - t;
  return mean_last(error + softplus(error * like(p, -2)) - like(p, std::numbers::ln2));
}

Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta) {
  const auto [t, p] = compared_broadcast("huber", y_true, y_pred);
  const Tensor error = p - t, size = abs(error), limit = like(p, delta);
  return mean_last(
      select(less_equal(size, limit), square(error) * like(p, 0.5), limit * size - like(p, 0.5) * square(limit)));
}

Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int axis) {
  const auto [t, p] = compared("cosine_similarity", y_true, y_pred);
  const int at = positive_axis("cosine_similarity", axis, p.rank());
  return neg(sum(directions(t, at) * directions(p, at), at));
}

MeanSquaredError::MeanSquaredError(LossOptions o)
    : Loss(or_default(o.name, "mean_squared_error"), mean_squared_error, o.reduction,
           settings_of("MeanSquaredError", o)) {}
MeanAbsoluteError::MeanAbsoluteError(LossOptions o)
    : Loss(or_default(o.name, "mean_absolute_error"), mean_absolute_error, o.reduction,
           settings_of("MeanAbsoluteError", o)) {}
MeanAbsolutePercentageError::MeanAbsolutePercentageError(LossOptions o)
    : Loss(or_default(o.name, "mean_absolute_percentage_error"), mean_absolute_percentage_error, o.reduction,
           settings_of("MeanAbsolutePercentageError", o)) {}
MeanSquaredLogarithmicError::MeanSquaredLogarithmicError(LossOptions o)
    : Loss(or_default(o.name, "mean_squared_logarithmic_error"), mean_squared_logarithmic_error, o.reduction,
           settings_of("MeanSquaredLogarithmicError", o)) {}
LogCosh::LogCosh(LossOptions o)
    : Loss(or_default(o.name, "log_cosh"), log_cosh, o.reduction, settings_of("LogCosh", o)) {}
Huber::Huber(HuberOptions o)
    : Loss(
          or_default(o.name, "huber_loss"),
          [delta = o.delta](const Tensor& t, const Tensor& p) { return huber(t, p, delta); }, o.reduction,
          settings_of("Huber", o)) {}
CosineSimilarity::CosineSimilarity(CosineSimilarityOptions o)
    : Loss(
          or_default(o.name, "cosine_similarity"),
          [axis = o.axis](const Tensor& t, const Tensor& p) { return cosine_similarity(t, p, axis); }, o.reduction,
          settings_of("CosineSimilarity", o)) {}

}  // namespace brio::nn
