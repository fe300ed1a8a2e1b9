// How many predictions are truly or falsely positive or negative, at thresholds: the basis of precision, recall, AUC
// and similar metrics. Not for users.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "brio/ir/tensor.h"

namespace brio::nn {

// A prediction above a threshold means "positive".
struct Thresholds {
  std::vector<double> values;
  bool even = false;  // 0, 1/(n-1), …, 1: the counts are then running sums over buckets, of which there are few

  static constexpr double kLowest = -1e10;  // the score of predictions that top_k does not choose

  // Those that a user gave, or one; throws InvalidArgument for one outside of [0, 1].
  static Thresholds given(std::string_view metric, const std::vector<double>& values, double otherwise);
  // `count` of them from 0 to 1; just outside of these at both ends where each prediction shall lie between them.
  static Thresholds spread(int64_t count, bool beyond_ends);
  static Thresholds between(std::string_view metric, std::vector<double> values);  // with ends just outside

  int64_t size() const { return static_cast<int64_t>(values.size()); }
};

struct ConfusionOptions {
  std::optional<int64_t> top_k = {};     // only the k largest of the last axis can be positive
  std::optional<int64_t> class_id = {};  // only this column of the last axis counts
  bool multi_label = false;              // counts for each column of (batch, labels)
  std::vector<double> label_weights = {};
};

// Of one batch: a number for each threshold (and label).
struct Confusion {
  Tensor true_positives, false_positives, true_negatives, false_negatives;
};
Confusion confusion(std::string_view metric, const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                    const Thresholds& thresholds, const ConfusionOptions& options = {});

}  // namespace brio::nn
