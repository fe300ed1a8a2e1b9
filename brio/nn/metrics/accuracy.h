// How often predictions are right.
//
//   nn::Metric top5 = nn::TopKCategoricalAccuracy({.k = 5});
#pragma once

#include "brio/nn/metrics/metric.h"

namespace brio::nn {

// How often y_pred equals y_true.
class Accuracy : public Metric {
 public:
  explicit Accuracy(MetricOptions options = {});
};

struct BinaryAccuracyOptions {
  double threshold = 0.5;  // a prediction above it means 1
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

// How often fewer than k predictions are larger than that of the label.
struct TopKOptions {
  int64_t k = 5;
  std::string name = {};
};
class TopKCategoricalAccuracy : public Metric {
 public:
  explicit TopKCategoricalAccuracy(TopKOptions options = {});
};
struct SparseTopKOptions {
  int64_t k = 5;
  bool from_sorted_ids = false;  // y_pred holds class numbers, the best first, instead of scores
  std::string name = {};
};
class SparseTopKCategoricalAccuracy : public Metric {
 public:
  explicit SparseTopKCategoricalAccuracy(SparseTopKOptions options = {});
};

// 1 where the prediction is right, else 0 (float32).
Tensor binary_accuracy(const Tensor& y_true, const Tensor& y_pred, double threshold = 0.5);
Tensor categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
Tensor sparse_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred);
Tensor top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k = 5);
Tensor sparse_top_k_categorical_accuracy(const Tensor& y_true, const Tensor& y_pred, int64_t k = 5,
                                         bool from_sorted_ids = false);

// Binary, sparse or categorical, depending on the shapes as in Keras: "accuracy".
Tensor accuracy_by_shapes(const Tensor& y_true, const Tensor& y_pred);

}  // namespace brio::nn
