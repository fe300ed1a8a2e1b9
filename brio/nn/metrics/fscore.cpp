#include "brio/nn/metrics/fscore.h"

#include "brio/nn/metrics/metric_rules.h"
#include "brio/ops/check.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

class FScoreRule : public MetricRule {
 public:
  FScoreRule(std::string name, const FBetaScoreOptions& o) : MetricRule(std::move(name)), o_(o) {
    if (!(o_.beta > 0)) throw_invalid(this->name(), cat("beta is ", o_.beta, "; it must be above 0"));
    if (o_.threshold && !(*o_.threshold > 0 && *o_.threshold <= 1))
      throw_invalid(this->name(), cat("the threshold is ", *o_.threshold, "; it must lie above 0 and up to 1"));
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    const auto [t, scores] = compared_as_f32(name(), y_true, y_pred);
    build(scores.shape());
    const Tensor weight = weights_like(
        name(), sample_weight.defined() ? expand_dims(sample_weight, -1) : sample_weight, scores.shape());
    const Tensor p = cast(said(scores), f32), one = constant(1, f32);
    auto total = [&](const Tensor& x) {
      const Tensor weighted = weight.defined() ? x * weight : x;
      return o_.average == ClassAverage::micro ? sum(weighted) : sum(weighted, 0);
    };
    true_positives_.assign_add(total(p * t));
    false_positives_.assign_add(total(p * (one - t)));
    false_negatives_.assign_add(total((one - p) * t));
    weights_.assign_add(total(t));
  }

  Tensor result() const override {
    if (!weights_.impl()) throw_invalid(name(), "there is no result before the first batch; call update_state first");
    const Tensor epsilon = constant(kEpsilon, f32), tp = true_positives_, occurring = weights_;
    const Tensor precision = tp / (tp + false_positives_.value() + epsilon);
    const Tensor recall = tp / (tp + false_negatives_.value() + epsilon);
    const double square = o_.beta * o_.beta;
    const Tensor mean_of_both = precision * recall / (precision * constant(square, f32) + recall + epsilon);
    Tensor scores = mean_of_both * constant(1 + square, f32);
    if (o_.average == ClassAverage::none) return scores;
    if (o_.average == ClassAverage::weighted) return sum(scores * (occurring / (sum(occurring) + epsilon)));
    return mean(scores);
  }

 private:
  Tensor said(const Tensor& scores) const {
    if (o_.threshold) return greater(scores, constant(*o_.threshold, f32));
    // A row of zeros says nothing.
    return logical_and(greater_equal(scores, max(scores, -1, true)), greater(abs(scores), constant(1e-9, f32)));
  }

  void build(const Shape& shape) {
    if (shape.rank() != 2 || shape[1] == 0)
      throw_invalid(name(), cat("takes y_true and y_pred of shape (batch, classes), but got ", shape));
    const Shape state = o_.average == ClassAverage::micro ? Shape() : Shape{shape[1]};
    if (!weights_.impl()) {
      true_positives_ = add_variable("true_positives", state);
      false_positives_ = add_variable("false_positives", state);
      false_negatives_ = add_variable("false_negatives", state);
      weights_ = add_variable("intermediate_weights", state);
    }
    if (weights_.shape() != state)
      throw_invalid(name(), cat("began with ", weights_.shape()[0], " classes, but got shape ", shape,
                                "; use another metric for these"));
  }

  FBetaScoreOptions o_;
  Variable true_positives_, false_positives_, false_negatives_, weights_;
};

}  // namespace

F1Score::F1Score(F1ScoreOptions o)
    : Metric(std::make_shared<FScoreRule>(or_default(o.name, "f1_score"),
                                          FBetaScoreOptions{.average = o.average, .threshold = o.threshold})) {}
FBetaScore::FBetaScore(FBetaScoreOptions o)
    : Metric(std::make_shared<FScoreRule>(or_default(o.name, "fbeta_score"), o)) {}

}  // namespace brio::nn
