#include "brio/nn/losses/similarity.h"

#include <limits>

#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/check.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

constexpr const char* kName = "circle";

// Class numbers, one for each row.
Tensor row_labels(const Tensor& labels, const Tensor& embeddings) {
  if (embeddings.rank() != 2)
    throw_invalid(kName, cat("the embeddings have shape ", embeddings.shape(), "; give one row for each sample"));
  const Size rows = embeddings.shape()[0];
  const bool column = labels.rank() == 2 && labels.shape()[1] == 1;
  if (!(labels.rank() == 1 || column) || labels.size() != rows)
    throw_invalid(kName, cat("the labels have shape ", labels.shape(), ", but the embeddings ", embeddings.shape(),
                             "; give one class number for each row"));
  return cast(column ? reshape(labels, {rows}) : labels, i32);
}

}  // namespace

Tensor circle(const Tensor& y_true, const Tensor& y_pred, const CircleOptions& o, const References& references) {
  require(kName, y_true, y_pred);
  const Tensor to = references.embeddings.defined() ? cast(references.embeddings, y_pred.dtype()) : y_pred;
  const Tensor labels = row_labels(y_true, y_pred);
  const Tensor to_labels = row_labels(references.labels.defined() ? references.labels : y_true, to);
  const Tensor zero = like(y_pred, 0), lowest = like(y_pred, -std::numeric_limits<double>::infinity());

  const Tensor distance = maximum(like(y_pred, 1) - matmul(y_pred, to, {.transpose_b = true}), zero);
  const Tensor same = equal(expand_dims(labels, 1), expand_dims(to_labels, 0)), other = logical_not(same);
  const Tensor pairs =
      o.remove_diagonal ? logical_and(same, logical_not(eye(labels.size(), to_labels.size(), boolean))) : same;
  // Each pair pulls the more, the further it is from where it should be.
  auto pull = [&](const Tensor& among, const Tensor& weight, double aim, double sign) {
    const Tensor weights = maximum(select(among, weight, zero), zero);
    const Tensor pulls = weights * like(y_pred, sign * o.gamma) * (like(y_pred, aim) - distance);
    return logsumexp(select(among, pulls, lowest), 1);
  };
  const Tensor together = pull(pairs, distance + like(y_pred, o.margin), o.margin, -1);
  const Tensor apart = pull(other, like(y_pred, 1 + o.margin) - distance, 1 - o.margin, 1);
  return softplus(together + apart);
}

Circle::Circle(CircleOptions o)
    : Loss(
          or_default(o.name, "circle"),
          [o](const Tensor& t, const Tensor& p) -> SampleValues {
            const Tensor values = circle(t, p, o);
            return {values, greater(values, like(values, 0))};
          },
          o.reduction, settings_of("Circle", o)) {}

}  // namespace brio::nn
