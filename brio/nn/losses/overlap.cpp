#include "brio/nn/losses/overlap.h"

#include "brio/nn/losses/loss_parts.h"

namespace brio::nn {

Tensor dice(const Tensor& y_true, const Tensor& y_pred, const Axes& axis) {
  const auto [t, p] = compared("dice", y_true, y_pred);
  const Tensor both = sum(t * p, axis);
  return like(p, 1) - like(p, 2) * both / (sum(t, axis) + sum(p, axis) + like(p, kEpsilon));
}

Tensor tversky(const Tensor& y_true, const Tensor& y_pred, double alpha, double beta, const Axes& axis) {
  const auto [t, p] = compared("tversky", y_true, y_pred);
  const Tensor one = like(p, 1), both = sum(t * p, axis);
  const Tensor missed = sum((one - p) * t, axis), too_many = sum(p * (one - t), axis);
  return one - both / (both + missed * like(p, alpha) + too_many * like(p, beta) + like(p, kEpsilon));
}

Dice::Dice(DiceOptions o)
    : Loss(
          or_default(o.name, "dice"), [axis = o.axis](const Tensor& t, const Tensor& p) { return dice(t, p, axis); },
          o.reduction) {}
Tversky::Tversky(TverskyOptions o)
    : Loss(
          or_default(o.name, "tversky"),
          [o](const Tensor& t, const Tensor& p) { return tversky(t, p, o.alpha, o.beta, o.axis); }, o.reduction) {}

}  // namespace brio::nn
