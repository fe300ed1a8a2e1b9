#include "brio/nn/metrics/metric.h"

#include <cstring>

#include "brio/base/error.h"
#include "brio/nn/metrics/metric_rules.h"
#include "brio/nn/module.h"
#include "brio/nn/names.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// Values and weights, one per sample.
struct Samplewise {
  Tensor values, weights;
};
// `fold` takes away the axes from one on.
Samplewise samplewise(const std::string& name, const Tensor& all_values, const Tensor& sample_weight,
                      Tensor (*fold)(const Tensor&, int)) {
  Tensor values = cast(all_values, f32), weights;
  if (sample_weight.defined()) {
    auto [v, w] = to_same_rank(values, cast(sample_weight, f32));
    v = fold(v, w.rank());
    Shape both;
    if (!broadcast(v.shape(), w.shape(), both) || both != v.shape())
      throw InvalidArgument(cat("[", name, "] sample_weight has shape ", sample_weight.shape(),
                                ", but there are values of shape ", all_values.shape(),
                                "; give one weight for each"));
    if (!(w.shape() == v.shape())) w = broadcast_to(w, v.shape());
    values = v * w;
    weights = fold(w, 1);
  }
  return {fold(values, 1), weights};
}

Tensor sum_from(const Tensor& x, int first) { return first >= x.rank() ? x : sum(x, axes_from(first, x.rank())); }

void require_values(const std::string& name, const Tensor& values) {
  if (!values.defined()) throw InvalidArgument(cat("[", name, "] the values are none; give it a tensor"));
}

}  // namespace

Variable MetricRule::add_variable(std::string_view name, const Shape& shape, DType dtype) {
  variables_.push_back(zero_variable({shape, dtype}, cat(name_, "/", name), Owner::other));
  return variables_.back();
}

void MetricRule::reset() {
  for (Variable& variable : variables_) {
    Array zero = Array::allocate(variable.impl()->aval);
    if (zero.aval.bytes() != 0) std::memset(zero.data(), 0, zero.aval.bytes());
    variable.assign(Tensor(std::move(zero)));
  }
}

double MetricRule::read() const {
  const Tensor found = result();
  if (found.rank() != 0)
    throw InvalidArgument(cat("[", name_, "] the result has shape ", found.shape(),
                              ", which is not one number; use result(), or options that make it one"));
  return static_cast<double>(found.item<float>());
}

Metric::Metric(std::string name, Function function) {
  if (!function) throw InvalidArgument(cat("[", name, "] the function is none; give it one"));
  rule_ = std::make_shared<MeanRule>(std::move(name), std::move(function));
}

Metric::Metric(std::shared_ptr<MetricRule> rule) : rule_(std::move(rule)) {
  if (!rule_) throw InvalidArgument("[metric] the rule is none; give it one");
}

void Metric::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                          const Tensor& mask) const {
  if (!y_true.defined() || !y_pred.defined())
    throw InvalidArgument(
        cat("[", name(), "] ", y_true.defined() ? "y_pred" : "y_true", " is none; give it a tensor"));
  rule_->update(y_true, y_pred, sample_weight, mask);
}

MeanRule::MeanRule(std::string name, Metric::Function function)
    : MetricRule(std::move(name)),
      function_(std::move(function)),
      total_(add_variable("total")),
      count_(add_variable("count")) {}

void MeanRule::update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor& mask) {
  const auto [values, own_mask] = function_(y_true, y_pred);
  Tensor weight = sample_weight;
  auto count = [&](const Tensor& which) {
    weight =
        with_mask(name(), weight.defined() ? cast(weight, f32) : weight, cast(both_masks(name(), which, {}), f32));
  };
  if (mask.defined()) count(mask);
  if (own_mask.defined() && weight.defined()) count(own_mask);
  add(values, weight);
}

void MeanRule::add(const Tensor& values, const Tensor& sample_weight) {
  const auto [v, w] = samplewise(name(), values, sample_weight, mean_from);
  total_.assign_add(sum(v));
  count_.assign_add(w.defined() ? sum(w) : constant(v.rank() == 0 ? Size(1) : v.shape()[0], f32));
}

Tensor MeanRule::result() const {
  const Tensor total = total_, count = count_, zero = constant(0, f32);
  const Tensor empty = equal(count, zero);
  return select(empty, zero, total / select(empty, constant(1, f32), count));
}

// Without a plan: this is read after each step that is shown.
double MeanRule::read() const {
  const float total = total_.value().item<float>(), count = count_.value().item<float>();
  return count == 0 ? 0 : static_cast<double>(total / count);
}

SumRule::SumRule(std::string name) : MetricRule(std::move(name)), total_(add_variable("total")) {}
void SumRule::update(const Tensor&, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) {
  add(y_pred, sample_weight);
}
void SumRule::add(const Tensor& values, const Tensor& sample_weight) {
  total_.assign_add(sum(samplewise(name(), values, sample_weight, sum_from).values));
}
Tensor SumRule::result() const { return total_; }

Pair compared_as_f32(std::string_view metric, const Tensor& y_true, const Tensor& y_pred) {
  Pair pair = to_same_rank(cast(y_true, f32), cast(y_pred, f32));
  require_same_shape(metric, pair.a, pair.b, "reshape one of them");
  return pair;
}

Tensor weights_like(std::string_view metric, const Tensor& sample_weight, const Shape& shape) {
  if (!sample_weight.defined()) return {};
  Shape both;
  if (!broadcast(sample_weight.shape(), shape, both) || !(both == shape))
    throw InvalidArgument(cat("[", metric, "] sample_weight has shape ", sample_weight.shape(),
                              ", but there are values of shape ", shape, "; give one weight for each"));
  const Tensor weights = cast(sample_weight, f32);
  return weights.shape() == shape ? weights : broadcast_to(weights, shape);
}

std::string given_or_counted(const std::string& name, std::string_view base) {
  return name.empty() ? unique_name(base) : name;
}

Mean::Mean(MetricOptions o)
    : Metric(or_default(std::move(o.name), "mean"), [](const Tensor&, const Tensor& values) { return values; }) {}
void Mean::update_state(const Tensor& values, const Tensor& sample_weight) const {
  require_values(name(), values);
  static_cast<MeanRule&>(*rule()).add(values, sample_weight);
}
Sum::Sum(MetricOptions o) : Metric(std::make_shared<SumRule>(or_default(std::move(o.name), "sum"))) {}
void Sum::update_state(const Tensor& values, const Tensor& sample_weight) const {
  require_values(name(), values);
  static_cast<SumRule&>(*rule()).add(values, sample_weight);
}

}  // namespace brio::nn
