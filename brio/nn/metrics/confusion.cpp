#include "brio/nn/metrics/confusion.h"

#include "brio/nn/metrics/confusion_counts.h"
#include "brio/nn/metrics/metric_rules.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

using Count = Tensor Confusion::*;

// A vector with a number for each threshold; of one threshold, a number.
Tensor for_each_threshold(const Tensor& x) { return x.size() == 1 ? reshape(x, Shape()) : x; }

class CountRule : public MetricRule {
 public:
  CountRule(std::string name, Count count, const CountOptions& o)
      : MetricRule(std::move(name)),
        count_(count),
        thresholds_(Thresholds::given(this->name(), o.thresholds, 0.5)),
        accumulator_(add_variable("accumulator", {thresholds_.size()})) {}

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    accumulator_.assign_add(confusion(name(), y_true, y_pred, sample_weight, thresholds_).*count_);
  }
  Tensor result() const override { return for_each_threshold(accumulator_); }

 private:
  Count count_;
  Thresholds thresholds_;
  Variable accumulator_;
};

// The share of true positives among themselves and others.
class ShareRule : public MetricRule {
 public:
  ShareRule(std::string name, Count others, std::string_view others_name, const PrecisionOptions& o)
      : MetricRule(std::move(name)),
        others_(others),
        options_{.top_k = o.top_k, .class_id = o.class_id},
        thresholds_(Thresholds::given(this->name(), o.thresholds, o.top_k ? Thresholds::kLowest : 0.5)),
        true_positives_(add_variable("true_positives", {thresholds_.size()})),
        rest_(add_variable(others_name, {thresholds_.size()})) {}

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    const Confusion found = confusion(name(), y_true, y_pred, sample_weight, thresholds_, options_);
    true_positives_.assign_add(found.true_positives);
    rest_.assign_add(found.*others_);
  }
  Tensor result() const override {
    const Tensor positives = true_positives_;
    return for_each_threshold(divide_no_nan(positives, positives + rest_.value()));
  }

 private:
  Count others_;
  ConfusionOptions options_;
  Thresholds thresholds_;
  Variable true_positives_, rest_;
};

Thresholds spread_for(std::string_view metric, int64_t count) {
  if (count < 1) throw_invalid(metric, cat("num_thresholds is ", count, "; it must be 1 or more"));
  return count == 1 ? Thresholds{{0.5}, false} : Thresholds::spread(count, false);
}

// The largest of one share at the thresholds where another is at least `value`.
class BestRule : public MetricRule {
 public:
  // Shares: of `part` in part + rest.
  struct Share {
    Count part, rest;
  };
  BestRule(std::string name, Share wanted, Share limited, double value, std::string_view value_name,
           int64_t num_thresholds, std::optional<int64_t> class_id)
      : MetricRule(std::move(name)),
        wanted_(wanted),
        limited_(limited),
        value_(value),
        options_{.class_id = class_id},
        thresholds_(spread_for(this->name(), num_thresholds)) {
    if (!(value >= 0 && value <= 1))
      throw_invalid(this->name(), cat(value_name, " is ", value, "; it must lie in [0, 1]"));
    for (const auto& [count, variable_name] : kCounts) counts_.push_back(add_variable(variable_name, {size()}));
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    const Confusion found = confusion(name(), y_true, y_pred, sample_weight, thresholds_, options_);
    for (size_t i = 0; i < counts_.size(); ++i) counts_[i].assign_add(found.*kCounts[i].first);
  }
  Tensor result() const override {
    const Tensor zero = constant(0, f32);
    const Tensor allowed = greater_equal(share(limited_), constant(value_, f32));
    return max(select(allowed, share(wanted_), zero));
  }

 private:
  static constexpr std::pair<Count, const char*> kCounts[] = {{&Confusion::true_positives, "true_positives"},
                                                              {&Confusion::false_positives, "false_positives"},
                                                              {&Confusion::true_negatives, "true_negatives"},
                                                              {&Confusion::false_negatives, "false_negatives"}};
  int64_t size() const { return thresholds_.size(); }
  Tensor counted(Count count) const {
    size_t i = 0;
    while (kCounts[i].first != count) ++i;
    return counts_[i];
  }
  Tensor share(const Share& s) const {
    const Tensor part = counted(s.part);
    return divide_no_nan(part, part + counted(s.rest));
  }

  Share wanted_, limited_;
  double value_;
  ConfusionOptions options_;
  Thresholds thresholds_;
  std::vector<Variable> counts_;
};

constexpr BestRule::Share kRecall = {&Confusion::true_positives, &Confusion::false_negatives};
constexpr BestRule::Share kPrecision = {&Confusion::true_positives, &Confusion::false_positives};
constexpr BestRule::Share kSpecificity = {&Confusion::true_negatives, &Confusion::false_positives};

std::shared_ptr<MetricRule> count_rule(std::string_view base, Count count, const CountOptions& o) {
  return std::make_shared<CountRule>(given_or_counted(o.name, base), count, o);
}
template <typename Options>
std::shared_ptr<MetricRule> best_rule(std::string_view base, BestRule::Share wanted, BestRule::Share limited,
                                      double value, std::string_view value_name, const Options& o) {
  return std::make_shared<BestRule>(given_or_counted(o.name, base), wanted, limited, value, value_name,
                                    o.num_thresholds, o.class_id);
}

}  // namespace

TruePositives::TruePositives(CountOptions o) : Metric(count_rule("true_positives", &Confusion::true_positives, o)) {}
TrueNegatives::TrueNegatives(CountOptions o) : Metric(count_rule("true_negatives", &Confusion::true_negatives, o)) {}
FalsePositives::FalsePositives(CountOptions o)
    : Metric(count_rule("false_positives", &Confusion::false_positives, o)) {}
FalseNegatives::FalseNegatives(CountOptions o)
    : Metric(count_rule("false_negatives", &Confusion::false_negatives, o)) {}

Precision::Precision(PrecisionOptions o)
    : Metric(std::make_shared<ShareRule>(given_or_counted(o.name, "precision"), &Confusion::false_positives,
                                         "false_positives", o)) {}
Recall::Recall(PrecisionOptions o)
    : Metric(std::make_shared<ShareRule>(given_or_counted(o.name, "recall"), &Confusion::false_negatives,
                                         "false_negatives", o)) {}

SensitivityAtSpecificity::SensitivityAtSpecificity(SensitivityAtSpecificityOptions o)
    : Metric(best_rule("sensitivity_at_specificity", kRecall, kSpecificity, o.specificity, "specificity", o)) {}
SpecificityAtSensitivity::SpecificityAtSensitivity(SpecificityAtSensitivityOptions o)
    : Metric(best_rule("specificity_at_sensitivity", kSpecificity, kRecall, o.sensitivity, "sensitivity", o)) {}
PrecisionAtRecall::PrecisionAtRecall(PrecisionAtRecallOptions o)
    : Metric(best_rule("precision_at_recall", kPrecision, kRecall, o.recall, "recall", o)) {}
RecallAtPrecision::RecallAtPrecision(RecallAtPrecisionOptions o)
    : Metric(best_rule("recall_at_precision", kRecall, kPrecision, o.precision, "precision", o)) {}

}  // namespace brio::nn
