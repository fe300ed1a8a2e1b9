// How far numbers are from what they should be: the root of the mean square, R², correlations, log cosh. Those that
// are the mean of a loss of the same name are in of_losses.h.
#pragma once

#include "brio/nn/metrics/metric.h"

namespace brio::nn {

class RootMeanSquaredError : public Metric {
 public:
  explicit RootMeanSquaredError(MetricOptions options = {});
};

class LogCoshError : public Metric {  // called "logcosh"
 public:
  explicit LogCoshError(MetricOptions options = {});
};

enum class ClassAggregation : uint8_t { none, uniform_average, variance_weighted_average };
constexpr auto value_names(ClassAggregation) {
  return std::to_array<ValueName<ClassAggregation>>(
      {{"none", ClassAggregation::none},
       {"uniform_average", ClassAggregation::uniform_average},
       {"variance_weighted_average", ClassAggregation::variance_weighted_average}});
}
struct R2ScoreOptions {
  ClassAggregation class_aggregation = ClassAggregation::uniform_average;  // over the columns of y_pred
  int64_t num_regressors = 0;  // the score is adjusted for so many independent variables, where there is data for it
  std::string name = {};
};
// The share of the variance that the predictions explain; y_true and y_pred are (batch, outputs). NaN before the
// first sample.
class R2Score : public Metric {
 public:
  explicit R2Score(R2ScoreOptions options = {});
};

struct CorrelationOptions {
  int axis = -1;
  std::string name = {};
};
class PearsonCorrelation : public Metric {
 public:
  explicit PearsonCorrelation(CorrelationOptions options = {});
};
class ConcordanceCorrelation : public Metric {
 public:
  explicit ConcordanceCorrelation(CorrelationOptions options = {});
};

Tensor pearson_correlation(const Tensor& y_true, const Tensor& y_pred, int axis = -1);
Tensor concordance_correlation(const Tensor& y_true, const Tensor& y_pred, int axis = -1);

}  // namespace brio::nn
