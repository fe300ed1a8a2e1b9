#include "brio/nn/metrics/regression.h"

#include <cmath>

#include "brio/nn/losses/regression.h"
#include "brio/nn/metrics/metric_rules.h"
#include "brio/ops/check.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

class RootMeanSquaredRule : public MeanRule {
 public:
  explicit RootMeanSquaredRule(std::string name) : MeanRule(std::move(name), {}) {}
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    const auto [t, p] = compared_as_f32(name(), y_true, y_pred);
    add(square(p - t), sample_weight);
  }
  Tensor result() const override { return sqrt(MeanRule::result()); }
  double read() const override { return std::sqrt(MeanRule::read()); }
};

class R2Rule : public MetricRule {
 public:
  R2Rule(std::string name, const R2ScoreOptions& o)
      : MetricRule(std::move(name)),
        aggregation_(o.class_aggregation),
        regressors_(o.num_regressors),
        samples_(add_variable("num_samples")) {
    if (regressors_ < 0)
      throw_invalid(this->name(), cat("num_regressors is ", regressors_, "; it must be 0 or more"));
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    const auto [t, p] = compared_as_f32(name(), y_true, y_pred);
    build(p.shape());
    const bool rows = sample_weight.defined() && sample_weight.rank() == 1;
    const Tensor given = weights_like(name(), rows ? expand_dims(sample_weight, 1) : sample_weight, t.shape());
    const Tensor w = given.defined() ? given : constant(1, f32), weighted = t * w;
    sum_.assign_add(sum(weighted, 0));
    squares_.assign_add(sum(t * weighted, 0));
    residual_.assign_add(sum(square(t - p) * w, 0));
    count_.assign_add(given.defined() ? sum(given, 0) : full({t.shape()[1]}, static_cast<float>(t.shape()[0])));
    samples_.assign_add(constant(t.size(), f32));
  }

  Tensor result() const override {
    if (!sum_.impl()) throw_invalid(name(), "there is no result before the first batch; call update_state first");
    const Tensor zero = constant(0, f32), one = constant(1, f32);
    const Tensor total = squares_.value() - sum_.value() * (sum_.value() / count_.value());
    const Tensor raw = one - residual_.value() / total;
    Tensor score = select(is_inf(raw), zero, raw);
    if (aggregation_ == ClassAggregation::uniform_average) score = mean(score);
    if (aggregation_ == ClassAggregation::variance_weighted_average) score = sum(total * score) / sum(total);
    if (regressors_ == 0) return score;
    const Tensor n = samples_.value(), left = n - constant(regressors_, f32) - one;
    const Tensor enough = greater(left, zero);
    return select(enough, one - (one - score) * (n - one) / select(enough, left, one), score);
  }

 private:
  void build(const Shape& shape) {
    if (shape.rank() != 2)
      throw_invalid(name(), cat("takes y_true and y_pred of shape (batch, outputs), but got ", shape));
    const Shape columns{shape[1]};
    if (!sum_.impl()) {
      sum_ = add_variable("sum", columns);
      squares_ = add_variable("squared_sum", columns);
      residual_ = add_variable("residual", columns);
      count_ = add_variable("count", columns);
    }
    if (sum_.shape() != columns)
      throw_invalid(name(), cat("began with ", sum_.shape()[0], " outputs, but got shape ", shape,
                                "; use another metric for these"));
  }

  ClassAggregation aggregation_;
  int64_t regressors_;
  Variable samples_, sum_, squares_, residual_, count_;
};

}  // namespace

Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred, int axis) {
  const auto [t, p] = compared("pearson_correlation", y_true, y_pred);
  const int at = positive_axis("pearson_correlation", axis, p.rank());
  auto standard = [at](const Tensor& x) {
    const Tensor centred = x - mean(x, at, true);
    return centred / standard_deviation(centred, at, true);
  };
  return mean(standard(t) * standard(p), at);
}

// The covariance is taken around the mean of the predictions alone, as in Keras: the sum is the same.
Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred, int axis) {
  const auto [t, p] = compared("concordance_correlation", y_true, y_pred);
  const int at = positive_axis("concordance_correlation", axis, p.rank());
  const Tensor t_mean = mean(t, at, true), p_mean = mean(p, at, true);
  const Tensor spread =
      variance(t - t_mean, at, true) + variance(p - p_mean, at, true) + square(t_mean - p_mean) + like(p, kEpsilon);
  return mean(like(p, 2) * (t - p_mean) * (p - p_mean) / spread, at);
}

RootMeanSquaredError::RootMeanSquaredError(MetricOptions o)
    : Metric(std::make_shared<RootMeanSquaredRule>(or_default(o.name, "root_mean_squared_error"))) {}
LogCoshError::LogCoshError(MetricOptions o) : Metric(or_default(o.name, "logcosh"), log_cosh) {}
R2Score::R2Score(R2ScoreOptions o) : Metric(std::make_shared<R2Rule>(or_default(o.name, "r2_score"), o)) {}
PearsonCorrelation::PearsonCorrelation(CorrelationOptions o)
    : Metric(or_default(o.name, "pearson_correlation"),
             [axis = o.axis](const Tensor& t, const Tensor& p) { return pearson_correlation(t, p, axis); }) {}
ConcordanceCorrelation::ConcordanceCorrelation(CorrelationOptions o)
    : Metric(or_default(o.name, "concordance_correlation"),
             [axis = o.axis](const Tensor& t, const Tensor& p) { return concordance_correlation(t, p, axis); }) {}

}  // namespace brio::nn
