// Losses for regions, such as the masks of image segmentation: how little two of them overlap.
#pragma once

#include "brio/nn/losses/loss.h"
#include "brio/ops/reductions/reduction.h"

namespace brio::nn {

struct DiceOptions {
  Axes axis = {};  // the axes of a region; by default the batch is one
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// 1 - 2 |A ∩ B| / (|A| + |B|)
class Dice : public Loss {
 public:
  explicit Dice(DiceOptions options = {});
};

struct TverskyOptions {
  double alpha = 0.5;  // what a missed part (of y_true, not of y_pred) counts
  double beta = 0.5;   // what a part too many counts
  Axes axis = {};
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// Dice, with what is missed and what is too many weighed apart.
class Tversky : public Loss {
 public:
  explicit Tversky(TverskyOptions options = {});
};

Tensor dice(const Tensor& y_true, const Tensor& y_pred, const Axes& axis = {});
Tensor tversky(const Tensor& y_true, const Tensor& y_pred, double alpha = 0.5, double beta = 0.5,
               const Axes& axis = {});

}  // namespace brio::nn
