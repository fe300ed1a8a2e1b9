// Module: an object with weights that maps a tensor to a tensor. Layer: a handle on a module; copies share it.
//
//   struct Scale : nn::Module {
//     Scale() : Module("scale") { will_have_weights(); }
//     std::string_view kind() const override { return "Scale"; }
//     void create_weights(const Shape& x) override {
//       w_ = add_weight("w", {x[x.rank() - 1]}, {.initializer = "ones"});
//     }
//     Tensor call(const Tensor& x, const nn::Call&) override { return x * w_; }
//     Variable w_;
//   };
//   nn::Sequential model({nn::Dense(64), nn::layer<Scale>()});
//
// Weights are made when the shape of the input is known: at the first call, or by build(). A module with several
// inputs or outputs derives from MultiModule. Shapes of results need no rule: tracing call() gives them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/nn/constraint.h"
#include "brio/nn/initializer.h"
#include "brio/nn/policy.h"
#include "brio/nn/regularizer.h"
#include "brio/nn/spec.h"
#include "brio/ops/control/variable.h"

namespace brio {
class Generator;
}

namespace brio::nn {

class Fields;
class Layer;
class Symbol;

using Tensors = std::vector<Tensor>;

// Options of every layer.
struct LayerOptions {
  Policy dtype = {};
  std::string name = {};
};

// How a layer is called.
struct CallOptions {
  std::optional<bool> training = {};     // none: as the layer around it; without one, the layer's own default
  std::vector<Tensor> masks = {};        // one for each input; default: those that the inputs carry
  bool use_causal_mask = false;          // for attention: a position sees no later one
  bool return_attention_scores = false;  // for attention: the weights are a second output
};

// The same with all defaults filled in: what call() gets.
struct Call {
  bool training = false;
  std::span<const Tensor> masks = {};
  bool use_causal_mask = false;
  bool return_attention_scores = false;

  Tensor mask(size_t input = 0) const { return input < masks.size() ? masks[input] : Tensor(); }
};

struct WeightOptions {
  Initializer initializer = "glorot_uniform";
  bool trainable = true;
  std::optional<DType> dtype = {};  // default: that of the policy
  bool autocast = true;             // read in the dtype in which the layer computes
  Regularizer regularizer = {};
  Constraint constraint = {};
};

class Module {
 public:
  // A name from the user, or a base that is made unique ("dense" → "dense_1").
  explicit Module(std::string_view base, const LayerOptions& options = {});
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  const Policy& policy() const { return policy_; }
  virtual std::string_view kind() const = 0;  // "Dense"
  virtual bool takes_many() const { return false; }
  // The layer that this one only forwards its calls to; null for others. A graph lists that layer in its place.
  virtual const Layer* call_of() const { return nullptr; }
  // The generator that it draws from, if it has its own.
  virtual Generator* own_generator() { return nullptr; }
  virtual bool trains_unless_told() const { return false; }
  // Its options, for a config; see config.h. The default throws: such a module has no config.
  virtual void describe(Fields& fields);

  bool built() const { return built_; }
  // Makes the weights, including those of inner modules. Later calls only check the shape.
  void build(const Shape& input) { build(std::vector<Spec>{Spec(input)}); }
  void build(const std::vector<Spec>& inputs);

  Tensor operator()(const Tensor& input, const CallOptions& options = {});
  Tensors operator()(const Tensors& inputs, const CallOptions& options = {});
  // Shapes and dtypes of the results, found by tracing; makes the weights.
  std::vector<Spec> output_specs(const std::vector<Spec>& inputs, const CallOptions& options = {});
  Shape output_shape(const Shape& input);
  // The results of each inner module, in the order of the calls.
  struct Traced {
    const Module* module;
    Spec result;
  };
  std::vector<Traced> trace_inside(const std::vector<Spec>& inputs);

  // Its own weights, trainable ones first, then those of the inner modules, each once, in the order in which they
  // were added.
  std::vector<Variable> variables() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  int64_t count_params() const;
  bool has_weights() const { return has_weights_; }  // or will have them once it is built
  const std::vector<Layer>& modules() const { return modules_; }

  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable);  // also for inner modules: whether fit changes the weights
  // The regularisers' losses for the weights, and those that the last call added: to be added to the loss.
  Tensors losses() const;

 protected:
  virtual void create_weights(const Shape&) {}
  virtual void check_input(const Shape&) const {}  // throws InvalidArgument
  virtual Tensor call(const Tensor& input, const Call& how) = 0;
  // The result, for a module whose call() asks for sizes that are not known while a model is put together. None:
  // call() only uses known sizes, and is traced.
  virtual std::optional<Aval> declared_result(const Aval& /*input*/, const Call&) const { return {}; }
  // The mask of the result. A module that sets supports_masking_ passes its input's mask on.
  virtual Tensor compute_mask(const Tensor& /*input*/, const Tensor& mask) const {
    return supports_masking_ ? mask : Tensor();
  }

  // The same for several inputs or results: MultiModules override these instead.
  virtual void create_all(const std::vector<Shape>& inputs);
  virtual void check_all(const std::vector<Shape>& inputs) const;
  virtual Tensors call_all(const Tensors& inputs, const Call& how);
  virtual Tensors compute_masks(const Tensors& inputs, const Call& how, size_t results) const;

