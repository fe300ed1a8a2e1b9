#include "brio/nn/losses/loss_parts.h"

#include <numeric>

#include "brio/base/error.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/equal_sizes.h"

namespace brio::nn {
namespace {

Tensor as_booleans(const Tensor& mask) {
  return mask.dtype() == boolean ? mask : not_equal(mask, constant(0, mask.dtype()));
}

}  // namespace

Pair to_same_rank(const Tensor& a, const Tensor& b) {
  const int ra = a.rank(), rb = b.rank();
  if (ra == rb + 1 && a.shape()[ra - 1] == 1)
    return rb == 1 ? Pair{a, expand_dims(b, -1)} : Pair{squeeze(a, {-1}), b};
  if (rb == ra + 1 && b.shape()[rb - 1] == 1)
    return ra == 1 ? Pair{expand_dims(a, -1), b} : Pair{a, squeeze(b, {-1})};
  return {a, b};
}

void require(std::string_view loss, const Tensor& y_true, const Tensor& y_pred) {
  if (!y_true.defined() || !y_pred.defined())
    throw InvalidArgument(cat("[", loss, "] ", y_true.defined() ? "y_pred" : "y_true", " is none; give it a tensor"));
  if (!is_floating(y_pred.dtype()))
    throw InvalidArgument(
        cat("[", loss, "] the predictions are ", y_pred.dtype(), "; cast them to a floating-point dtype"));
}

void require_same_shape(std::string_view loss, const Tensor& y_true, const Tensor& y_pred, std::string_view hint) {
  if (y_true.shape() != y_pred.shape())
    throw InvalidArgument(cat("[", loss, "] the targets have shape ", y_true.shape(), ", but the predictions ",
                              y_pred.shape(), "; ", hint));
  for (int i = 0; i < y_true.rank(); ++i) EqualSizes::note(y_true.shape()[i], y_pred.shape()[i]);
}

Pair compared(std::string_view loss, const Tensor& y_true, const Tensor& y_pred, std::string_view hint) {
  require(loss, y_true, y_pred);
  Pair pair = to_same_rank(cast(y_true, y_pred.dtype()), y_pred);
  require_same_shape(loss, pair.a, pair.b, hint);
  return pair;
}

Pair compared_broadcast(std::string_view loss, const Tensor& y_true, const Tensor& y_pred) {
  require(loss, y_true, y_pred);
  Pair pair = to_same_rank(cast(y_true, y_pred.dtype()), y_pred);
  Shape both;
  if (pair.a.shape() != pair.b.shape() && broadcast(pair.a.shape(), pair.b.shape(), both))
    return {broadcast_to(pair.a, both), broadcast_to(pair.b, both)};
  require_same_shape(loss, pair.a, pair.b, "reshape one of them");
  return pair;
}

Tensor class_numbers(std::string_view loss, const Tensor& y_true, const Tensor& y_pred, int axis) {
  Tensor labels = y_true;
  if (labels.rank() == y_pred.rank() && labels.shape()[axis] == 1) labels = squeeze(labels, {axis});
  std::vector<Size> rows(y_pred.shape().dims().begin(), y_pred.shape().dims().end());
  rows.erase(rows.begin() + axis);
  const Shape expected{std::span<const Size>(rows)};
  if (labels.shape() != expected)
    throw InvalidArgument(cat("[", loss, "] the targets have shape ", y_true.shape(), ", but predictions of shape ",
                              y_pred.shape(), " take class numbers of shape ", expected,
                              "; use categorical_crossentropy for one-hot targets"));
  return is_integer(labels.dtype()) ? labels : cast(labels, i64);
}

Axes axes_from(int first, int rank) {
  std::vector<int> axes(static_cast<size_t>(rank - first));
  std::iota(axes.begin(), axes.end(), first);
  return Axes(std::move(axes));
}

Tensor mean_from(const Tensor& x, int first) {
  if (first >= x.rank()) return x;
  const Shape kept(x.shape().dims().first(static_cast<size_t>(first)));
  return kept.elements() == x.size() ? reshape(x, kept) : mean(x, axes_from(first, x.rank()));
}

Tensor clipped(const Tensor& p) { return minimum(maximum(p, like(p, kEpsilon)), like(p, 1 - kEpsilon)); }

Tensor both_masks(std::string_view what, const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return as_booleans(a.defined() ? a : b);
  if (a.shape() != b.shape())
    throw InvalidArgument(cat("[", what, "] the mask has shape ", a.shape(), ", but the loss has a mask of shape ",
                              b.shape(), " of its own; give one of that shape"));
  return logical_and(as_booleans(a), as_booleans(b));
}

Tensor with_mask(std::string_view what, const Tensor& weight, const Tensor& counts) {
  if (!weight.defined()) return counts;
  const auto [m, w] = to_same_rank(counts, weight);
  Shape both;
  if (!broadcast(m.shape(), w.shape(), both))
    throw InvalidArgument(cat("[", what, "] sample_weight has shape ", weight.shape(), ", but the mask ",
                              counts.shape(), "; give both the shape of the values"));
  return w * m;
}

LabelKind label_kind(const Shape& y_true, const Shape& y_pred) {
  const int64_t t = y_true.rank() == 0 ? Size(1) : y_true[y_true.rank() - 1];
  const int64_t p = y_pred.rank() == 0 ? Size(1) : y_pred[y_pred.rank() - 1];
  if (p == 1) return LabelKind::binary;
  if (y_true.rank() < y_pred.rank() || t == 1) return LabelKind::sparse;
  return LabelKind::one_hot;
}

}  // namespace brio::nn
