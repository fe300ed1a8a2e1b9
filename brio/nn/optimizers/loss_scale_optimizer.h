// LossScaleOptimizer: keeps small gradients of a float16 computation from vanishing. The loss is multiplied by a
// scale before it is differentiated and the gradients are divided by it; the scale halves at each step that has a
// gradient which is not finite, and doubles after 2000 steps without one. Names and rule are Keras 3's.
//
//   nn::LossScaleOptimizer optimizer(nn::Adam(1e-3));
//   gradients = tape.gradient(optimizer.scale_loss(loss), variables);
//   optimizer.apply_gradients(gradients, variables);
//
// A step with a gradient that is not finite changes no weight, no slot and no count of the inner optimizer: one flag
// over all gradients is the gate of its update, inside the plan.
#pragma once

#include "brio/nn/optimizers/optimizer.h"

namespace brio::nn {

struct LossScaleOptions {
  double initial_scale = 32768;  // 2^15
  int64_t dynamic_growth_steps = 2000;
  std::string name = "loss_scale_optimizer";
};

class LossScaleOptimizer : public Optimizer {
 public:
  explicit LossScaleOptimizer(Optimizer inner, LossScaleOptions options = {});

  Optimizer inner_optimizer() const;
  Tensor loss_scale() const;  // float32 scalar: the present one

  // TensorFlow's older names. Gradients are unscaled once, whichever names are used: apply_gradients does not unscale
  // gradients that come from get_unscaled_gradients since the last step, or were computed from them.
  Tensor get_scaled_loss(const Tensor& loss) const { return scale_loss(loss); }
  std::vector<Tensor> get_unscaled_gradients(const std::vector<Tensor>& gradients) const;
};

}  // namespace brio::nn