  [[noreturn]] void refuse(const std::string& what) const;  // throws InvalidArgument: "[dense] what"
  void will_have_weights();  // call it in the constructor; throws InvalidArgument if weights cannot have the dtype
  Variable add_weight(std::string_view name, const Shape& shape, WeightOptions options = {});
  void adopt_weight(const Variable& variable);  // a variable that was made elsewhere
  Layer add_module(Layer layer);                // the module owns it from now on
  void add_loss(const Tensor& loss);
  void mark_built() { built_ = true; }  // all weights are made

  bool supports_masking_ = false;
  bool autocast_ = true;  // floating-point inputs are cast to the dtype in which it computes
  Regularizer activity_regularizer_;

 private:
  class FirstCall;
  void build_for(const std::vector<Shape>& inputs);
  struct Result {
    Aval aval;
    int mask_axes = 0;  // as in a Spec
  };
  std::vector<Result> trace(const std::vector<Result>& inputs, const CallOptions& options);
  std::vector<Result> trace_open(const std::vector<Spec>& inputs, const CallOptions& options);
  [[noreturn]] void refuse_open(const std::vector<Spec>& inputs, std::string_view why) const;
  Tensor cast_input(const Tensor& input) const;
  Tensor finish(Tensor result, Tensor mask, std::span<const Tensor> inputs, bool had_mask);
  void collect(std::vector<Variable>& into) const;
  void collect_losses(Tensors& into) const;
  void clear_losses();

  std::string name_;
  Policy policy_;
  bool built_ = false, has_weights_ = false, trainable_ = true, warned_of_mask_ = false;
  struct Weight {
    Variable variable;
    bool can_train;
    Regularizer regularizer;
  };
  std::vector<Weight> weights_;
  std::vector<Layer> modules_;
  Tensors losses_;
  uint64_t losses_of_ = 0;  // the outermost call to which they belong
};

// A module with several inputs or results. It has call_all(), and create_all(), check_all() and compute_masks() if
// the defaults do not fit.
class MultiModule : public Module {
 public:
  using Module::Module;
  bool takes_many() const final { return true; }

 protected:
  void create_all(const std::vector<Shape>&) override {}
  void check_all(const std::vector<Shape>&) const override {}  // throws InvalidArgument
  Tensors call_all(const Tensors& inputs, const Call& how) override = 0;
  // By default each result has the mask of the first input, if supports_masking_ is set.
  Tensors compute_masks(const Tensors& inputs, const Call& how, size_t results) const override;

 private:
  Tensor call(const Tensor& input, const Call& how) final;
};

class Layer {
 public:
  explicit Layer(std::shared_ptr<Module> module) : module_(std::move(module)) {}

  Tensor operator()(const Tensor& input, bool training) const { return (*module_)(input, {.training = training}); }
  Tensor operator()(const Tensor& input, const CallOptions& options = {}) const { return (*module_)(input, options); }
  // Several inputs, one result. call() returns all results.
  Tensor operator()(const Tensors& inputs, const CallOptions& options = {}) const;
  Tensors call(const Tensors& inputs, const CallOptions& options = {}) const { return (*module_)(inputs, options); }
  // In a functional model; see functional.h.
  Symbol operator()(const Symbol& input, const CallOptions& options = {}) const;
  Symbol operator()(const std::vector<Symbol>& inputs, const CallOptions& options = {}) const;
  std::vector<Symbol> call(const std::vector<Symbol>& inputs, const CallOptions& options = {}) const;

  const std::string& name() const { return module_->name(); }
  bool built() const { return module_->built(); }
  void build(const Shape& input) const { module_->build(input); }
  std::vector<Variable> variables() const { return module_->variables(); }
  std::vector<Variable> trainable_variables() const { return module_->trainable_variables(); }
  std::vector<Variable> non_trainable_variables() const { return module_->non_trainable_variables(); }
  int64_t count_params() const { return module_->count_params(); }
  bool trainable() const { return module_->trainable(); }
  void set_trainable(bool trainable) const { module_->set_trainable(trainable); }
  Tensors losses() const { return module_->losses(); }
  Shape output_shape(const Shape& input) const { return module_->output_shape(input); }

  // Copies of the weights' values, and the reverse. The shapes must agree.
  std::vector<Tensor> get_weights() const;
  void set_weights(const std::vector<Tensor>& weights) const;

  Module& module() const { return *module_; }
  const std::shared_ptr<Module>& share() const { return module_; }
  bool operator==(const Layer& other) const { return module_ == other.module_; }

 protected:
  std::shared_ptr<Module> module_;
};

// A layer of the user's own class.
template <typename M, typename... Args>
Layer layer(Args&&... args) {
  return Layer(std::make_shared<M>(std::forward<Args>(args)...));
}

// A variable of zeros, made without recording; also while a function is traced.
Variable zero_variable(const Aval& aval, std::string name, Owner owner, bool trainable = false);

// Ops of this scope run eagerly, also while a function is traced.
class EagerScope {
 public:
  EagerScope() : into_(recording_) {}

 private:
  Recording recording_;
  RecordInto into_;
};

}  // namespace brio::nn
