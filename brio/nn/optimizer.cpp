#include "brio/nn/optimizer.h"

#include <iostream>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/nn/module.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/maths.h"
#include "brio/ops/optimizer_ops.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

Variable scalar_variable(std::string name, DType dtype, uint64_t bits) {
  Array array = Array::allocate({Shape(), dtype});
  std::memcpy(array.data(), &bits, size_of(dtype));
  return Variable(Tensor(std::move(array)), {.name = std::move(name), .trainable = false, .owner = Owner::optimizer});
}

void check_clip(const std::string& name, const char* what, const std::optional<double>& value) {
  if (value && !(*value > 0))
    throw InvalidArgument(cat("[", name, "] ", what, " is ", *value, "; it must be above 0"));
}

}  // namespace

OptimizerRule::OptimizerRule(std::string name_, double rate, GradientOptions options, std::vector<std::string> slots)
    : name(std::move(name_)),
      learning_rate(scalar_variable(name + "/learning_rate", f64, to_bits(rate))),
      iterations(scalar_variable(name + "/iteration", i64, 0)),
      options_(options),
      slots_(std::move(slots)) {
  if (!(rate >= 0)) throw InvalidArgument(cat("[", name, "] the learning rate is ", rate, "; it must be ≥ 0"));
  check_clip(name, "clipnorm", options.clipnorm);
  check_clip(name, "clipvalue", options.clipvalue);
  check_clip(name, "global_clipnorm", options.global_clipnorm);
  if (options.clipnorm.has_value() + options.clipvalue.has_value() + options.global_clipnorm.has_value() > 1)
    throw InvalidArgument(
        cat("[", name, "] more than one of clipnorm, clipvalue and global_clipnorm is set; choose one"));
}

std::vector<Variable> OptimizerRule::slot_variables() const {
  std::vector<Variable> all;
  for (const Entry& entry : entries_) all.insert(all.end(), entry.slots.begin(), entry.slots.end());
  return all;
}

// Steps usually come with the same variables in the same order: the entry at the same place is looked at first.
size_t OptimizerRule::entry_of(const Variable& variable, size_t guess) {
  const VariableImpl* impl = variable.impl().get();
  if (guess < entries_.size() && entries_[guess].variable.impl().get() == impl) return guess;
  if (auto known = index_.find(impl); known != index_.end()) return known->second;
  if (!is_floating(variable.dtype()))
    throw InvalidArgument(cat("[", name, "] variable '", variable.name(), "' is ", variable.dtype(),
                              "; only floating-point variables can be trained"));
  Entry entry{variable, {}};
  for (const std::string& slot : slots_)
    entry.slots.push_back(zero_variable(impl->aval, cat(variable.name(), "/", slot), Owner::optimizer));
  entries_.push_back(std::move(entry));
  index_.emplace(impl, entries_.size() - 1);
  return entries_.size() - 1;
}

void OptimizerRule::build(std::span<const Variable> variables) {
  for (size_t i = 0; i < variables.size(); ++i) entry_of(variables[i], i);
}

Tensor OptimizerRule::number(double value) const { return host_scalar(to_bits(value), f64); }

