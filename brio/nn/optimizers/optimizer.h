// Optimizers, with Keras 3's formulas, defaults and names.
//
//   nn::Optimizer optimizer = "adam";
//   nn::Optimizer optimizer = nn::SGD(0.01, {.momentum = 0.9, .nesterov = true, .clipnorm = 1});
//   nn::Optimizer optimizer = nn::AdamW(nn::CosineDecay({.initial_learning_rate = 1e-3, .decay_steps = 10'000}));
//   optimizer.apply_gradients(tape.gradient(loss, variables), variables);
//   optimizer.set_learning_rate(0.001);
//
// Learning rate, step count and slots are variables, so a traced step sees changes of them. Options are frozen in the
// trace, like all host values. Handles share their state; one thread at a time may use an optimizer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brio/nn/optimizers/schedule.h"
#include "brio/ops/control/variable.h"

namespace brio::nn {

// Options of every optimizer, after its own. This is a macro, because {.name = …} cannot name members of a base.
// - At most one of the clips: each gradient, or all together, scaled down to a length; elements cut to ±clipvalue.
// - weight_decay is decoupled: p ← p - p · weight_decay · learning_rate.
// - use_ema keeps moving averages of the weights. They overwrite the weights every ema_overwrite_frequency steps, and
//   in finalize_variable_values.
// - The gradients of scale_loss(loss) are divided by loss_scale_factor.
// - gradient_accumulation_steps: every so many steps the mean of their gradients is applied.
#define BRIO_SHARED_OPTIMIZER_OPTIONS(default_name, default_weight_decay)    \
  std::optional<double> clipnorm = {}, clipvalue = {}, global_clipnorm = {}; \
  std::optional<double> weight_decay = default_weight_decay;                 \
  bool use_ema = false;                                                      \
  double ema_momentum = 0.99;                                                \
  std::optional<int64_t> ema_overwrite_frequency = {};                       \
  std::optional<double> loss_scale_factor = {};                              \
  std::optional<int64_t> gradient_accumulation_steps = {};                   \
  std::string name = default_name;

struct SharedOptimizerOptions {
  BRIO_SHARED_OPTIMIZER_OPTIONS("optimizer", {})
};

// A number, or a schedule of the step.
struct LearningRate {
  LearningRate(double rate) : number(rate) {}
  LearningRate(Schedule rate) : schedule(std::move(rate)) {}

  double number = 0;
  std::optional<Schedule> schedule;
};

class OptimizerCore;

class Optimizer {
 public:
  // "sgd", "adam", "adamw", … or the name of the class; throws InvalidArgument for an unknown one.
  Optimizer(std::string_view name);
  Optimizer(const char* name) : Optimizer(std::string_view(name)) {}
  Optimizer(const std::string& name) : Optimizer(std::string_view(name)) {}
  explicit Optimizer(std::shared_ptr<OptimizerCore> core) : core_(std::move(core)) {}
  static Optimizer from(const Settings& settings, const LearningRate& rate);

  // One step. A gradient that is "none" leaves its variable unchanged; it is an error if all are. In eager code this
  // ends the step: pending ops run. A warning about the loop names the line of this call.
  void apply_gradients(std::vector<Tensor> gradients, std::span<const Variable> variables,
                       const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) const;
  void apply_gradients(std::vector<Tensor> gradients, std::initializer_list<Variable> variables,
                       const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) const {
    apply_gradients(std::move(gradients), std::span(variables.begin(), variables.size()), file, line);
  }

  const std::string& name() const;
  Tensor learning_rate() const;  // float64 scalar: the current one, also with a schedule
  // A number cannot replace a schedule; a schedule can replace either.
  void set_learning_rate(const LearningRate& rate) const;
  Tensor iterations() const;  // int64 scalar: updates so far; with gradient accumulation fewer than the steps
  Tensor scale_loss(
      const Tensor& loss) const;  // the loss to differentiate: multiplied by the loss scale, if there is one
  bool scales_loss() const;

  // Multiplies this variable's rate by `factor`, also for its decay. Initially 1. Call it before a trace.
  void set_learning_rate_multiplier(const Variable& variable, double factor) const;
  // Variables that do not decay: given ones, or those whose name matches a regular expression. Call it before build.
  void exclude_from_weight_decay(std::span<const Variable> variables, std::span<const std::string> names = {}) const;
  void exclude_from_weight_decay(std::initializer_list<Variable> variables) const {
    exclude_from_weight_decay(std::span(variables.begin(), variables.size()));
  }
  void exclude_from_weight_decay(std::initializer_list<std::string> names) const {
    exclude_from_weight_decay({}, std::span(names.begin(), names.size()));
  }
  // The end of training: with use_ema the weights become their averages.
  void finalize_variable_values(std::span<const Variable> variables) const;
  void finalize_variable_values(std::initializer_list<Variable> variables) const {
    finalize_variable_values(std::span(variables.begin(), variables.size()));
  }

  // Everything that a step changes except the weights, in Keras' order and with its names: the step count
  // ("adam/iteration"), the learning rate unless it is a schedule, then averages, accumulators and slots.
  std::vector<Variable> variables() const;
  void build(std::span<const Variable> variables) const;  // makes their slots now instead of at the first step

