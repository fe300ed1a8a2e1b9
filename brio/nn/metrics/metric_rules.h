// Shared by the metrics: the rule of a mean, and checks of arguments. Not for users.
#pragma once

#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/metrics/metric.h"

namespace brio::nn {

// The mean over all samples of a value for each.
class MeanRule : public MetricRule {
 public:
  MeanRule(std::string name, Metric::Function function);
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor& mask) override;
  Tensor result() const override;
  double read() const override;

  void add(const Tensor& values, const Tensor& sample_weight);

 protected:
  Metric::Function function_;
  Variable total_, count_;
};

class SumRule : public MetricRule {
 public:
  explicit SumRule(std::string name);
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor& mask) override;
  Tensor result() const override;

  void add(const Tensor& values, const Tensor& sample_weight);

 private:
  Variable total_;
};

// y_true (a) and y_pred (b) as float32 of one shape.
Pair compared_as_f32(std::string_view metric, const Tensor& y_true, const Tensor& y_pred);

// Weights as float32 in the given shape; undefined stays undefined. Throws InvalidArgument if they do not broadcast.
Tensor weights_like(std::string_view metric, const Tensor& sample_weight, const Shape& shape);

// The name that a user gave, or "auc", "auc_1", … as Keras counts them.
std::string given_or_counted(const std::string& name, std::string_view base);

}  // namespace brio::nn
