// AUC: counts at many thresholds, and the area under the curve that they draw.
#include "brio/nn/metrics/confusion.h"
#include "brio/nn/metrics/confusion_counts.h"
#include "brio/nn/metrics/metric_rules.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// At each threshold but the last, and at the next one.
Tensor here(const Tensor& x) { return slice(x, {{.end = -1}}); }
Tensor next(const Tensor& x) { return slice(x, {{.begin = 1}}); }

class AUCRule : public MetricRule {
 public:
  AUCRule(std::string name, AUCOptions o) : MetricRule(std::move(name)), o_(std::move(o)) {
    if (o_.thresholds.empty() && o_.num_thresholds < 2)
      throw_invalid(this->name(), cat("num_thresholds is ", o_.num_thresholds, "; it must be 2 or more"));
    thresholds_ = o_.thresholds.empty() ? Thresholds::spread(o_.num_thresholds, true)
                                        : Thresholds::between(this->name(), o_.thresholds);
    if (!o_.multi_label) {
      if (o_.num_labels)
        throw_invalid(this->name(), cat("num_labels is ", *o_.num_labels, ", but multi_label is not set; set it"));
      build(Shape{thresholds_.size()});
    } else if (o_.num_labels) {
      if (*o_.num_labels < 1)
        throw_invalid(this->name(), cat("num_labels is ", *o_.num_labels, "; it must be 1 or more"));
      build(Shape{thresholds_.size(), *o_.num_labels});
    }
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    if (o_.multi_label) build_labels(y_pred.shape());
    ConfusionOptions options{.multi_label = o_.multi_label};
    if (!o_.multi_label) options.label_weights = o_.label_weights;  // else the areas are weighed
    const Tensor scores = o_.from_logits ? sigmoid(y_pred) : y_pred;
    const Confusion found = confusion(name(), y_true, scores, sample_weight, thresholds_, options);
    true_positives_.assign_add(found.true_positives);
    false_positives_.assign_add(found.false_positives);
    true_negatives_.assign_add(found.true_negatives);
    false_negatives_.assign_add(found.false_negatives);
  }

  Tensor result() const override {
    if (!true_positives_.impl())
      throw_invalid(name(), "there is no result before the first batch; call update_state, or give num_labels");
    const bool interpolates = o_.summation_method == SummationMethod::interpolation;
    const Tensor steps = o_.curve == Curve::pr && interpolates ? interpolated_precision() : rectangles();
    if (!o_.multi_label) return sum(steps);
    const Tensor areas = sum(steps, 0);
    if (o_.label_weights.empty()) return mean(areas);
    const std::vector<float> narrow(o_.label_weights.begin(), o_.label_weights.end());
    const Tensor weights = Tensor::from(narrow, areas.shape());
    return divide_no_nan(sum(areas * weights), sum(weights));
  }

 private:
  void build(const Shape& shape) {
    true_positives_ = add_variable("true_positives", shape);
    false_positives_ = add_variable("false_positives", shape);
    true_negatives_ = add_variable("true_negatives", shape);
    false_negatives_ = add_variable("false_negatives", shape);
  }
  void build_labels(const Shape& y_pred) {
    if (y_pred.rank() != 2)
      throw_invalid(name(), cat("y_pred has shape ", y_pred, "; with multi_label it must be (batch, labels)"));
    const int64_t labels = y_pred[1];
    if (!o_.label_weights.empty() && static_cast<int64_t>(o_.label_weights.size()) != labels)
      throw_invalid(name(), cat("there are ", o_.label_weights.size(), " label_weights, but y_pred has shape ",
                                y_pred, "; give one for each label"));
    if (!true_positives_.impl()) build(Shape{thresholds_.size(), labels});
    if (true_positives_.shape()[1] != labels)
      throw_invalid(name(), cat("has ", true_positives_.shape()[1], " labels, but y_pred has shape ", y_pred,
                                "; use another metric for these"));
  }

  // Between two thresholds precision is interpolated by counts, not along a line (Davis and Goadrich, 2006).
  Tensor interpolated_precision() const {
    const Tensor tp = true_positives_, p = tp + false_positives_.value(), zero = constant(0, f32);
    const Tensor gained = here(tp) - next(tp);
    const Tensor slope = divide_no_nan(gained, maximum(here(p) - next(p), zero));
    const Tensor intercept = next(tp) - slope * next(p);
    const Tensor ratio = select(logical_and(greater(here(p), zero), greater(next(p), zero)),
                                divide_no_nan(here(p), maximum(next(p), zero)), constant(1, f32));
    return divide_no_nan(slope * (gained + intercept * log(ratio)), maximum(next(tp) + next(false_negatives_), zero));
  }

  Tensor rectangles() const {
    const Pair curve = points();
    const Tensor &x = curve.a, &y = curve.b;
    const Tensor heights = o_.summation_method == SummationMethod::interpolation
                               ? (here(y) + next(y)) / constant(2, f32)
                           : o_.summation_method == SummationMethod::minoring ? minimum(here(y), next(y))
                                                                              : maximum(here(y), next(y));
    return (here(x) - next(x)) * heights;
  }

  Pair points() const {
    const Tensor tp = true_positives_, fp = false_positives_, tn = true_negatives_, fn = false_negatives_;
    const Tensor recall = divide_no_nan(tp, tp + fn);
    if (o_.curve == Curve::roc) return {divide_no_nan(fp, fp + tn), recall};
    if (o_.curve == Curve::pr) return {recall, divide_no_nan(tp, tp + fp)};
    // Gains lie on a hyperbolic scale where always saying yes is 0. Without true positives they are 0 and 1.
    const Tensor zero = constant(0, f32), one = constant(1, f32);
    const Tensor odds = divide_no_nan(tp + fn, tn + fp), none = equal(tp, zero);
    const Tensor recall_gain = select(none, zero, one - odds * divide_no_nan(fn, tp));
    const Tensor precision_gain = select(none, one, one - odds * divide_no_nan(fp, tp));
    return {maximum(recall_gain, zero), precision_gain};
  }

  AUCOptions o_;
  Thresholds thresholds_;
  Variable true_positives_, false_positives_, true_negatives_, false_negatives_;
};

}  // namespace

AUC::AUC(AUCOptions o) : Metric(std::make_shared<AUCRule>(given_or_counted(o.name, "auc"), o)) {}

}  // namespace brio::nn
