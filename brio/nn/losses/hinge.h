// Losses for margins: the hinges. Labels are -1 and 1; if all of them are 0 or 1, zeros mean -1.
#pragma once

#include "brio/nn/losses/loss.h"

namespace brio::nn {

class Hinge : public Loss {
 public:
  explicit Hinge(LossOptions options = {});
};
class SquaredHinge : public Loss {
 public:
  explicit SquaredHinge(LossOptions options = {});
};
// y_true is one-hot: the score of its class against the largest of the others.
class CategoricalHinge : public Loss {
 public:
  explicit CategoricalHinge(LossOptions options = {});
};

Tensor hinge(const Tensor& y_true, const Tensor& y_pred);
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred);
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred);

}  // namespace brio::nn
