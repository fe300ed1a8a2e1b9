// Metrics: numbers about a run that add up over batches. Their state is in variables, so a step updates them inside
// its plan and nothing is read before somebody asks.
//
//   nn::BinaryAccuracy accuracy;
//   accuracy.update_state(y_true, y_pred);
//   double share = accuracy.read();     // or Tensor r = accuracy.result()
//   nn::Metric own("error", [](const Tensor& t, const Tensor& p) { return abs(t - p); });
//
// Every metric here is the mean of some value per sample. Handles share their state.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ops/variable.h"

namespace brio::nn {

class Metric {
 public:
  // A value for each sample, from y_true and y_pred.
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;

  Metric(std::string_view name);  // "accuracy" is told by the shapes, as in Keras; throws InvalidArgument
  Metric(const char* name) : Metric(std::string_view(name)) {}
  Metric(const std::string& name) : Metric(std::string_view(name)) {}
  Metric(std::string name, Function function);

  const std::string& name() const;
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {}) const;
  Tensor result() const;  // total / count, or 0 before the first sample
  double read() const;    // the same, on the host
  void reset_state() const;
  std::vector<Variable> variables() const;

 protected:
  void add_values(const Tensor& values, const Tensor& sample_weight) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

struct MetricOptions {
  std::string name = {};
};

// The mean of whatever it is given.
class Mean : public Metric {
 public:
  explicit Mean(MetricOptions options = {});
  void update_state(const Tensor& values, const Tensor& sample_weight = {}) const {
    add_values(values, sample_weight);
  }
};

// How often y_pred equals y_true.
class Accuracy : public Metric {
 public:
  explicit Accuracy(MetricOptions options = {});
};

struct BinaryAccuracyOptions {
  double threshold = 0.5;  // a prediction above it says 1
  std::string name = {};
};
class BinaryAccuracy : public Metric {
 public:
  explicit BinaryAccuracy(BinaryAccuracyOptions options = {});
};

// How often the largest prediction is that of the label: one-hot, or a class number. Of equal ones the first counts.
class CategoricalAccuracy : public Metric {
 public:
  explicit CategoricalAccuracy(MetricOptions options = {});
};
class SparseCategoricalAccuracy : public Metric {
 public:
  explicit SparseCategoricalAccuracy(MetricOptions options = {});
};

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold = 0.5);
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);

// The number (int32) of the largest element along the last axis; of equal ones, the first.
Tensor argmax_last(const Tensor& x);

}  // namespace brio::nn
