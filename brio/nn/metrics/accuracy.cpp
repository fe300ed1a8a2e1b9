#include "brio/nn/metrics/accuracy.h"

#include "brio/base/error.h"
#include "brio/nn/losses/loss_parts.h"
#include "brio/ops/check.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

Tensor accuracy(const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = to_same_rank(cast(y_true, y_pred.dtype()), y_pred);
  return cast(equal(t, p), f32);
}

int64_t rows_of(const Tensor& x) {
  int64_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  return rows;
}

// y_pred as rows of the last axis, of which there is one for each class number.
Tensor rows_for(const char* metric, const Tensor& labels, const Tensor& y_pred) {
  if (y_pred.rank() < 1 || labels.size() != rows_of(y_pred))
    throw_invalid(metric, cat("there are class numbers of shape ", labels.shape(), ", but predictions of shape ",
                              y_pred.shape(), "; give one class number for each row of the last axis"));
  return reshape(y_pred, {rows_of(y_pred), y_pred.shape()[y_pred.rank() - 1]});
}

void check_k(const char* metric, int64_t k) {
  if (k < 1) throw_invalid(metric, cat("k is ", k, "; it must be 1 or more"));
}

Tensor among_top_k(const char* metric, const Tensor& labels, const Tensor& y_pred, int64_t k) {
  check_k(metric, k);
  const Tensor rows = rows_for(metric, labels, y_pred);
  const Tensor found = in_top_k(reshape(cast(labels, i32), {labels.size()}), rows, k);
  return reshape(cast(found, f32), labels.shape());
}

constexpr const char* kTopK = "top_k_categorical_accuracy";
constexpr const char* kSparseTopK = "sparse_top_k_categorical_accuracy";

}  // namespace

Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold) {
  const auto [t, p] = to_same_rank(y_true, y_pred);
  const Tensor said = cast(greater(p, constant(threshold, p.dtype())), t.dtype());
  return cast(equal(t, said), f32);
}

Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  return cast(equal(argmax(y_true, -1, i32), argmax(y_pred, -1, i32)), f32);
}

Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred) {
  Tensor labels = y_true;
  if (labels.rank() == y_pred.rank() && labels.rank() > 0 && labels.shape()[labels.rank() - 1] == 1)
    labels = squeeze(labels, {-1});
  return cast(equal(cast(labels, i32), argmax(y_pred, -1, i32)), f32);
}

Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k) {
  return among_top_k(kTopK, argmax(y_true, -1, i32), y_pred, k);
}

Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k,
                                         bool from_sorted_ids) {
  if (!from_sorted_ids) return among_top_k(kSparseTopK, y_true, y_pred, k);
  check_k(kSparseTopK, k);
  const Tensor rows = rows_for(kSparseTopK, y_true, y_pred);
  const Tensor labels = reshape(cast(y_true, y_pred.dtype()), {y_true.size(), 1});
  const Tensor found = any(equal(labels, slice(rows, {{}, {.end = k}})), 1);
  return reshape(cast(found, f32), y_true.shape());
}

Tensor accuracy_by_shapes(const Tensor& y_true, const Tensor& y_pred) {
  switch (label_kind(y_true.shape(), y_pred.shape())) {
    case LabelKind::binary: return binary_accuracy(y_true, y_pred);
    case LabelKind::sparse: return sparse_categorical_accuracy(y_true, y_pred);
    case LabelKind::one_hot: break;
  }
  return categorical_accuracy(y_true, y_pred);
}

Accuracy::Accuracy(MetricOptions o) : Metric(or_default(std::move(o.name), "accuracy"), accuracy) {}
BinaryAccuracy::BinaryAccuracy(BinaryAccuracyOptions o)
    : Metric(or_default(o.name, "binary_accuracy"), [threshold = o.threshold](const Tensor& t, const Tensor& p) {
        return binary_accuracy(t, p, threshold);
      }) {}
CategoricalAccuracy::CategoricalAccuracy(MetricOptions o)
    : Metric(or_default(std::move(o.name), "categorical_accuracy"), categorical_accuracy) {}
SparseCategoricalAccuracy::SparseCategoricalAccuracy(MetricOptions o)
    : Metric(or_default(std::move(o.name), "sparse_categorical_accuracy"), sparse_categorical_accuracy) {}
TopKCategoricalAccuracy::TopKCategoricalAccuracy(TopKOptions o)
    : Metric(or_default(o.name, kTopK),
             [k = o.k](const Tensor& t, const Tensor& p) { return top_k_categorical_accuracy(t, p, k); }) {
  check_k(kTopK, o.k);
}
SparseTopKCategoricalAccuracy::SparseTopKCategoricalAccuracy(SparseTopKOptions o)
    : Metric(or_default(o.name, kSparseTopK), [o](const Tensor& t, const Tensor& p) {
        return sparse_top_k_categorical_accuracy(t, p, o.k, o.from_sorted_ids);
      }) {
  check_k(kSparseTopK, o.k);
}

}  // namespace brio::nn
