#include "brio/nn/metric.h"

#include <numeric>

#include "brio/base/error.h"
#include "brio/nn/loss_parts.h"
#include "brio/nn/losses.h"
#include "brio/nn/module.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {

struct Metric::Impl {
  std::string name;
  Function function;
  Variable total, count;
};

namespace {

Tensor as_f32(const Tensor& x) { return x.dtype() == f32 ? x : cast(x, f32); }

// Values and weights, one per sample.
struct Samplewise {
  Tensor values, weights;
};
Samplewise samplewise(const std::string& name, const Tensor& all_values, const Tensor& sample_weight) {
  Tensor values = as_f32(all_values), weights;
  if (sample_weight.defined()) {
    auto [v, w] = to_same_rank(values, as_f32(sample_weight));
    v = mean_from(v, w.rank());
    Shape both;
    if (!broadcast(v.shape(), w.shape(), both) || !(both == v.shape()))
      throw InvalidArgument(cat("[", name, "] sample_weight has shape ", sample_weight.shape(),
                                ", but there are values of shape ", all_values.shape(),
                                "; give one weight for each"));
    if (!(w.shape() == v.shape())) w = broadcast_to(w, v.shape());
    values = v * w;
    weights = mean_from(w, 1);
  }
  return {mean_from(values, 1), weights};
}

Tensor accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = to_same_rank(y_true.dtype() == y_pred.dtype() ? y_true : cast(y_true, y_pred.dtype()), y_pred);
  return cast(equal(t, p), f32);
}

Tensor told_by_shapes(const Tensor& y_true, const Tensor& y_pred) {
  switch (label_kind(y_true.shape(), y_pred.shape())) {
    case LabelKind::binary: return binary_accuracy(y_true, y_pred);
    case LabelKind::sparse: return sparse_categorical_accuracy(y_true, y_pred);
    case LabelKind::one_hot: break;
  }
  return categorical_accuracy(y_true, y_pred);
}

struct Named {
  std::string_view name;
  Tensor (*function)(const Tensor&, const Tensor&);
};
constexpr auto kBinaryAccuracy = [](const Tensor& t, const Tensor& p) { return binary_accuracy(t, p); };
constexpr auto kBinary = [](const Tensor& t, const Tensor& p) { return binary_crossentropy(t, p); };
constexpr auto kCategorical = [](const Tensor& t, const Tensor& p) { return categorical_crossentropy(t, p); };
constexpr auto kSparse = [](const Tensor& t, const Tensor& p) { return sparse_categorical_crossentropy(t, p); };
constexpr Named kNamed[] = {
    {"accuracy", told_by_shapes},
    {"acc", told_by_shapes},
    {"Accuracy", told_by_shapes},
    {"binary_accuracy", kBinaryAccuracy},
    {"BinaryAccuracy", kBinaryAccuracy},
    {"categorical_accuracy", categorical_accuracy},
    {"CategoricalAccuracy", categorical_accuracy},
    {"sparse_categorical_accuracy", sparse_categorical_accuracy},
    {"SparseCategoricalAccuracy", sparse_categorical_accuracy},
    {"mean_squared_error", mean_squared_error},
    {"MeanSquaredError", mean_squared_error},
    {"mse", mean_squared_error},
    {"MSE", mean_squared_error},
    {"binary_crossentropy", kBinary},
    {"BinaryCrossentropy", kBinary},
    {"bce", kBinary},
    {"BCE", kBinary},
    {"categorical_crossentropy", kCategorical},
    {"CategoricalCrossentropy", kCategorical},
    {"sparse_categorical_crossentropy", kSparse},
    {"SparseCategoricalCrossentropy", kSparse},
};

}  // namespace

