// Accumulator: gradients of the parts of a batch, added up until the batch is through.
//
// The loss of a part is a mean over what counts in it (rows, or what a mask or weights leave). The mean over the
// whole batch is the mean of these, each counted so often: so gradients are added up times their count, and divided
// by the sum of counts at the end.
#pragma once

#include <span>
#include <vector>

#include "brio/nn/optimizers/optimizer.h"
#include "brio/ops/control/variable.h"

namespace brio::train {

class Accumulator {
 public:
  void build(std::span<const Variable> weights);  // keeps what it has for the same ones
  // The parts of a step, for tracing: `count` of this part (its loss and gradients are times that already), or none
  // where losses are sums.
  void add(std::vector<Tensor> gradients, const Tensor& loss, const Tensor& count);
  Tensor loss() const;  // of all parts together
  void apply(const nn::Optimizer& optimizer);
  void clear();  // begins again at zero

 private:
  Tensor mean_of(const Variable& sum) const;

  std::vector<Variable> weights_, sums_;
  std::vector<bool> seen_;  // which weights have a gradient
  Variable losses_, counts_;
  bool counted_ = false;
};

}  // namespace brio::train
