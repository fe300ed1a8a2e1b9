#include "brio/nn/optimizer_rule.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <regex>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/module.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/maths.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

Variable scalar_variable(std::string name, DType dtype, uint64_t bits) {
  Array array = Array::allocate({Shape(), dtype});
  std::memcpy(array.data(), &bits, size_of(dtype));
  return Variable(Tensor(std::move(array)), {.name = std::move(name), .trainable = false, .owner = Owner::optimizer});
}

void check_positive(const std::string& name, const char* what, const std::optional<double>& value) {
  if (value && !(*value > 0))
    throw InvalidArgument(cat("[", name, "] ", what, " is ", *value, "; it must be above 0"));
}

void check_count(const std::string& name, const char* what, const std::optional<int64_t>& value, int64_t least) {
  if (value && *value < least)
    throw InvalidArgument(cat("[", name, "] ", what, " is ", *value, "; it must be at least ", least));
}

void check_rate(const std::string& name, double rate) {
  if (!(rate >= 0)) throw InvalidArgument(cat("[", name, "] the learning rate is ", rate, "; it must be ≥ 0"));
}

// The variable's next value; what it is, where a gate is shut.
void write(Variable variable, const Tensor& value, const Tensor& gate) {
  variable.assign(gate.defined() ? select(gate, value, variable.value()) : value);
}

Tensor both(const Tensor& gate, const Tensor& condition) {
  return gate.defined() ? logical_and(gate, condition) : condition;
}

Tensor is_multiple(const Tensor& count, int64_t of) { return equal(count % constant(of, i64), constant(0, i64)); }

}  // namespace

void check_share(const std::string& optimizer, const char* option, double value) {
  if (!(value >= 0 && value <= 1))
    throw InvalidArgument(cat("[", optimizer, "] ", option, " is ", value, "; it lies in [0, 1]"));
}

void check_not_negative(const std::string& optimizer, const char* option, double value) {
  if (!(value >= 0)) throw InvalidArgument(cat("[", optimizer, "] ", option, " is ", value, "; it must be ≥ 0"));
}

bool matches_any(const std::string& optimizer, std::span<const std::string> patterns, const std::string& text) {
  for (const std::string& pattern : patterns) {
    try {
      if (std::regex_search(text, std::regex(pattern))) return true;
    } catch (const std::regex_error&) {
      throw InvalidArgument(cat("[", optimizer, "] '", pattern, "' is not a regular expression; correct it"));
    }
  }
  return false;
}

Tensor ParameterUpdate::number(double value) const { return constant(value, p.dtype()); }

OptimizerRule::OptimizerRule(const LearningRate& rate, SharedOptimizerOptions options, Formula formula)
    : options_(std::move(options)),
      formula_(std::move(formula)),
      iterations_(scalar_variable(name() + "/iteration", i64, 0)),
      learning_rate_(scalar_variable(name() + "/learning_rate", f64, to_bits(rate.number))),
      schedule_(rate.schedule) {
  const SharedOptimizerOptions& o = options_;
  check_rate(name(), rate.number);
  check_positive(name(), "clipnorm", o.clipnorm);
  check_positive(name(), "clipvalue", o.clipvalue);
  check_positive(name(), "global_clipnorm", o.global_clipnorm);
  if (o.clipnorm.has_value() + o.clipvalue.has_value() + o.global_clipnorm.has_value() > 1)
    throw InvalidArgument(
        cat("[", name(), "] more than one of clipnorm, clipvalue and global_clipnorm is set; choose one"));
  if (o.weight_decay) check_not_negative(name(), "weight_decay", *o.weight_decay);
  check_share(name(), "ema_momentum", o.ema_momentum);
  check_count(name(), "ema_overwrite_frequency", o.ema_overwrite_frequency, 1);
  check_positive(name(), "loss_scale_factor", o.loss_scale_factor);
  check_count(name(), "gradient_accumulation_steps", o.gradient_accumulation_steps, 2);
}

// ---- State

