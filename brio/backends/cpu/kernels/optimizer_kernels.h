// Optimizer updates in one pass over all parameters, by Keras 3's formulas. Every product, sum, root and
// quotient is rounded on its own, so the bits are those of the same formula in separate elementwise
// operations.
#pragma once

#include <cstdint>
#include <span>

#include "brio/tensor/dtype.h"

namespace brio::cpu {

// One parameter with its gradient and slots, n elements each. In and out may be the same memory.
struct UpdateTensor {
  const void* param_in;
  void* param_out;
  const void* grad;
  const void* slot_in[3];
  void* slot_out[3];
  int64_t n;
  // Where the gradient is rows of `width` elements: which row of it each of the parameter's is; the last, for a place
  // outside.
  const int32_t* places = nullptr;
  int64_t width = 0;
  uint32_t last = 0;
};

// Decoupled, before the update: p ← p - p · weight_decay · learning_rate.
struct WeightDecay {
  bool present = false;
  double value = 0;
};

// Hyper-parameters are doubles and are rounded to the parameters' dtype once, 1 - beta after the subtraction.
struct SgdRule {  // slots: momentum, when there is one
  double learning_rate, momentum;
  bool has_momentum, nesterov;
  WeightDecay decay = {};
};
struct RmspropRule {  // slots: velocity; momentum, when there is one; average gradient, when centered
  double learning_rate, rho, momentum, epsilon;
  bool has_momentum, centered;
  WeightDecay decay = {};
};
struct AdamRule {  // slots: momentum; velocity; largest velocity, for amsgrad
  double learning_rate;
  int64_t step;  // updates made before this one
  double beta_1, beta_2, epsilon;
  bool amsgrad;
  WeightDecay decay = {};
};

// All tensors are of `dtype`, f32 or f64. Uses threads when there is work for them.
void update_sgd(DType dtype, std::span<const UpdateTensor> tensors, const SgdRule& rule);
void update_rmsprop(DType dtype, std::span<const UpdateTensor> tensors, const RmspropRule& rule);
void update_adam(DType dtype, std::span<const UpdateTensor> tensors, const AdamRule& rule);

}  // namespace brio::cpu