Tensor argmax_last(const Tensor& x) {
  if (x.rank() == 0 || x.shape()[x.rank() - 1] == 0)
    throw InvalidArgument(cat("[argmax] a tensor of shape ", x.shape(), " has nothing along its last axis"));
  const auto n = static_cast<int32_t>(x.shape()[x.rank() - 1]);
  std::vector<int32_t> numbers(static_cast<size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor iota = Tensor::from(numbers, Shape{n});
  return min(select(equal(x, max(x, -1, true)), iota, constant(n, i32)), -1);
}

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold) {
  const auto [t, p] = to_same_rank(y_true, y_pred);
  const Tensor said = cast(greater(p, constant(threshold, p.dtype())), t.dtype());
  return cast(equal(t, said), f32);
}

Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return cast(equal(argmax_last(y_true), argmax_last(y_pred)), f32);
}

Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  Tensor labels = y_true;
  if (labels.rank() == y_pred.rank() && labels.rank() > 0 && labels.shape()[labels.rank() - 1] == 1)
    labels = squeeze(labels, {-1});
  return cast(equal(cast(labels, i32), argmax_last(y_pred)), f32);
}

Metric::Metric(std::string name, Function function) : impl_(std::make_shared<Impl>()) {
  impl_->name = std::move(name);
  impl_->function = std::move(function);
  impl_->total = zero_variable({Shape(), f32}, impl_->name + "/total", Owner::other);
  impl_->count = zero_variable({Shape(), f32}, impl_->name + "/count", Owner::other);
}

Metric::Metric(std::string_view name) : Metric(std::string(name), row_named("metric", name, kNamed).function) {}

const std::string& Metric::name() const { return impl_->name; }
std::vector<Variable> Metric::variables() const { return {impl_->total, impl_->count}; }

void Metric::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) const {
  if (!y_true.defined() || !y_pred.defined())
    throw InvalidArgument(
        cat("[", name(), "] ", y_true.defined() ? "y_pred" : "y_true", " is none; give it a tensor"));
  add_values(impl_->function(y_true, y_pred), sample_weight);
}

void Metric::add_values(const Tensor& values, const Tensor& sample_weight) const {
  const auto [v, w] = samplewise(impl_->name, values, sample_weight);
  impl_->total.assign_add(sum(v));
  const Tensor count = w.defined() ? sum(w) : constant(v.rank() == 0 ? 1 : v.shape()[0], f32);
  impl_->count.assign_add(count);
}

Tensor Metric::result() const {
  const Tensor total = impl_->total, count = impl_->count, zero = constant(0, f32);
  const Tensor empty = equal(count, zero);
  return select(empty, zero, total / select(empty, constant(1, f32), count));
}

double Metric::read() const {
  const float total = impl_->total.value().item<float>(), count = impl_->count.value().item<float>();
  return count == 0 ? 0 : static_cast<double>(total / count);
}

void Metric::reset_state() const {
  for (const Variable& variable : {impl_->total, impl_->count}) {
    Array zero = Array::allocate(variable.impl()->aval);
    *zero.as<float>() = 0;
    Variable(variable).assign(Tensor(std::move(zero)));
  }
}

Mean::Mean(MetricOptions o)
    : Metric(or_default(std::move(o.name), "mean"), [](const Tensor&, const Tensor& values) { return values; }) {}
Accuracy::Accuracy(MetricOptions o) : Metric(or_default(std::move(o.name), "accuracy"), accuracy) {}
BinaryAccuracy::BinaryAccuracy(BinaryAccuracyOptions o)
    : Metric(or_default(o.name, "binary_accuracy"), [threshold = o.threshold](const Tensor& t, const Tensor& p) {
        return binary_accuracy(t, p, threshold);
      }) {}
CategoricalAccuracy::CategoricalAccuracy(MetricOptions o)
    : Metric(or_default(std::move(o.name), "categorical_accuracy"), categorical_accuracy) {}
SparseCategoricalAccuracy::SparseCategoricalAccuracy(MetricOptions o)
    : Metric(or_default(std::move(o.name), "sparse_categorical_accuracy"), sparse_categorical_accuracy) {}

}  // namespace brio::nn