// Steps usually come with the same variables in the same order: the entry at the same place is looked at first.
size_t OptimizerRule::entry_of(const Variable& variable, size_t guess) {
  const VariableImpl* impl = variable.impl().get();
  if (guess < entries_.size() && entries_[guess].variable.impl().get() == impl) return guess;
  if (auto known = index_.find(impl); known != index_.end()) return known->second;
  if (!is_floating(variable.dtype()))
    throw InvalidArgument(cat("[", name(), "] variable '", variable.name(), "' is ", variable.dtype(),
                              "; only floating-point variables can be trained"));
  Entry entry{variable, {variable.dtype(), 1, {}}, {}, {}, {}, {}};
  const bool decays = std::ranges::find(never_decay_, variable) == never_decay_.end() &&
                      !matches_any(name(), never_decay_names_, variable.name());
  if (decays) entry.group.decay = formula_.weight_decay ? formula_.weight_decay(variable) : options_.weight_decay;
  for (const auto& [of, factor] : multipliers_)
    if (of == variable) entry.group.factor = factor;
  if (options_.use_ema) entry.average = make_slot(variable, {.name = "average"});
  if (options_.gradient_accumulation_steps) entry.accumulator = make_slot(variable, {.name = "gradient_accumulator"});
  for (const Slot& slot : formula_.slots(variable)) {
    entry.slots.push_back(make_slot(variable, slot));
    entry.passes.push_back(slot.pass);
  }
  if (formula_.shared && !shared_.impl()) {
    EagerScope scope;
    shared_ =
        Variable(cast(constant(formula_.shared->initial, f64), variable.dtype()),
                 {.name = cat(name(), "/", formula_.shared->name), .trainable = false, .owner = Owner::optimizer});
    shared_.value().array();
  }
  entries_.push_back(std::move(entry));
  index_.emplace(impl, entries_.size() - 1);
  return entries_.size() - 1;
}

Variable OptimizerRule::make_slot(const Variable& variable, const Slot& slot) const {
  std::string path = variable.name();
  std::ranges::replace(path, '/', '_');
  path = cat(name(), "/", path, slot.name.empty() ? "" : "_", slot.name);
  const Aval aval = slot.aval.value_or(variable.impl()->aval);
  if (slot.initial == 0) return zero_variable(aval, path, Owner::optimizer);
  EagerScope scope;
  const Tensor initial = broadcast_to(constant(slot.initial, aval.dtype), aval.shape);
  initial.array();
  return Variable(initial, {.name = path, .trainable = false, .owner = Owner::optimizer});
}

void OptimizerRule::build(std::span<const Variable> variables) {
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].impl()) throw InvalidArgument(cat("[", name(), "] variable ", i, " is none; give it a value"));
    entry_of(variables[i], i);
  }
}

std::vector<Variable> OptimizerRule::variables() const {
  std::vector<Variable> all = {iterations_};
  if (!schedule_) all.push_back(learning_rate_);
  for (const Entry& entry : entries_)
    if (entry.average.impl()) all.push_back(entry.average);
  for (const Entry& entry : entries_)
    if (entry.accumulator.impl()) all.push_back(entry.accumulator);
  int last = 0;
  for (const Entry& entry : entries_)
    for (int pass : entry.passes) last = std::max(last, pass);
  for (int pass = 0; pass <= last; ++pass)
    for (const Entry& entry : entries_)
      for (size_t s = 0; s < entry.slots.size(); ++s)
        if (entry.passes[s] == pass) all.push_back(entry.slots[s]);
  if (shared_.impl()) all.push_back(shared_);
  return all;
}

Tensor OptimizerRule::learning_rate() const {
  return schedule_ ? cast((*schedule_)(iterations_.value()), f64) : learning_rate_.value();
}

void OptimizerRule::set_learning_rate(const LearningRate& rate) {
  if (rate.schedule) {
    schedule_ = rate.schedule;
    return;
  }
  if (schedule_)
    throw InvalidArgument(cat("[", name(), "] the learning rate comes from a schedule and cannot be set to ",
                              rate.number, "; make the optimizer with a number, or set another schedule"));
  check_rate(name(), rate.number);
  learning_rate_.assign(Tensor::from(&rate.number, Shape()));
}

