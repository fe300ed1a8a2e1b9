// Optimizers, with Keras 3's formulas, defaults and names.
//
//   nn::Optimizer optimizer = "adam";
//   nn::Optimizer optimizer = nn::SGD(0.01, {.momentum = 0.9, .nesterov = true});
//   optimizer.apply_gradients(tape.gradient(loss, variables), variables);
//   optimizer.set_learning_rate(0.001);
//
// One op updates all parameters of a step in one pass. Learning rate, step count and slots are variables, so a traced
// step sees them change. Handles share their state; an optimizer is used by one thread at a time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "brio/ops/variable.h"

namespace brio::nn {

// What every optimizer takes. At most one of the clips.
struct GradientOptions {
  std::optional<double> clipnorm = {};         // each gradient is scaled down to this length
  std::optional<double> clipvalue = {};        // each element is cut to [-clipvalue, clipvalue]
  std::optional<double> global_clipnorm = {};  // all gradients together are scaled down to this length
  std::optional<double> weight_decay = {};     // decoupled: p ← p - p · weight_decay · learning_rate
};

class OptimizerRule;

class Optimizer {
 public:
  Optimizer(std::string_view name);  // "sgd", "rmsprop", "adam"; throws InvalidArgument for an unknown one
  Optimizer(const char* name) : Optimizer(std::string_view(name)) {}
  Optimizer(const std::string& name) : Optimizer(std::string_view(name)) {}
  explicit Optimizer(std::shared_ptr<OptimizerRule> rule) : rule_(std::move(rule)) {}

  // One step. A gradient that is "none" leaves its variable as it is; it is an error if all are. In eager code this
  // ends the step: what is pending runs.
  void apply_gradients(std::vector<Tensor> gradients, std::span<const Variable> variables) const;
  void apply_gradients(std::vector<Tensor> gradients, std::initializer_list<Variable> variables) const {
    apply_gradients(std::move(gradients), std::span(variables.begin(), variables.size()));
  }

  const std::string& name() const;
  Variable learning_rate() const;  // float64 scalar
  void set_learning_rate(double rate) const;
  Variable iterations() const;                            // int64 scalar: steps so far
  std::vector<Variable> variables() const;                // iterations, learning rate, then the slots
  void build(std::span<const Variable> variables) const;  // makes their slots now instead of at the first step

 private:
  std::shared_ptr<OptimizerRule> rule_;
};

// What an optimizer is made of: a formula over parameters, gradients and slots of one dtype.
class OptimizerRule {
 public:
  OptimizerRule(std::string name, double learning_rate, GradientOptions options, std::vector<std::string> slots);
  virtual ~OptimizerRule() = default;

  void apply(std::vector<Tensor> gradients, std::span<const Variable> variables);
  void build(std::span<const Variable> variables);

  const std::string name;
  const Variable learning_rate;
  const Variable iterations;
  std::vector<Variable> slot_variables() const;

 protected:
  // The inputs of an update op after its scalars: parameters, gradients, slots, kind by kind. `n` of each.
  struct Update {
    const OpDef* op;
    std::vector<Tensor> scalars;
    std::vector<int64_t> attrs;
  };
  virtual void fill(Update& update) = 0;  // op, scalars and attributes
  Tensor number(double value) const;      // a float64 scalar, made once

 private:
  struct Entry {
    Variable variable;
    std::vector<Variable> slots;
  };
  size_t entry_of(const Variable& variable, size_t guess);
  void clip(std::vector<Tensor>& gradients) const;
  void update(std::span<const Variable* const> variables, std::span<Tensor> gradients,
              std::span<const size_t> entries);
  void count_eager_step();

  GradientOptions options_;
  std::vector<std::string> slots_;
  std::vector<Entry> entries_;
  std::unordered_map<const VariableImpl*, size_t> index_;
  Tensor counted_;  // the last host number given to `iterations`: while it is still there, so is `steps_`
  int64_t steps_ = 0;
  bool warned_ = false;

  // Working lists of a step.
  std::vector<const Variable*> step_variables_;
  std::vector<size_t> step_entries_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<TensorImpl*> impls_;
  Update update_;
};

struct SGDOptions {
  double momentum = 0;
  bool nesterov = false;
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, weight_decay = {};
  std::string name = "sgd";
};
class SGD : public Optimizer {
 public:
  explicit SGD(double learning_rate = 0.01, SGDOptions options = {});
};

struct RMSpropOptions {
  double rho = 0.9, momentum = 0, epsilon = 1e-7;
  bool centered = false;
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, weight_decay = {};
  std::string name = "rmsprop";
};
class RMSprop : public Optimizer {
 public:
  explicit RMSprop(double learning_rate = 0.001, RMSpropOptions options = {});
};

struct AdamOptions {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}, weight_decay = {};
  std::string name = "adam";
};
class Adam : public Optimizer {
 public:
  explicit Adam(double learning_rate = 0.001, AdamOptions options = {});
};

}  // namespace brio::nn
