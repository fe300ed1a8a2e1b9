// One step of an OptimizerRule, in Keras' order: unscale, accumulate, clip, decay, update, average, constrain, count.
#include <algorithm>
#include <iostream>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/optimizers/optimizer_rule.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/profile/recorder.h"

namespace brio::nn {
namespace {

// The variable's next value; what it is, where a gate is shut.
void write(Variable variable, const Tensor& value, const Tensor& gate) {
  variable.assign(gate.defined() ? select(gate, value, variable.value()) : value);
}

Tensor open_when(const Tensor& gate, const Tensor& condition) {
  return gate.defined() ? logical_and(gate, condition) : condition;
}

Tensor is_multiple(const Tensor& count, int64_t of) { return equal(count % constant(of, i64), constant(0, i64)); }

}  // namespace

Tensor ParameterUpdate::number(double value) const { return constant(value, p.dtype()); }

OptimizerRule::~OptimizerRule() { profile::forget_key(this); }

void OptimizerRule::apply(std::vector<Tensor> gradients, std::span<const Variable> variables, const Tensor& gate) {
  take_gradients(gradients, variables);
  // A gate usually comes from a look at the gradients. What follows is made to wait for it: fused with that look, new
  // values of everything would be kept beside the old ones until the gate is known.
  if (gate.defined() && (formula_.update || options_.gradient_accumulation_steps))
    for (Tensor& g : gradients) g = select(gate, g, constant(0, g.dtype()));
  const Tensor due = options_.gradient_accumulation_steps ? accumulate(gradients, gate) : gate;
  clip(gradients);
  if (formula_.update) update_each(gradients, due);
  else update_together(gradients, due);
  gradients.clear();  // a gradient without another owner need not exist after the step
  if (options_.use_ema) average(gate);
  constrain(gate);
  const bool traced = traced_function(current_recording()) != nullptr;
  if (traced) profile::optimizer_step_traced();
  if (traced || gate.defined()) {
    iterations_.assign(iterations_.value() + (gate.defined() ? cast(gate, i64) : constant(1, i64)));
    if (traced) return;
    flush();
  } else {
    flush();
    count_eager_step();
  }
  profile::eager_step_ended(this);
}

// Leaves the gradients that there are, in the dtypes of their variables, whose entries become step_entries_.
void OptimizerRule::take_gradients(std::vector<Tensor>& gradients, std::span<const Variable> variables) {
  if (gradients.size() != variables.size())
    throw InvalidArgument(cat("[", name(), "] ", gradients.size(), " gradients are given for ", variables.size(),
                              " variables; there must be one each"));
  if (entries_.empty()) build(variables);
  step_entries_.clear();
  size_t n = 0;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const Variable& variable = variables[i];
    if (!variable.impl()) throw InvalidArgument(cat("[", name(), "] variable ", i, " is none; give it a value"));
    if (!(gradients[i].shape() == variable.shape()))
      throw InvalidArgument(cat("[", name(), "] the gradient of '", variable.name(), "' has shape ",
                                gradients[i].shape(), ", but the variable ", variable.shape()));
    step_entries_.push_back(entry_of(variable, i));
    if (options_.loss_scale_factor)
      gradients[i] = gradients[i] / constant(*options_.loss_scale_factor, gradients[i].dtype());
    gradients[i] = cast(gradients[i], variable.dtype());
    if (n != i) gradients[n] = std::move(gradients[i]);
    ++n;
  }
  if (n == 0)
    throw InvalidArgument(cat("[", name(), "] none of the ", variables.size(),
                              " variables has a gradient; read them under "
                              "the tape, and let the loss depend on them"));
  if (n == gradients.size()) return;
  if (!std::exchange(warned_, true))
    std::cerr << "brio: [" << name() << "] " << gradients.size() - n << " of " << gradients.size()
              << " variables have no gradient and stay as they are\n";
  gradients.resize(n);
}

// Every so many steps the gradients become the mean since the last time. Returns whether that is now.
Tensor OptimizerRule::accumulate(std::vector<Tensor>& gradients, const Tensor& gate) {
  const int64_t steps = *options_.gradient_accumulation_steps;
  const Tensor due = is_multiple(iterations_.value() + constant(1, i64), steps);
  std::vector<Tensor> sums(entries_.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    const DType dtype = gradients[i].dtype();
    const Tensor sum = gradients[i] + entries_[step_entries_[i]].accumulator.value();
    sums[step_entries_[i]] = sum;
    gradients[i] = sum / constant(steps, dtype);
  }
  for (size_t e = 0; e < entries_.size(); ++e) {
    const Variable& accumulator = entries_[e].accumulator;
    const Tensor sum = sums[e].defined() ? sums[e] : accumulator.value();
    write(accumulator, select(due, zeros_like(sum), sum), gate);
  }
  return open_when(gate, due);
}

// Puts the weights where their constraints want them. Weights without one cost nothing here.
void OptimizerRule::constrain(const Tensor& gate) {
  for (const size_t e : step_entries_) {
    const Variable& variable = entries_[e].variable;
    if (variable.impl()->constraint) write(variable, variable.impl()->constraint(variable.value()), gate);
  }
}

void OptimizerRule::clip(std::vector<Tensor>& gradients) const {
  if (options_.clipnorm) {
    for (Tensor& g : gradients) g = clip_by_norm(g, *options_.clipnorm);
  } else if (options_.global_clipnorm) {
    gradients = clip_by_global_norm(gradients, *options_.global_clipnorm).tensors;
  } else if (options_.clipvalue) {
    for (Tensor& g : gradients) g = clip_by_value(g, -*options_.clipvalue, *options_.clipvalue);
  }
}

