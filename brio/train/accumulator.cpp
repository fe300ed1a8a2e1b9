#include "brio/train/accumulator.h"

#include <algorithm>

#include "brio/nn/module.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::train {

void Accumulator::build(std::span<const Variable> weights) {
  if (std::ranges::equal(weights_, weights)) return;
  weights_.assign(weights.begin(), weights.end());
  seen_.assign(weights_.size(), false);
  sums_.clear();
  for (const Variable& weight : weights_)
    sums_.push_back(nn::zero_variable(weight.impl()->aval, weight.name() + "/gradient", Owner::gradients));
  losses_ = nn::zero_variable({Shape(), f32}, "accumulated_loss", Owner::gradients);
  counts_ = nn::zero_variable({Shape(), f32}, "accumulated_count", Owner::gradients);
}

void Accumulator::add(std::vector<Tensor> gradients, const Tensor& loss, const Tensor& count) {
  counted_ = count.defined();
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (!gradients[i].defined()) continue;
    seen_[i] = true;
    sums_[i].assign_add(gradients[i]);
  }
  losses_.assign_add(cast(loss, f32));
  if (counted_) counts_.assign_add(cast(count, f32));
}

Tensor Accumulator::mean_of(const Variable& sum) const {
  const Tensor value = sum.value();
  return counted_ ? divide_no_nan(value, cast(counts_, value.dtype())) : value;
}

Tensor Accumulator::loss() const { return mean_of(losses_); }

void Accumulator::apply(const nn::Optimizer& optimizer) {
  std::vector<Tensor> gradients(sums_.size());
  for (size_t i = 0; i < sums_.size(); ++i)
    if (seen_[i]) gradients[i] = mean_of(sums_[i]);
  optimizer.apply_gradients(std::move(gradients), weights_);
}

// After everything that reads them, so that they are written in place.
void Accumulator::clear() {
  for (Variable& sum : sums_) sum.assign(zeros_like(sum));
  losses_.assign(zeros_like(losses_));
  counts_.assign(zeros_like(counts_));
}

}  // namespace brio::train