  const std::shared_ptr<OptimizerCore>& core() const { return core_; }

 private:
  std::shared_ptr<OptimizerCore> core_;
};

// The implementation behind a handle: an OptimizerRule, or a wrapper.
class OptimizerCore {
 public:
  virtual ~OptimizerCore() = default;
  virtual const std::string& name() const = 0;
  // With a gate (bool scalar; undefined: always) that is false the step changes nothing.
  virtual void apply(std::vector<Tensor> gradients, std::span<const Variable> variables, const Tensor& gate) = 0;
  virtual void build(std::span<const Variable> variables) = 0;
  virtual std::vector<Variable> variables() const = 0;
  virtual Tensor learning_rate() const = 0;
  virtual void set_learning_rate(const LearningRate& rate) = 0;
  virtual Tensor iterations() const = 0;
  virtual Tensor scale_loss(const Tensor& loss) const = 0;
  virtual bool scales_loss() const = 0;
  virtual void drop_loss_scale() = 0;  // a wrapper scales the loss
  virtual void set_multiplier(const Variable& variable, double factor) = 0;
  virtual void exclude_from_decay(std::span<const Variable> variables, std::span<const std::string> names) = 0;
  virtual void finalize(std::span<const Variable> variables) = 0;
  // Its options without the learning rate; and the schedule of that rate, or null.
  virtual const Settings& settings() const = 0;
  virtual const Schedule* schedule() const = 0;
  virtual const Optimizer* inner() const { return nullptr; }  // for a wrapper
};

struct SGDOptions {
  double momentum = 0;
  bool nesterov = false;
  BRIO_SHARED_OPTIMIZER_OPTIONS("sgd", {})
};

struct RMSpropOptions {
  double rho = 0.9, momentum = 0, epsilon = 1e-7;
  bool centered = false;
  BRIO_SHARED_OPTIMIZER_OPTIONS("rmsprop", {})
};

struct AdamOptions {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  BRIO_SHARED_OPTIMIZER_OPTIONS("adam", {})
};

struct AdamWOptions {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  BRIO_SHARED_OPTIMIZER_OPTIONS("adamw", 0.004)
};

struct AdamaxOptions {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  BRIO_SHARED_OPTIMIZER_OPTIONS("adamax", {})
};

struct NadamOptions {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  BRIO_SHARED_OPTIMIZER_OPTIONS("nadam", {})
};

struct AdagradOptions {
  double initial_accumulator_value = 0.1, epsilon = 1e-7;
  BRIO_SHARED_OPTIMIZER_OPTIONS("adagrad", {})
};

struct AdadeltaOptions {
  double rho = 0.95, epsilon = 1e-7;
  BRIO_SHARED_OPTIMIZER_OPTIONS("adadelta", {})
};

// Weights of rank 2 and more have their squares averaged over rows and over columns of the last two axes.
struct AdafactorOptions {
  double beta_2_decay = -0.8, epsilon_1 = 1e-30, epsilon_2 = 1e-3, clip_threshold = 1;
  bool relative_step = true;  // as in Keras 3.15 without effect: the rate is at most 1 / sqrt(step) either way
  BRIO_SHARED_OPTIMIZER_OPTIONS("adafactor", {})
};

struct FtrlOptions {
  double learning_rate_power = -0.5, initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0, l2_regularization_strength = 0;
  double l2_shrinkage_regularization_strength = 0, beta = 0;
  BRIO_SHARED_OPTIMIZER_OPTIONS("ftrl", {})
};

struct LionOptions {
  double beta_1 = 0.9, beta_2 = 0.99;
  BRIO_SHARED_OPTIMIZER_OPTIONS("lion", {})
};

struct LambOptions {
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  BRIO_SHARED_OPTIMIZER_OPTIONS("lamb", {})
};

// Muon updates matrices, AdamW everything else. AdamW also updates matrices whose name contains "embedding" (unless
// exclude_embeddings is false) or matches a regular expression in exclude_layers.
struct MuonOptions {
  double adam_beta_1 = 0.9, adam_beta_2 = 0.999;
  std::optional<double> adam_weight_decay = 0.004;
  double epsilon = 1e-7;
  std::vector<std::string> exclude_layers = {};
  bool exclude_embeddings = true;
  double muon_a = 3.4445, muon_b = -4.7750, muon_c = 2.0315;
  double adam_lr_ratio = 1, momentum = 0.95;
  int64_t ns_steps = 5;
  bool nesterov = true;
  std::optional<double> rms_rate = 0.2;
  BRIO_SHARED_OPTIMIZER_OPTIONS("muon", 0.004)
};

#undef BRIO_SHARED_OPTIMIZER_OPTIONS

// class SGD : public Optimizer, made by SGD(learning_rate, {.momentum = 0.9}); and so on.
#define BRIO_OPTIMIZER(Class, name, default_rate)                                          \
  class Class : public Optimizer {                                                         \
   public:                                                                                 \
    explicit Class(const LearningRate& learning_rate = default_rate, Class##Options = {}); \
  };
#include "brio/nn/optimizers/optimizer_kinds.h"

}  // namespace brio::nn
