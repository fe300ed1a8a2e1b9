#include "brio/nn/optimizers/optimizer_rule.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "brio/base/error.h"
#include "brio/nn/module.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"

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

}  // namespace

void check_share(const std::string& optimizer, const char* option, double value) {
  if (!(value >= 0 && value <= 1))
    throw InvalidArgument(cat("[", optimizer, "] ", option, " is ", value, "; it lies in [0, 1]"));
}

void check_not_negative(const std::string& optimizer, const char* option, double value) {
  if (!(value >= 0)) throw InvalidArgument(cat("[", optimizer, "] ", option, " is ", value, "; it must be ≥ 0"));
}

OptimizerRule::OptimizerRule(const LearningRate& rate, SharedOptimizerOptions options, Formula formula,
                             Settings settings)
    : options_(std::move(options)),
      formula_(std::move(formula)),
      settings_(std::move(settings)),
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
  Tensor steps = iterations_.value();
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

}  // namespace brio::nn
