#include "brio/nn/metrics/confusion_counts.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/base/memory_limit.h"
#include "brio/nn/metrics/metric_rules.h"
#include "brio/ops/check.h"
#include "brio/ops/control/scan_ops.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/segment_ops.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

bool is_even(const std::vector<double>& values) {
  if (values.size() < 3) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    const double even = static_cast<double>(i) / static_cast<double>(values.size() - 1);
    if (!(std::abs(values[i] - even) <= kEpsilon + 1e-5 * even)) return false;
  }
  return true;
}

// What is counted: labels and predictions, and weights or none, all of one shape.
struct Counted {
  Tensor labels, scores, weights;
};

Tensor only_top_k(std::string_view metric, const Tensor& scores, int64_t k) {
  const int64_t classes = scores.rank() == 0 ? Size(0) : scores.shape()[scores.rank() - 1];
  if (k < 1 || k > classes)
    throw_invalid(metric, cat("top_k is ", k, ", but the predictions have shape ", scores.shape(),
                              "; it must lie between 1 and the size of the last axis"));
  const Tensor chosen = sum(one_hot(top_k(scores, k).indices, classes), -2);
  return select(greater(chosen, constant(0, f32)), scores, constant(Thresholds::kLowest, f32));
}

Tensor column(std::string_view metric, const Tensor& x, int64_t class_id) {
  if (x.rank() < 2 || class_id < 0 || class_id >= x.shape()[x.rank() - 1])
    throw_invalid(metric, cat("class_id is ", class_id, ", but the predictions have shape ", x.shape(),
                              "; it must be a position in the last axis of (batch, classes)"));
  std::vector<Range> ranges(static_cast<size_t>(x.rank()));
  ranges.back() = {.begin = class_id, .end = class_id + 1};
  return slice(x, ranges);
}

// One weight per sample goes with all of a sample's predictions.
Tensor weights_for(std::string_view metric, const Tensor& sample_weight, const Tensor& scores) {
  if (!sample_weight.defined() || sample_weight.rank() >= scores.rank())
    return weights_like(metric, sample_weight, scores.shape());
  return weights_like(metric, expand_dims(sample_weight, -1), scores.shape());
}

Tensor label_weights_for(std::string_view metric, const std::vector<double>& given, const Tensor& scores) {
  const int64_t labels = scores.rank() == 0 ? Size(1) : scores.shape()[scores.rank() - 1];
  if (static_cast<int64_t>(given.size()) != labels)
    throw_invalid(metric, cat("there are ", given.size(), " label_weights, but the predictions have shape ",
                              scores.shape(), "; give one for each label"));
  const std::vector<float> narrow(given.begin(), given.end());
  return broadcast_to(Tensor::from(narrow, Shape{labels}), scores.shape());
}

Counted counted(std::string_view metric, const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                const ConfusionOptions& o) {
  auto [labels, scores] = compared_as_f32(metric, y_true, y_pred);
  if (o.top_k) scores = only_top_k(metric, scores, *o.top_k);
  if (o.class_id) {
    labels = column(metric, labels, *o.class_id);
    scores = column(metric, scores, *o.class_id);
  }
  Tensor weights = weights_for(metric, sample_weight, scores);
  if (!o.label_weights.empty()) {
    const Tensor of_labels = label_weights_for(metric, o.label_weights, scores);
    weights = weights.defined() ? weights * of_labels : of_labels;
  }
  labels = not_equal(labels, constant(0, f32));
  if (o.multi_label) return {labels, scores, weights};
  const Shape flat{scores.size()};
  return {reshape(labels, flat), reshape(scores, flat), weights.defined() ? reshape(weights, flat) : weights};
}

