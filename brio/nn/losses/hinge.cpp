#include "brio/nn/losses/hinge.h"

#include "brio/nn/losses/loss_parts.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/check.h"
#include "brio/ops/reductions/reduction.h"

namespace brio::nn {
namespace {

// Each element's distance to the right side of the margin.
Tensor margins(const char* loss, const Tensor& y_true, const Tensor& y_pred) {
  const auto [t, p] = compared(loss, y_true, y_pred);
  const Tensor zero = like(t, 0), one = like(t, 1);
  const Tensor is_binary = all(logical_or(equal(t, zero), equal(t, one)));
  const Tensor sides = select(is_binary, t + t - one, t);
  return maximum(one - sides * p, zero);
}

}  // namespace

Tensor hinge(const Tensor& y_true, const Tensor& y_pred) { return mean_last(margins("hinge", y_true, y_pred)); }

Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred) {
  return mean_last(square(margins("squared_hinge", y_true, y_pred)));
}

Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred) {
  constexpr const char* kName = "categorical_hinge";
  const auto [t, p] = compared(kName, y_true, y_pred);
  const int last = positive_axis(kName, -1, p.rank());
  const Tensor right = sum(t * p, last), wrong = max((like(t, 1) - t) * p, last);
  return maximum(wrong - right + like(p, 1), like(p, 0));
}

Hinge::Hinge(LossOptions o) : Loss(or_default(o.name, "hinge"), hinge, o.reduction, settings_of("Hinge", o)) {}
SquaredHinge::SquaredHinge(LossOptions o)
    : Loss(or_default(o.name, "squared_hinge"), squared_hinge, o.reduction, settings_of("SquaredHinge", o)) {}
CategoricalHinge::CategoricalHinge(LossOptions o)
    : Loss(or_default(o.name, "categorical_hinge"), categorical_hinge, o.reduction,
           settings_of("CategoricalHinge", o)) {}

}  // namespace brio::nn
