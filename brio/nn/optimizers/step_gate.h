// StepGate: while a step is traced under it, the step writes its values only if its gradients and its loss are
// finite. The check is part of the plan: one flag over all gradients is the gate of the optimizers' updates.
//
//   nn::StepGate gate;
//   gate.watch(loss);
//   optimizer.apply_gradients(gradients, variables);  // under gate.open()
//   gate.hold_all_but(variables);                     // what else the step has assigned
#pragma once

#include <span>

#include "brio/ops/control/variable.h"

namespace brio::nn {

// A float32 scalar: 0, or NaN if something is not finite. Undefined values are ignored; if all are: undefined.
Tensor zero_if_finite(std::span<const Tensor> values);

class StepGate {
 public:
  StepGate();  // for this thread, until it is destroyed
  ~StepGate();
  StepGate(const StepGate&) = delete;
  static StepGate* current() { return current_; }

  void watch(std::span<const Tensor> values);
  void watch(const Tensor& value) { watch({&value, 1}); }
  void add(const Tensor& flag);  // as returned by zero_if_finite(); undefined: nothing is added
  Tensor open() const;           // bool scalar: everything watched so far is finite; undefined: nothing was
  // Variables that the trace has assigned keep their old values if the gate is not open, except for these.
  void hold_all_but(std::span<const Variable> variables) const;

 private:
  Tensor flag_;
  StepGate* before_;
  static constinit thread_local StepGate* current_;
};

}  // namespace brio::nn