// Predictions fall into buckets between thresholds; what lies above a threshold is the sum of the buckets above it.
Confusion by_buckets(const Counted& c, const Thresholds& thresholds) {
  const int64_t n = thresholds.size();
  const Tensor zero = constant(0, f32), one = constant(1, f32);
  const Tensor scores = minimum(maximum(c.scores, zero), one);
  // A prediction at a threshold is not above it, so it lies in the bucket below: the first one's is left out (-1),
  // unless the first threshold is below 0. So is what is no number.
  Tensor bucket = ceil(scores * constant(n - 1, f32)) - one;
  if (thresholds.values.front() < 0) bucket = relu(bucket);
  bucket = select(is_nan(bucket), constant(-1, f32), bucket);
  Tensor ids = cast(bucket, i32);
  const bool columns = c.scores.rank() == 2;
  const int64_t labels = columns ? c.scores.shape()[1] : Size(1);
  if (columns) ids = reshape(ids * constant(labels, i32) + iota(labels, i32), {c.scores.size()});
  auto counts = [&](const Tensor& which) {
    const Tensor each = c.weights.defined() ? select(which, c.weights, zero) : cast(which, f32);
    const Tensor sums = unsorted_segment_sum(reshape(each, {each.size()}), ids, n * labels);
    const Tensor above = cumsum(columns ? reshape(sums, {n, labels}) : sums, 0, {.reverse = true});
    return Pair{above, columns ? sum(each, 0) : sum(each)};
  };
  const auto [tp, trues] = counts(c.labels);
  const auto [fp, falses] = counts(logical_not(c.labels));
  return {tp, fp, falses - fp, trues - tp};
}

// Every prediction beside every threshold.
Confusion by_comparison(const Counted& c, const Thresholds& thresholds) {
  const int64_t n = thresholds.size();
  Tensor limits = constant(thresholds.values[0], f32);
  if (n > 1) {
    const std::vector<float> narrow(thresholds.values.begin(), thresholds.values.end());
    limits = Tensor::from(narrow, c.scores.rank() == 2 ? Shape{n, 1, 1} : Shape{n, 1});
  }
  const Tensor said = greater(expand_dims(c.scores, 0), limits), unsaid = logical_not(said);
  const Tensor labels = expand_dims(c.labels, 0), others = logical_not(labels);
  const Tensor weights = c.weights.defined() ? expand_dims(c.weights, 0) : constant(1, f32);
  auto count = [&](const Tensor& a, const Tensor& b) {
    return sum(select(logical_and(a, b), weights, constant(0, f32)), 1);
  };
  return {count(labels, said), count(others, said), count(others, unsaid), count(labels, unsaid)};
}

}  // namespace

Thresholds Thresholds::given(std::string_view metric, const std::vector<double>& values, double otherwise) {
  for (double value : values)
    if (!(value >= 0 && value <= 1))
      throw_invalid(metric, cat("a threshold is ", value, "; they must lie in [0, 1]"));
  if (values.empty()) return {{otherwise}, false};
  return {values, is_even(values)};
}

Thresholds Thresholds::spread(int64_t count, bool beyond_ends) {
  // For each: its value, and four counts in float32.
  if (const int64_t most = available_memory() / (8 + 4 * 4); count > most)
    throw ResourceError(
        cat("num_thresholds is ", count, ", and the memory that is free holds ", most, "; 200 are the usual number"));
  Thresholds made{{}, true};
  made.values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) made.values.push_back(static_cast<double>(i) / static_cast<double>(count - 1));
  if (beyond_ends) {
    made.values.front() = -kEpsilon;
    made.values.back() = 1 + kEpsilon;
  }
  return made;
}

Thresholds Thresholds::between(std::string_view metric, std::vector<double> values) {
  Thresholds made = given(metric, values, 0);
  std::sort(values.begin(), values.end());
  values.insert(values.begin(), 0);
  values.push_back(1);
  made.even = is_even(values);
  values.front() = -kEpsilon;
  values.back() = 1 + kEpsilon;
  made.values = std::move(values);
  return made;
}

Confusion confusion(std::string_view metric, const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                    const Thresholds& thresholds, const ConfusionOptions& options) {
  const Counted all = counted(metric, y_true, y_pred, sample_weight, options);
  return thresholds.even ? by_buckets(all, thresholds) : by_comparison(all, thresholds);
}

}  // namespace brio::nn
