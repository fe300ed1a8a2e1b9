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
  IoURule(std::string name, int64_t num_classes, std::vector<int64_t> targets, const IoUOptions& o)
      : MetricRule(std::move(name)), classes_(num_classes), targets_(std::move(targets)), o_(o) {
    if (classes_ < 1) throw_invalid(this->name(), cat("num_classes is ", classes_, "; it must be 1 or more"));
    if (targets_.empty()) throw_invalid(this->name(), "there are no target_class_ids; give one or more");
    for (int64_t id : targets_)
      if (id < 0 || id >= classes_)
        throw_invalid(this->name(), cat("target class ", id, " is out of range: it must lie in [0, ", classes_, ")"));
    if (!is_integer(o_.dtype) && o_.dtype != f32 && o_.dtype != f64)
      throw_invalid(this->name(), cat("cannot count in ", o_.dtype, "; use int32 or float32"));
    matrix_ = add_variable("total_confusion_matrix", {classes_, classes_}, o_.dtype);
  }

  void update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight, const Tensor&) override {
    const Tensor t = numbers(y_true, o_.sparse_y_true), p = numbers(y_pred, o_.sparse_y_pred);
    if (t.size() != p.size())
      throw_invalid(name(), cat("y_true has shape ", y_true.shape(), ", but y_pred ", y_pred.shape(),
                                "; give a true class for each predicted one"));
    const Tensor zero = constant(0, i64), limit = constant(classes_, i64);
    auto is_class = [&](const Tensor& x) { return logical_and(greater_equal(x, zero), less(x, limit)); };
    Tensor counted = logical_and(is_class(t), is_class(p));
    if (o_.ignore_class) counted = logical_and(counted, not_equal(t, constant(*o_.ignore_class, i64)));
    // A negative place is passed over.
    const Tensor place = select(counted, t * limit + p, constant(-1, i64));
    const Tensor found = unsorted_segment_sum(weights(sample_weight, t.size()), place, classes_ * classes_);
    matrix_.assign_add(reshape(found, {classes_, classes_}));
  }

  Tensor result() const override {
    const Tensor matrix = matrix_, ids = Tensor::from(targets_, Shape{static_cast<int64_t>(targets_.size())});
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

  int64_t classes_;
  std::vector<int64_t> targets_;
  IoUOptions o_;
  Variable matrix_;
};

class BinaryIoURule : public IoURule {
 public:
  BinaryIoURule(std::string name, const BinaryIoUOptions& o)
      : IoURule(std::move(name), 2, o.target_class_ids, {.dtype = o.dtype}), threshold_(o.threshold) {}
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

IoUOptions one_hot_options(const OneHotIoUOptions& o) {
  return {.ignore_class = o.ignore_class,
          .sparse_y_true = false,
          .sparse_y_pred = o.sparse_y_pred,
          .axis = o.axis,
          .dtype = o.dtype,
          .name = o.name};
}

std::shared_ptr<MetricRule> iou_rule(std::string_view base, int64_t num_classes, std::vector<int64_t> targets,
                                     const IoUOptions& o) {
  return std::make_shared<IoURule>(given_or_counted(o.name, base), num_classes, std::move(targets), o);
}

}  // namespace

IoU::IoU(int64_t num_classes, const std::vector<int64_t>& target_class_ids, IoUOptions o)
    : Metric(iou_rule("io_u", num_classes, target_class_ids, o)) {}
MeanIoU::MeanIoU(int64_t num_classes, IoUOptions o)
    : Metric(iou_rule("mean_io_u", num_classes, all_classes(num_classes), o)) {}
BinaryIoU::BinaryIoU(BinaryIoUOptions o)
    : Metric(std::make_shared<BinaryIoURule>(given_or_counted(o.name, "binary_io_u"), o)) {}
OneHotIoU::OneHotIoU(int64_t num_classes, const std::vector<int64_t>& target_class_ids, OneHotIoUOptions o)
    : Metric(iou_rule("one_hot_io_u", num_classes, target_class_ids, one_hot_options(o))) {}
OneHotMeanIoU::OneHotMeanIoU(int64_t num_classes, OneHotIoUOptions o)
    : Metric(iou_rule("one_hot_mean_io_u", num_classes, all_classes(num_classes), one_hot_options(o))) {}

}  // namespace brio::nn