// One fused update per group; nearly always there is one.
void OptimizerRule::update_together(std::span<Tensor> gradients, const Tensor& gate) {
  const Group& first = entries_[step_entries_[0]].group;
  bool mixed = false;
  for (size_t e : step_entries_) mixed |= !(entries_[e].group == first);
  if (!mixed) return update_group(first, gradients, step_entries_, gate);
  std::vector<Group> groups;
  for (size_t e : step_entries_)
    if (std::ranges::find(groups, entries_[e].group) == groups.end()) groups.push_back(entries_[e].group);
  for (const Group& group : groups) {
    std::vector<Tensor> its_gradients;
    std::vector<size_t> its_entries;
    for (size_t i = 0; i < step_entries_.size(); ++i) {
      if (!(entries_[step_entries_[i]].group == group)) continue;
      its_gradients.push_back(gradients[i]);
      its_entries.push_back(step_entries_[i]);
    }
    update_group(group, its_gradients, its_entries, gate);
  }
}

void OptimizerRule::update_group(const Group& group, std::span<Tensor> gradients, std::span<const size_t> entries,
                                 const Tensor& gate) {
  // The old values: only the recording may hold them when the step runs.
  struct Release {
    OptimizerRule& rule;
    ~Release() {
      rule.inputs_.clear();
      rule.outputs_.clear();
    }
  } release{*this};
  inputs_.push_back(learning_rate());
  if (group.factor != 1) inputs_[0] = inputs_[0] * constant(group.factor, f64);
  for (const Tensor& number : formula_.fused.numbers) inputs_.push_back(number.defined() ? number : iterations());
  if (group.decay) inputs_.push_back(host_scalar(to_bits(*group.decay), f64));
  if (gate.defined()) inputs_.push_back(gate);
  const size_t n = entries.size(), scalars = inputs_.size(), slots = entries_[entries[0]].slots.size();
  inputs_.resize(scalars + (2 + slots) * n);
  for (size_t i = 0; i < n; ++i) {
    const Entry& entry = entries_[entries[i]];
    inputs_[scalars + i] = entry.variable.value();
    inputs_[scalars + n + i] = gradients[i];
    for (size_t s = 0; s < slots; ++s) inputs_[scalars + (2 + s) * n + i] = entry.slots[s].value();
  }
  impls_.clear();
  for (const Tensor& input : inputs_) impls_.push_back(input.impl());
  attrs_ = formula_.fused.attrs;
  attrs_.push_back(group.decay.has_value());
  attrs_.push_back(gate.defined());
  attrs_.push_back(0);  // the planner finds out which gradients are rows
  if (n == 1 && slots == 0) {
    entries_[entries[0]].variable.assign(record(*formula_.fused.op, impls_, attrs_));
    return;
  }
  outputs_ = record_many(*formula_.fused.op, impls_, attrs_);
  for (size_t i = 0; i < n; ++i) {
    Entry& entry = entries_[entries[i]];
    entry.variable.assign(outputs_[i]);
    for (size_t s = 0; s < slots; ++s) entry.slots[s].assign(outputs_[(1 + s) * n + i]);
  }
}

void OptimizerRule::update_each(std::span<Tensor> gradients, const Tensor& gate) {
  const Tensor rate = learning_rate(), before = iterations(), next = before + constant(1, i64);
  Tensor shared;
  if (formula_.shared) {
    shared = formula_.advance(shared_.value(), before);
    write(shared_, shared, gate);
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    Entry& entry = entries_[step_entries_[i]];
    const DType dtype = entry.group.dtype;
    const double factor = entry.group.factor;
    ParameterUpdate u{entry.variable, entry.variable.value(), gradients[i], {}, {}, {}, before, shared, gate};
    u.rate = cast(factor == 1 ? rate : rate * constant(factor, f64), dtype);
    u.step = cast(next, dtype);
    if (entry.group.decay) u.p = u.p - u.p * u.number(*entry.group.decay) * u.rate;
    for (const Variable& slot : entry.slots) u.slots.push_back(slot.value());
    formula_.update(u);
    gradients[i] = {};
    for (size_t s = 0; s < entry.slots.size(); ++s)
      if (Tensor value = std::exchange(u.slots[s], {}); value.impl() != entry.slots[s].value().impl())
        write(entry.slots[s], value, gate);
    write(entry.variable, std::exchange(u.p, {}), gate);
  }
}

// After the update, of all weights, whether they had a gradient or not: as in Keras.
void OptimizerRule::average(const Tensor& gate) {
  const Tensor before = iterations(), started = not_equal(before, constant(0, i64));
  Tensor overwrites;
  if (options_.ema_overwrite_frequency)
    overwrites = open_when(gate, is_multiple(before + constant(1, i64), *options_.ema_overwrite_frequency));
  for (Entry& entry : entries_) {
    const DType dtype = entry.group.dtype;
    const Tensor p = entry.variable.value();
    const Tensor momentum = cast(started, dtype) * constant(options_.ema_momentum, dtype);
    const Tensor average = momentum * entry.average.value() + (constant(1, dtype) - momentum) * p;
    write(entry.average, average, gate);
    if (overwrites.defined()) entry.variable.assign(select(overwrites, average, p));
  }
}

// In eager code the count is a host number, given to the variable after the run: counting adds nothing to the step,
// and a step that failed is not counted. What functions counted in their plans is read when eager code comes back to
// it.
void OptimizerRule::count_eager_step() {
  const Tensor now = iterations_.value();
  if (now.impl() != counted_.impl()) steps_ = now.item<int64_t>();
  counted_ = host_scalar(static_cast<uint64_t>(++steps_), i64);
  iterations_.assign(counted_);
}

}  // namespace brio::nn
