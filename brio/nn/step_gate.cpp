#include "brio/nn/step_gate.h"

#include <algorithm>
#include <utility>

#include "brio/ops/body_variables.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/reduction.h"

namespace brio::nn {

constinit thread_local StepGate* StepGate::current_ = nullptr;

// The sum of all shows it: finite numbers whose sum is not are as far gone. In float32, as sums of float16 overflow.
Tensor zero_if_finite(std::span<const Tensor> values) {
  Tensor flag;
  for (const Tensor& x : values) {
    if (!x.defined() || !(is_floating(x.dtype()) || is_complex(x.dtype()))) continue;
    const Tensor wide = x.dtype() == f16 || x.dtype() == bf16 ? cast(x, f32) : x;
    const Tensor own = cast(sum(wide) * constant(0, wide.dtype()), f32);
    flag = flag.defined() ? flag + own : own;
  }
  return flag;
}

StepGate::StepGate() : before_(std::exchange(current_, this)) {}
StepGate::~StepGate() { current_ = before_; }

void StepGate::watch(std::span<const Tensor> values) { add(zero_if_finite(values)); }
void StepGate::add(const Tensor& flag) {
  if (flag.defined()) flag_ = flag_.defined() ? flag_ + flag : flag;
}

Tensor StepGate::open() const { return flag_.defined() ? equal(flag_, constant(0, f32)) : Tensor(); }

void StepGate::hold_all_but(std::span<const Variable> variables) const {
  const Tensor gate = open();
  if (!gate.defined()) return;
  for (const VariableRef& assigned : assigned_by_trace()) {
    if (std::ranges::find(variables, assigned, &Variable::impl) != variables.end()) continue;
    assign_variable(assigned, select(gate, read_variable(assigned), value_before_trace(assigned)));
  }
}

}  // namespace brio::nn