Tensor OptimizerRule::iterations() const {
  const Tensor steps = iterations_.value();
  if (!options_.gradient_accumulation_steps) return steps;
  return floor_div(steps, constant(*options_.gradient_accumulation_steps, i64));
}

Tensor OptimizerRule::scale_loss(const Tensor& loss) const {
  return options_.loss_scale_factor ? loss * constant(*options_.loss_scale_factor, loss.dtype()) : loss;
}

void OptimizerRule::set_multiplier(const Variable& variable, double factor) {
  if (!variable.impl()) throw InvalidArgument(cat("[", name(), "] the variable is none; give it a value"));
  if (!(factor >= 0) || std::isinf(factor))
    throw InvalidArgument(cat("[", name(), "] the learning rate multiplier of '", variable.name(), "' is ", factor,
                              "; it must be finite and ≥ 0"));
  multipliers_.emplace_back(variable, factor);
  if (auto known = index_.find(variable.impl().get()); known != index_.end())
    entries_[known->second].group.factor = factor;
}

void OptimizerRule::exclude_from_decay(std::span<const Variable> variables, std::span<const std::string> names) {
  if (!entries_.empty())
    throw InvalidArgument(cat("[", name(),
                              "] exclude_from_weight_decay comes after the optimizer was built; call it "
                              "before build, fit and the first step"));
  matches_any(name(), names, "");  // that they can be read
  never_decay_.assign(variables.begin(), variables.end());
  never_decay_names_.assign(names.begin(), names.end());
}

void OptimizerRule::finalize(std::span<const Variable> variables) {
  if (!options_.use_ema) return;
  for (const Variable& variable : variables) {
    const auto known = index_.find(variable.impl().get());
    if (known == index_.end())
      throw InvalidArgument(cat("[", name(), "] there is no average of variable '", variable.name(),
                                "'; finalize the variables that were trained"));
    Variable(variable).assign(entries_[known->second].average.value());
  }
}

// ---- A step

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
  gradients.clear();  // one that nobody else holds need not exist after the step
  if (options_.use_ema) average(gate);
  if (traced_function(current_recording()) || gate.defined()) {
    iterations_.assign(iterations_.value() + (gate.defined() ? cast(gate, i64) : constant(1, i64)));
    if (!traced_function(current_recording())) flush();
    return;
  }
  flush();
  count_eager_step();
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
    if (gradients[i].dtype() != variable.dtype()) gradients[i] = cast(gradients[i], variable.dtype());
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
  return both(gate, due);
}

void OptimizerRule::clip(std::vector<Tensor>& gradients) const {
  if (options_.clipnorm) {
    for (Tensor& g : gradients) g = clip_by_norm(g, constant(*options_.clipnorm, g.dtype()));
  } else if (options_.global_clipnorm) {
    Tensor squares;
    const DType dtype = gradients[0].dtype();
    for (const Tensor& g : gradients) {
      const Tensor own = g.dtype() == dtype ? sum(square(g)) : cast(sum(square(g)), dtype);
      squares = squares.defined() ? squares + own : own;
    }
    const Tensor length = sqrt(squares), one = constant(1, dtype);
    const Tensor scale = constant(*options_.global_clipnorm, dtype) *
                         minimum(one / length, constant(1 / *options_.global_clipnorm, dtype));
    const Tensor finite = scale + (length - length);  // NaN where the length is not finite, as in Keras
    for (Tensor& g : gradients) g = g * (g.dtype() == dtype ? finite : cast(finite, g.dtype()));
  } else if (options_.clipvalue) {
    for (Tensor& g : gradients)
      g = clip_by_value(g, constant(-*options_.clipvalue, g.dtype()), constant(*options_.clipvalue, g.dtype()));
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
  // The old values: nobody but the recording may hold them when the step runs.
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
    overwrites = both(gate, is_multiple(before + constant(1, i64), *options_.ema_overwrite_frequency));
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
