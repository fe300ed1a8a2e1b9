// Metrics: numbers about a run that add up over batches. Their state is in variables, so a step updates them inside
// its plan, and nothing is read until the program asks for it.
//
//   nn::Metric auc = nn::AUC({.curve = nn::Curve::pr});
//   auc.update_state(y_true, y_pred);
//   double area = auc.read();     // or Tensor r = auc.result()
//   nn::Metric own("error", [](const Tensor& t, const Tensor& p) { return abs(t - p); });
//   own.update_state(y_true, y_pred);  // the mean of the function's values
//
// The metrics themselves, with Keras 3's formulas, defaults and names, are in the headers that metrics.h lists.
// Handles share their state.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "brio/nn/losses/loss.h"
#include "brio/ops/control/variable.h"

namespace brio::nn {

// The state of a metric and its rule; derive a class for a metric that is not a mean. Variables begin at zero.
class MetricRule {
 public:
  explicit MetricRule(std::string name) : name_(std::move(name)) {}
  virtual ~MetricRule() = default;
  MetricRule(const MetricRule&) = delete;
  MetricRule& operator=(const MetricRule&) = delete;

  virtual void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                      const Tensor& mask) = 0;
  virtual Tensor result() const = 0;
  virtual double read() const;  // result(), which is one number, on the host
  void reset();

  const std::string& name() const { return name_; }
  const std::vector<Variable>& variables() const { return variables_; }

 protected:
  Variable add_variable(std::string_view name, const Shape& shape = {}, DType dtype = f32);

 private:
  std::string name_;
  std::vector<Variable> variables_;
};

class Metric {
 public:
  // A value for each sample, from y_true and y_pred; a function that returns a Tensor works, too.
  using Function = Loss::Function;

  Metric(std::string_view name);  // "accuracy" depends on the shapes, as in Keras; throws InvalidArgument
  Metric(const char* name) : Metric(std::string_view(name)) {}
  Metric(const std::string& name) : Metric(std::string_view(name)) {}
  Metric(std::string name, Function function);  // Keras' MeanMetricWrapper
  explicit Metric(std::shared_ptr<MetricRule> rule);

  const std::string& name() const { return rule_->name(); }
  bool made_by_name() const { return by_name_; }  // for example Metric("accuracy")
  // The mask says which values count. As in Keras only means use it, and the mask that ignore_class makes is used
  // only beside weights.
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {},
                    const Tensor& mask = {}) const;
  Tensor result() const { return rule_->result(); }  // of some a vector; 0 or NaN before the first sample
  double read() const { return rule_->read(); }      // the same, where it is one number, on the host
  void reset_state() const { rule_->reset(); }
  std::vector<Variable> variables() const { return rule_->variables(); }

 protected:
  const std::shared_ptr<MetricRule>& rule() const { return rule_; }

 private:
  std::shared_ptr<MetricRule> rule_;
  bool by_name_ = false;
};

struct MetricOptions {
  std::string name = {};
};

// The mean, and the sum, of all given values.
class Mean : public Metric {
 public:
  explicit Mean(MetricOptions options = {});
  void update_state(const Tensor& values, const Tensor& sample_weight = {}) const;
};
class Sum : public Metric {
 public:
  explicit Sum(MetricOptions options = {});
  void update_state(const Tensor& values, const Tensor& sample_weight = {}) const;
};

}  // namespace brio::nn
