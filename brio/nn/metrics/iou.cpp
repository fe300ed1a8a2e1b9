#include "brio/nn/metrics/iou.h"

#include <algorithm>
#include <numeric>

#include "brio/nn/metrics/metric_rules.h"
#include "brio/ops/check.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/segment_ops.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// Counts in a matrix of true (row) and predicted (column) classes.
class IoURule : public MetricRule {
 public:
  explicit IoURule(IoUOptions o) : MetricRule(o.name), o_(std::move(o)) {
    const int64_t classes = o_.num_classes;
    if (classes < 1) throw_invalid(name(), cat("num_classes is ", classes, "; it must be 1 or more"));
    if (o_.target_class_ids.empty()) throw_invalid(name(), "there are no target_class_ids; give one or more");
    for (int64_t id : o_.target_class_ids)
      if (id < 0 || id >= classes)
        throw_invalid(name(), cat("target class ", id, " is out of range: it must lie in [0, ", classes, ")"));
    if (!is_integer(o_.dtype) && o_.dtype != f32 && o_.dtype != f64)
      throw_invalid(name(), cat("cannot count in ", o_.dtype, "; use int32 or float32"));
    matrix_ = add_variable("total_confusion_matrix", {classes, classes}, o_.dtype);
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    const Tensor t = numbers(y_true, o_.sparse_y_true), p = numbers(y_pred, o_.sparse_y_pred);
    if (t.size() != p.size())
      throw_invalid(name(), cat("y_true has shape ", y_true.shape(), ", but y_pred ", y_pred.shape(),
                                "; give a true class for each predicted one"));
    const int64_t classes = o_.num_classes;
    const Tensor zero = constant(0, i64), limit = constant(classes, i64);
    auto is_class = [&](const Tensor& x) { return logical_and(greater_equal(x, zero), less(x, limit)); };
    Tensor counted = logical_and(is_class(t), is_class(p));
    if (o_.ignore_class) counted = logical_and(counted, not_equal(t, constant(*o_.ignore_class, i64)));
    // A negative place is passed over.
    const Tensor place = select(counted, t * limit + p, constant(-1, i64));
    const Tensor found = unsorted_segment_sum(weights(sample_weight, t.size()), place, classes * classes);
    matrix_.assign_add(reshape(found, {classes, classes}));
  }

  Tensor result() const override {
    const std::vector<int64_t>& targets = o_.target_class_ids;
    const Tensor matrix = matrix_, ids = Tensor::from(targets, Shape{static_cast<int64_t>(targets.size())});
    const Tensor hits = linalg::diag_part(matrix);
    const Tensor either = cast(gather(sum(matrix, 0) + sum(matrix, 1) - hits, ids), f32);
    const Tensor zero = constant(0, f32), epsilon = constant(kEpsilon, f32);
    const Tensor occurs = greater(either, constant(1e-9, f32));
    const Tensor shares = select(occurs, cast(gather(hits, ids), f32) / (either + epsilon), zero);
    return sum(shares) / (sum(cast(occurs, f32)) + epsilon);
  }

 private:
  Tensor numbers(const Tensor& x, bool sparse) const {
    const Tensor classes = sparse ? cast(x, i64) : argmax(x, positive_axis(name(), o_.axis, x.rank()));
    return reshape(classes, {classes.size()});
  }

  Tensor weights(const Tensor& sample_weight, int64_t size) const {
    if (!sample_weight.defined()) return ones({size}, o_.dtype);
    const Tensor weights = cast(sample_weight, o_.dtype);
    if (weights.size() == size) return reshape(weights, {size});
    if (weights.size() != 1)
      throw_invalid(name(), cat("sample_weight has shape ", sample_weight.shape(), ", but there are ", size,
                                " labels; give one weight for each"));
    return broadcast_to(reshape(weights, {1}), {size});
  }

  IoUOptions o_;
  Variable matrix_;
};

class BinaryIoURule : public IoURule {
 public:
  BinaryIoURule(std::string name, const BinaryIoUOptions& o)
      : IoURule(
            {.num_classes = 2, .target_class_ids = o.target_class_ids, .dtype = o.dtype, .name = std::move(name)}),
        threshold_(o.threshold) {}
  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor& mask) override {
    IoURule::update(y_true, greater_equal(cast(y_pred, f32), constant(threshold_, f32)), sample_weight, mask);
  }

 private:
  double threshold_;
};

std::vector<int64_t> all_classes(int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(std::max<int64_t>(count, 0)));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::shared_ptr<MetricRule> iou_rule(std::string_view base, IoUOptions o) {
  o.name = given_or_counted(o.name, base);
  return std::make_shared<IoURule>(std::move(o));
}

}  // namespace

IoU::IoU(IoUOptions o) : Metric(iou_rule("io_u", std::move(o))) {}
MeanIoU::MeanIoU(MeanIoUOptions o)
    : Metric(iou_rule("mean_io_u", {.num_classes = o.num_classes,
                                    .target_class_ids = all_classes(o.num_classes),
                                    .ignore_class = o.ignore_class,
                                    .sparse_y_true = o.sparse_y_true,
                                    .sparse_y_pred = o.sparse_y_pred,
                                    .axis = o.axis,
                                    .dtype = o.dtype,
                                    .name = o.name})) {}
BinaryIoU::BinaryIoU(BinaryIoUOptions o)
    : Metric(std::make_shared<BinaryIoURule>(given_or_counted(o.name, "binary_io_u"), o)) {}
OneHotIoU::OneHotIoU(OneHotIoUOptions o)
    : Metric(iou_rule("one_hot_io_u", {.num_classes = o.num_classes,
                                       .target_class_ids = o.target_class_ids,
                                       .ignore_class = o.ignore_class,
                                       .sparse_y_true = false,
                                       .sparse_y_pred = o.sparse_y_pred,
                                       .axis = o.axis,
                                       .dtype = o.dtype,
                                       .name = o.name})) {}
OneHotMeanIoU::OneHotMeanIoU(OneHotMeanIoUOptions o)
    : Metric(iou_rule("one_hot_mean_io_u", {.num_classes = o.num_classes,
                                            .target_class_ids = all_classes(o.num_classes),
                                            .ignore_class = o.ignore_class,
                                            .sparse_y_true = false,
                                            .sparse_y_pred = o.sparse_y_pred,
                                            .axis = o.axis,
                                            .dtype = o.dtype,
                                            .name = o.name})) {}

}  // namespace brio::nn