void OptimizerRule::apply(std::vector<Tensor> gradients, std::span<const Variable> variables) {
  if (gradients.size() != variables.size())
    throw InvalidArgument(cat("[", name, "] ", gradients.size(), " gradients are given for ", variables.size(),
                              " variables; there must be one each"));
  step_variables_.clear();
  step_entries_.clear();
  size_t n = 0;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const Variable& variable = variables[i];
    if (!variable.impl()) throw InvalidArgument(cat("[", name, "] variable ", i, " is none; give it a value"));
    if (!(gradients[i].shape() == variable.shape()))
      throw InvalidArgument(cat("[", name, "] the gradient of '", variable.name(), "' has shape ",
                                gradients[i].shape(), ", but the variable ", variable.shape()));
    step_entries_.push_back(entry_of(variable, i));
    step_variables_.push_back(&variable);
    if (gradients[i].dtype() != variable.dtype()) gradients[i] = cast(gradients[i], variable.dtype());
    if (n != i) gradients[n] = std::move(gradients[i]);
    ++n;
  }
  if (n == 0)
    throw InvalidArgument(cat("[", name, "] none of the ", variables.size(),
                              " variables has a gradient; read them under "
                              "the tape, and let the loss depend on them"));
  if (n != gradients.size()) {
    if (!std::exchange(warned_, true))
      std::cerr << "brio: [" << name << "] " << gradients.size() - n << " of " << gradients.size()
                << " variables have no gradient and stay as they are\n";
    gradients.resize(n);
  }
  clip(gradients);
  // One update per dtype; nearly always there is one.
  const DType first = step_variables_[0]->dtype();
  bool mixed = false;
  for (const Variable* variable : step_variables_) mixed |= variable->dtype() != first;
  if (!mixed) {
    update(step_variables_, gradients, step_entries_);
  } else {
    for (const DType dtype : {f64, f32, f16, bf16}) {
      std::vector<const Variable*> of_dtype;
      std::vector<Tensor> their_gradients;
      std::vector<size_t> their_entries;
      for (size_t i = 0; i < n; ++i) {
        if (step_variables_[i]->dtype() != dtype) continue;
        of_dtype.push_back(step_variables_[i]);
        their_gradients.push_back(gradients[i]);
        their_entries.push_back(step_entries_[i]);
      }
      if (!of_dtype.empty()) update(of_dtype, their_gradients, their_entries);
    }
  }
  gradients.clear();  // one that nobody else holds need not exist after the step
  if (traced_function(current_recording())) {
    Variable(iterations).assign(iterations.value() + constant(1, i64));
    return;
  }
  flush();
  count_eager_step();
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

void OptimizerRule::update(std::span<const Variable* const> variables, std::span<Tensor> gradients,
                           std::span<const size_t> entries) {
  const size_t n = variables.size(), kinds = 2 + slots_.size();
  if (!update_.op || update_.scalars.empty()) fill(update_);
  // The old values: nobody but the recording may hold them when the step runs.
  struct Release {
    OptimizerRule& rule;
    ~Release() {
      rule.inputs_.clear();
      rule.outputs_.clear();
    }
  } release{*this};
  inputs_.push_back(learning_rate.value());
  for (const Tensor& scalar : update_.scalars) inputs_.push_back(scalar.defined() ? scalar : iterations.value());
  const size_t scalars = inputs_.size();
  inputs_.resize(scalars + kinds * n);
  for (size_t i = 0; i < n; ++i) {
    Tensor& parameter = inputs_[scalars + i] = variables[i]->value();
    if (options_.weight_decay) {
      const DType dtype = parameter.dtype();
      parameter = parameter - parameter * constant(*options_.weight_decay, dtype) * cast(inputs_[0], dtype);
    }
    inputs_[scalars + n + i] = gradients[i];
    for (size_t s = 0; s < slots_.size(); ++s)
      inputs_[scalars + (2 + s) * n + i] = entries_[entries[i]].slots[s].value();
  }
  impls_.clear();
  for (const Tensor& input : inputs_) impls_.push_back(input.impl());
  if (n == 1 && slots_.empty()) {
    const Tensor updated = record(*update_.op, impls_, update_.attrs);
    Variable(*variables[0]).assign(updated);
    return;
  }
  outputs_ = record_many(*update_.op, impls_, update_.attrs);
  for (size_t i = 0; i < n; ++i) {
    Variable(*variables[i]).assign(outputs_[i]);
    for (size_t s = 0; s < slots_.size(); ++s) entries_[entries[i]].slots[s].assign(outputs_[(1 + s) * n + i]);
  }
}

// In eager code the count is a host number, given to the variable after the run: counting adds nothing to the step,
// and a step that failed is not counted. What functions counted in their plans is read when eager code comes back to
// it.
void OptimizerRule::count_eager_step() {
  Variable counter = iterations;
  const Tensor now = counter.value();
  if (now.impl() != counted_.impl()) steps_ = now.item<int64_t>();
  counted_ = host_scalar(static_cast<uint64_t>(++steps_), i64);
  counter.assign(counted_);
}

void Optimizer::apply_gradients(std::vector<Tensor> gradients, std::span<const Variable> variables) const {
  rule_->apply(std::move(gradients), variables);
}

