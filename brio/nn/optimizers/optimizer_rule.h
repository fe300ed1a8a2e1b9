// What optimizers share: slots, clipping, decay, accumulation, averages and the count of steps. An optimizer is a
// Formula for this rule. A formula made of ops is a function of one parameter:
//
//   Formula{.slots = like_parameter({{.name = "accumulator"}}), .update = [](ParameterUpdate& u) {
//     u.slots[0] = u.slots[0] + square(u.g);
//     u.p = u.p - u.rate * u.g / sqrt(u.slots[0]);
//   }}
//
// The planner makes one pass over memory of such a function, in place. The most common optimizers have an op that
// updates all parameters in one pass (ops/network/optimizer_ops.h).
#pragma once

#include <functional>
#include <unordered_map>

#include "brio/nn/optimizers/optimizer.h"
#include "brio/nn/option_fields.h"
#include "brio/ops/elementwise/elementwise.h"

namespace brio::nn {

struct Slot {
  std::string name;  // "momentum"
  double initial = 0;
  int pass = 0;                   // variables() lists the slots of all parameters pass by pass
  std::optional<Aval> aval = {};  // the parameter's, if not given
};
using Slots = std::function<std::vector<Slot>(const Variable&)>;
inline Slots like_parameter(std::vector<Slot> slots) {
  return [slots = std::move(slots)](const Variable&) { return slots; };
}

// One parameter in one step. A formula replaces p and the slots by their new values.
struct ParameterUpdate {
  const Variable& variable;
  Tensor p, g;  // p: after its decay
  std::vector<Tensor> slots;
  Tensor rate, step;  // in p's dtype; step: the number of this update, starting at 1
  Tensor iterations;  // int64: the number of updates before this one
  Tensor shared;      // the formula's own state, after this step's change
  Tensor gate;        // none, or a bool: false discards the update. Formulas may ignore it; costly ones use it.

  Tensor number(double value) const;  // in p's dtype
};

// All parameters at once: the inputs of an op of ops/network/optimizer_ops.h.
struct FusedUpdate {
  const OpDef* op = nullptr;
  std::vector<Tensor> numbers = {};  // between learning rate and weight decay; undefined: the step count
  std::vector<int64_t> attrs = {};   // without the last three
};

struct Formula {
  Slots slots;
  std::function<void(ParameterUpdate&)> update = {};  // or:
  FusedUpdate fused = {};
  // State of the whole optimizer: a scalar of the first parameter's dtype, changed once per step.
  std::optional<Slot> shared = {};
  std::function<Tensor(const Tensor& shared, const Tensor& iterations)> advance = {};
  // Replaces the option weight_decay.
  std::function<std::optional<double>(const Variable&)> weight_decay = {};
};

class OptimizerRule final : public OptimizerCore {
 public:
  OptimizerRule(const LearningRate& rate, SharedOptimizerOptions options, Formula formula, Settings settings = {});
  ~OptimizerRule() override;

  const std::string& name() const override { return options_.name; }
  void apply(std::vector<Tensor> gradients, std::span<const Variable> variables, const Tensor& gate) override;
  void build(std::span<const Variable> variables) override;
  std::vector<Variable> variables() const override;
  Tensor learning_rate() const override;
  void set_learning_rate(const LearningRate& rate) override;
  Tensor iterations() const override;
  Tensor scale_loss(const Tensor& loss) const override;
  bool scales_loss() const override { return options_.loss_scale_factor.has_value(); }
  void drop_loss_scale() override { options_.loss_scale_factor.reset(); }
  void set_multiplier(const Variable& variable, double factor) override;
  void exclude_from_decay(std::span<const Variable> variables, std::span<const std::string> names) override;
  void finalize(std::span<const Variable> variables) override;
  const Settings& settings() const override { return settings_; }
  const Schedule* schedule() const override { return schedule_ ? &*schedule_ : nullptr; }

 private:
  // Parameters that one fused update can process together.
  struct Group {
    DType dtype;
    double factor = 1;  // of the learning rate
    std::optional<double> decay;
    bool operator==(const Group&) const = default;
  };
  struct Entry {
    Variable variable;
    Group group;
    std::vector<Variable> slots;
    std::vector<int> passes;  // of the slots
    Variable average, accumulator;
  };

  size_t entry_of(const Variable& variable, size_t guess);
  Variable make_slot(const Variable& variable, const Slot& slot) const;
  void take_gradients(std::vector<Tensor>& gradients, std::span<const Variable> variables);
  Tensor accumulate(std::vector<Tensor>& gradients, const Tensor& gate);
  void clip(std::vector<Tensor>& gradients) const;
  void update_together(std::span<Tensor> gradients, const Tensor& gate);
  void update_group(const Group& group, std::span<Tensor> gradients, std::span<const size_t> entries,
                    const Tensor& gate);
  void update_each(std::span<Tensor> gradients, const Tensor& gate);
  void average(const Tensor& gate);
  void constrain(const Tensor& gate);
  void count_eager_step();

  SharedOptimizerOptions options_;
  const Formula formula_;
  const Settings settings_;
  Variable iterations_, learning_rate_;
  std::optional<Schedule> schedule_;
  std::vector<Entry> entries_;
  std::unordered_map<const VariableImpl*, size_t> index_;
  Variable shared_;
  std::vector<std::pair<Variable, double>> multipliers_;
  std::vector<Variable> never_decay_;
  std::vector<std::string> never_decay_names_;
  Tensor counted_;  // the last host number given to `iterations_`: while it is still there, `steps_` is valid
  int64_t steps_ = 0;
  bool warned_ = false;

  // Working lists of a step.
  std::vector<size_t> step_entries_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<TensorImpl*> impls_;
  std::vector<int64_t> attrs_;
};

// For constructors of optimizers: all their options include the shared ones.
template <typename Options>
std::shared_ptr<OptimizerRule> make_rule(std::string class_name, const LearningRate& rate, const Options& o,
                                         Formula formula) {
  return std::make_shared<OptimizerRule>(
      rate,
      SharedOptimizerOptions{o.clipnorm, o.clipvalue, o.global_clipnorm, o.weight_decay, o.use_ema, o.ema_momentum,
                             o.ema_overwrite_frequency, o.loss_scale_factor, o.gradient_accumulation_steps, o.name},
      std::move(formula), settings_of(std::move(class_name), o));
}

// Moves x towards y by a share.
inline Tensor towards(const Tensor& x, const Tensor& y, const Tensor& share) { return x + (y - x) * share; }

// Throws InvalidArgument unless the option is in [0, 1], or at least 0.
void check_share(const std::string& optimizer, const char* option, double value);
void check_not_negative(const std::string& optimizer, const char* option, double value);
// Whether one of the regular expressions occurs in `text`. Throws InvalidArgument for an invalid expression.
bool matches_any(const std::string& optimizer, std::span<const std::string> patterns, const std::string& text);

}  // namespace brio::nn
