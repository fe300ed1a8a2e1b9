// Optimizer updates over many tensors at once, by Keras 3's formulas. One op reads and writes every parameter and
// slot in a single pass; the results are new values, which the planner writes in place when the old ones are given
// up.
//
// Hyper-parameters are float64 scalars, inputs of the plan: a schedule may change them without a new plan, and
// 1 - beta_2 is rounded to the parameters' dtype once, as where they are Python floats.
#pragma once

#include <span>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
// Inputs: the scalars in the order of the struct below (the last two when they are given), then n tensors of each
// kind: parameters, gradients, slots. Outputs: n tensors of each kind: parameters, slots. Gradients of f32 parameters
// may be f16 or bf16. The gradients of the last `spread` parameters are rows (indexed_rows.h); their places come
// behind everything else.
extern const OpDef sgd_update, rmsprop_update, adam_update;
}  // namespace op

// Scalars of another floating-point dtype are cast. Those with a default may be none:
// - weight_decay: decoupled, before the update: p ← p - p · weight_decay · learning_rate;
// - gate (bool): when it is false nothing changes, and in place nothing is touched.
struct SgdScalars {
  Tensor learning_rate, momentum, weight_decay = {}, gate = {};
};
struct RmspropScalars {
  Tensor learning_rate, rho, momentum, epsilon, weight_decay = {}, gate = {};
};
struct AdamScalars {
  Tensor learning_rate, step /* int64: updates made before this one */, beta_1, beta_2, epsilon, weight_decay = {},
                                                                                                 gate = {};
};

struct SgdUpdate {
  std::vector<Tensor> params, momenta;
};
// Momenta: empty, or one per parameter.
SgdUpdate sgd_update(const SgdScalars& scalars, std::span<const Tensor> params, std::span<const Tensor> grads,
                     std::span<const Tensor> momenta = {}, bool nesterov = false);

struct RmspropUpdate {
  std::vector<Tensor> params, velocities, momenta, averages;
};
// Momenta and averages (of gradients, for the centered form): empty, or one per parameter.
RmspropUpdate rmsprop_update(const RmspropScalars& scalars, std::span<const Tensor> params,
                             std::span<const Tensor> grads, std::span<const Tensor> velocities,
                             std::span<const Tensor> momenta = {}, std::span<const Tensor> averages = {});

struct AdamUpdate {
  std::vector<Tensor> params, momenta, velocities, largest;
};
// Largest (the largest velocities so far, for AMSGrad): empty, or one per parameter.
AdamUpdate adam_update(const AdamScalars& scalars, std::span<const Tensor> params, std::span<const Tensor> grads,
                       std::span<const Tensor> momenta, std::span<const Tensor> velocities,
                       std::span<const Tensor> largest = {});

// How the inputs of an update are laid out: input of kind k (0 parameters, 1 gradients, 2… slots) and tensor i.
struct UpdateLayout {
  size_t scalars, slots, n;  // slots: kinds after the gradients
  bool decays, gated;
  size_t spread = 0;
  static UpdateLayout of(const OpDef& op, Attrs attrs, size_t inputs);
  size_t decay() const { return scalars - 1 - gated; }  // inputs, where they are there
  size_t gate() const { return scalars - 1; }
  size_t in(size_t kind, size_t i) const { return scalars + kind * n + i; }
  bool is_spread(size_t i) const { return i + spread >= n; }
  size_t places(size_t i) const { return in(2 + slots, 0) + i + spread - n; }             // where it is spread
  size_t out(size_t kind, size_t i) const { return (kind == 0 ? 0 : kind - 1) * n + i; }  // kind ≠ 1
};

}  // namespace brio