const std::string& Optimizer::name() const { return rule_->name; }
Variable Optimizer::learning_rate() const { return rule_->learning_rate; }
void Optimizer::set_learning_rate(double rate) const {
  if (!(rate >= 0)) throw InvalidArgument(cat("[", name(), "] the learning rate is ", rate, "; it must be ≥ 0"));
  learning_rate().assign(Tensor::from(&rate, Shape()));
}
Variable Optimizer::iterations() const { return rule_->iterations; }
void Optimizer::build(std::span<const Variable> variables) const { rule_->build(variables); }
std::vector<Variable> Optimizer::variables() const {
  std::vector<Variable> all = {rule_->iterations, rule_->learning_rate};
  const std::vector<Variable> slots = rule_->slot_variables();
  all.insert(all.end(), slots.begin(), slots.end());
  return all;
}

Optimizer::Optimizer(std::string_view name) {
  if (name == "sgd" || name == "SGD") *this = SGD();
  else if (name == "rmsprop" || name == "RMSprop") *this = RMSprop();
  else if (name == "adam" || name == "Adam") *this = Adam();
  else {
    constexpr std::string_view known[] = {"sgd", "rmsprop", "adam"};
    throw_unknown("optimizer", name, known);
  }
}

// ---- The rules. A scalar that is "none" in fill() stands for the step count.

namespace {

template <typename Options>
GradientOptions gradient_options(const Options& o) {
  return {o.clipnorm, o.clipvalue, o.global_clipnorm, o.weight_decay};
}

void check_share(const std::string& name, const char* what, double value) {
  if (!(value >= 0 && value <= 1))
    throw InvalidArgument(cat("[", name, "] ", what, " is ", value, "; it lies in [0, 1]"));
}

class SGDRule : public OptimizerRule {
 public:
  SGDRule(double rate, const SGDOptions& o)
      : OptimizerRule(o.name, rate, gradient_options(o),
                      o.momentum != 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{}),
        o_(o) {
    check_share(name, "momentum", o.momentum);
  }

 protected:
  void fill(Update& u) override {
    const bool has_momentum = o_.momentum != 0;
    u = {&op::sgd_update, {number(o_.momentum)}, {o_.nesterov && has_momentum, has_momentum}};
  }

 private:
  SGDOptions o_;
};

class RMSpropRule : public OptimizerRule {
 public:
  RMSpropRule(double rate, const RMSpropOptions& o)
      : OptimizerRule(o.name, rate, gradient_options(o), slots(o)), o_(o) {
    check_share(name, "rho", o.rho);
    check_share(name, "momentum", o.momentum);
  }

 protected:
  void fill(Update& u) override {
    u = {&op::rmsprop_update,
         {number(o_.rho), number(o_.momentum), number(o_.epsilon)},
         {o_.centered, o_.momentum > 0}};
  }

 private:
  static std::vector<std::string> slots(const RMSpropOptions& o) {
    std::vector<std::string> names = {"velocity"};
    if (o.momentum > 0) names.push_back("momentum");
    if (o.centered) names.push_back("average_gradient");
    return names;
  }
  RMSpropOptions o_;
};

class AdamRule : public OptimizerRule {
 public:
  AdamRule(double rate, const AdamOptions& o)
      : OptimizerRule(o.name, rate, gradient_options(o),
                      o.amsgrad ? std::vector<std::string>{"momentum", "velocity", "velocity_hat"}
                                : std::vector<std::string>{"momentum", "velocity"}),
        o_(o) {
    check_share(name, "beta_1", o.beta_1);
    check_share(name, "beta_2", o.beta_2);
  }

 protected:
  void fill(Update& u) override {
    u = {&op::adam_update, {Tensor(), number(o_.beta_1), number(o_.beta_2), number(o_.epsilon)}, {o_.amsgrad}};
  }

 private:
  AdamOptions o_;
};

}  // namespace

SGD::SGD(double rate, SGDOptions o) : Optimizer(std::make_shared<SGDRule>(rate, o)) {}
RMSprop::RMSprop(double rate, RMSpropOptions o) : Optimizer(std::make_shared<RMSpropRule>(rate, o)) {}
Adam::Adam(double rate, AdamOptions o) : Optimizer(std::make_shared<AdamRule>(rate, o)) {}

}  // namespace brio::nn
