// StepGate: while a step is traced under it, what the step writes is written only where its gradients and its loss
// are finite. The look is part of the plan: one flag over all gradients is the gate of the optimizers' updates.
//
//   nn::StepGate gate;
//   gate.watch(loss);
//   optimizer.apply_gradients(gradients, variables);  // under gate.open()
//   gate.hold_all_but(variables);                     // what else the step has assigned
#pragma once

#include <span>

#include "brio/ops/control/variable.h"

namespace brio::nn {

// A float32 scalar: 0, or NaN where something is not finite. Those that are none are left out; none of all: none.
Tensor zero_if_finite(std::span<const Tensor> values);

class StepGate {
 public:
  StepGate();  // of this thread, until it ends
  ~StepGate();
  StepGate(const StepGate&) = delete;
  static StepGate* current() { return current_; }

  void watch(std::span<const Tensor> values);
  void watch(const Tensor& value) { watch({&value, 1}); }
  void add(const Tensor& flag);  // as zero_if_finite() gives it; none: nothing is added
  Tensor open() const;           // bool scalar: all that was watched so far is finite; none: nothing was
  // What the trace has assigned keeps its old value where the gate is not open; but for these.
  void hold_all_but(std::span<const Variable> variables) const;

 private:
  Tensor flag_;
  StepGate* before_;
  static constinit thread_local StepGate* current_;
};

}  // namespace brio::nn
