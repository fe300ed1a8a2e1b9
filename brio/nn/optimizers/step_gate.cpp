#include "brio/nn/optimizers/step_gate.h"

#include <algorithm>
#include <utility>

#include "brio/ops/control/body_variables.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {

namespace {

// By what a gradient is finite or not: that of a looked-up table, zeros with rows added, by the rows. The table need
// not be made for the look.
Tensor deciding(const Tensor& gradient) {
  Recording& recording = current_recording();
  const auto maker = [&](ValueId v) {
    const uint32_t n = recording.producers[v];
    return n == kNone ? nullptr : &recording.nodes[n];
  };
  if (gradient.impl()->recording.load() != &recording) return gradient;
  const RecordedNode* const sum = maker(gradient.impl()->value);
  if (!sum || sum->op != &op::scatter_add) return gradient;
  const RecordedNode* const base = maker(recording.inputs[sum->input]);
  const RecordedNode* const number =
      base && base->op == &op::broadcast_to ? maker(recording.inputs[base->input]) : nullptr;
  if (!number || number->op != &op::constant) return gradient;
  TensorImpl* const rows = recording.values[recording.inputs[sum->input + 2]];
  rows->refs.increment();
  return Tensor::adopt(rows);
}

}  // namespace

constinit thread_local StepGate* StepGate::current_ = nullptr;

// The sum of all shows it: finite numbers whose sum is not are as far gone. In float32, as sums of float16 overflow.
Tensor zero_if_finite(std::span<const Tensor> values) {
  Tensor flag;
  for (const Tensor& value : values) {
    if (!value.defined() || !(is_floating(value.dtype()) || is_complex(value.dtype()))) continue;
    const Tensor x = deciding(value);
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
