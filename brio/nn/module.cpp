#include "brio/nn/module.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <optional>

#include "brio/base/error.h"
#include "brio/ir/op_origins.h"
#include "brio/ir/shapes_only.h"
#include "brio/ir/trace.h"
#include "brio/nn/mask.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/equal_sizes.h"

namespace brio::nn {
namespace {

// With a symbol for each size that is not known, and one for all batches.
constexpr uint32_t kDecidedByData = 1 << 15;  // the first number of sizes that data decides, beyond those of inputs

std::vector<Aval> with_symbols(const std::vector<Spec>& inputs) {
  std::vector<Aval> avals;
  uint32_t next = 1;
  for (const Spec& spec : inputs) avals.push_back(spec.with_symbols(next));
  return avals;
}

// The layer whose call() this thread is in.
struct Context {
  int depth = 0;
  std::optional<bool> training = {};                               // none: not set
  uint64_t number = 0;                                             // of the outermost call
  std::vector<std::pair<const Module*, Aval>>* results = nullptr;  // where a trace writes down what modules give
  Recording* shapes = nullptr;                                     // the trace that is made for the sake of shapes
};
constinit thread_local Context context;

// Inside a layer's call: its weights are read in the dtype in which it computes.
class CallScope {
 public:
  CallScope(const Policy& policy, std::optional<bool> training)
      : before_(context), autocast_(policy.mixed() ? std::optional(policy.compute()) : std::nullopt) {
    if (context.depth++ == 0) ++context.number;
    if (training) context.training = training;
  }
  ~CallScope() {
    context.depth = before_.depth;
    context.training = before_.training;
  }
  CallScope(const CallScope&) = delete;

 private:
  Context before_;
  AutocastScope autocast_;
};

}  // namespace

Module::Module(std::string_view base, const LayerOptions& options)
    : name_(options.name.empty() ? unique_name(base) : options.name), policy_(options.dtype) {}

void Module::will_have_weights() {
  if (!is_floating(policy_.variable()))
    refuse(cat("weights cannot be ", policy_.variable(), "; use a floating-point dtype"));
  has_weights_ = true;
}

void Module::refuse(const std::string& what) const { throw InvalidArgument(cat("[", name_, "] ", what)); }

void Module::describe(Fields&) { refuse(cat("a ", kind(), " cannot be written to a config: it has no describe()")); }

void Module::create_all(const std::vector<Shape>& inputs) { create_weights(inputs[0]); }
void Module::check_all(const std::vector<Shape>& inputs) const {
  if (inputs.size() != 1) refuse(cat("takes one input, but got ", inputs.size()));
  if (inputs[0].rank() == 0) refuse("the input is a scalar; axis 0 of an input is the batch: reshape it");
  check_input(inputs[0]);
}
Tensors Module::call_all(const Tensors& inputs, const Call& how) { return {call(inputs[0], how)}; }
Tensors Module::compute_masks(const Tensors& inputs, const Call& how, size_t) const {
  return {compute_mask(inputs[0], how.mask())};
}

Tensors MultiModule::compute_masks(const Tensors&, const Call& how, size_t results) const {
  return Tensors(results, supports_masking_ ? how.mask() : Tensor());
}
Tensor MultiModule::call(const Tensor& input, const Call& how) { return call_all({input}, how)[0]; }

// A module that was not built before a call that fails is not built after it: the next one starts afresh.
class Module::FirstCall {
 public:
  explicit FirstCall(Module& module)
      : module_(module), undo_(!module.built_), weights_(module.weights_.size()), modules_(module.modules_.size()) {}
  ~FirstCall() {
    if (!undo_) return;
    module_.built_ = false;
    module_.weights_.erase(module_.weights_.begin() + static_cast<std::ptrdiff_t>(weights_), module_.weights_.end());
    module_.modules_.erase(module_.modules_.begin() + static_cast<std::ptrdiff_t>(modules_), module_.modules_.end());
  }
  void succeeded() { undo_ = false; }

 private:
  Module& module_;
  bool undo_;
  size_t weights_, modules_;
};

void Module::build_for(const std::vector<Shape>& inputs) {
  check_all(inputs);
  if (built_) return;
  create_all(inputs);
  built_ = true;
}

void Module::build(const std::vector<Spec>& inputs) {
  std::vector<Shape> shapes;
  for (const Aval& aval : with_symbols(inputs)) shapes.push_back(aval.shape);
  FirstCall first(*this);
  try {
    if (!built_ && !modules_.empty()) trace_open(inputs, {});  // calling it builds what is inside
    else build_for(shapes);
  } catch (const UnknownSize& error) {
    refuse_open(inputs, error.what());
  }
  first.succeeded();
}

Tensor Module::cast_input(const Tensor& input) const {
  if (!autocast_ || !is_floating(input.dtype()) || input.dtype() == policy_.compute()) return input;
  return cast(input, policy_.compute());
}

// The result with its mask and with what it costs.
Tensor Module::finish(Tensor result, Tensor mask, std::span<const Tensor> inputs, bool had_mask) {
  if (!result.defined()) refuse(cat("call() of ", kind(), " returned none; return a tensor"));
  if (context.results) context.results->emplace_back(this, result.aval());
  if (activity_regularizer_.defined()) {  // the mean over the batch
    const Tensor cost = activity_regularizer_(result);
    add_loss(cost / constant(max(Size(1), result.rank() > 0 ? result.shape()[0] : Size(1)), cost.dtype()));
  }
  if (!mask.defined()) {  // modules inside may have given it one
    const bool lost = had_mask && !result.impl()->mask && !supports_masking_ && modules_.empty();
    if (lost && !std::exchange(warned_of_mask_, true))
      std::cerr << "brio: [" << name_ << "] got a mask; " << kind()
                << " does not know masks, and layers after it will not see this one\n";
    return result;
  }
  // A layer that gives back its input must not change what others see of it.
  for (const Tensor& input : inputs)
    if (result.impl() == input.impl() && result.impl()->mask != mask.impl()) result = identity(result);
  return with_mask(std::move(result), mask);
}

Tensor Module::operator()(const Tensor& input, const CallOptions& options) {
  if (takes_many()) {
    Tensors results = (*this)(Tensors{input}, options);
    if (results.size() != 1) refuse(cat("gives ", results.size(), " results; get them by call({x})"));
    return std::move(results[0]);
  }
  if (!input.defined()) refuse("the input is none; give it a tensor");
  FirstCall first(*this);
  if (!built_ || input.rank() == 0) build_for({input.shape()});
  else check_input(input.shape());
  if (options.masks.size() > 1) refuse(cat("got ", options.masks.size(), " masks for one input"));
  const CallScope scope(policy_, options.training);
  const OriginScope origin(name_);
  const Tensor mask = options.masks.empty() ? mask_of(input) : options.masks[0];
  const Tensor x = cast_input(input);
  const Call how{context.training.value_or(trains_unless_told()),
                 {&mask, 1},
                 options.use_causal_mask,
                 options.return_attention_scores};
  std::optional<Aval> declared;
  if (context.shapes && !x.shape().known()) declared = declared_result(x.aval(), how);
  Tensor y = declared ? add_parameter(*context.shapes, *declared) : call(x, how);
  y = finish(std::move(y), compute_mask(x, mask), {&input, 1}, mask.defined());
  first.succeeded();
  return y;
}

Tensors Module::operator()(const Tensors& inputs, const CallOptions& options) {
  if (!takes_many() && inputs.size() == 1) return {(*this)(inputs[0], options)};
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined()) refuse(cat("input ", i, " is none; give it a tensor"));
    shapes.push_back(inputs[i].shape());
  }
  if (inputs.empty()) refuse("is called without inputs; give it a tensor");
  FirstCall first(*this);
  build_for(shapes);
  if (options.masks.size() > inputs.size())
    refuse(cat("got ", options.masks.size(), " masks for ", inputs.size(), " inputs"));
  const CallScope scope(policy_, options.training);
  const OriginScope origin(name_);
  Tensors cast_inputs, masks(inputs.size());
  bool had_mask = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (options.masks.empty()) masks[i] = mask_of(inputs[i]);
    else if (i < options.masks.size()) masks[i] = options.masks[i];
    had_mask |= masks[i].defined();
    cast_inputs.push_back(cast_input(inputs[i]));
  }
  const Call how{context.training.value_or(trains_unless_told()), masks, options.use_causal_mask,
                 options.return_attention_scores};
  Tensors results = call_all(cast_inputs, how);
  Tensors result_masks = compute_masks(cast_inputs, how, results.size());
  result_masks.resize(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = finish(std::move(results[i]), std::move(result_masks[i]), inputs, had_mask);
  first.succeeded();
  return results;
}

// Records a call and throws it away: nothing runs, and no variable changes.
std::vector<Module::Result> Module::trace(const std::vector<Result>& inputs, const CallOptions& options) {
  Recording recording;
  recording.kind = Recording::Kind::function;
  std::vector<Result> results;
  struct Restore {
    Recording* before;
    ~Restore() { context.shapes = before; }
  } restore{std::exchange(context.shapes, &recording)};
  {
    RecordInto scope(recording);
    Tensors parameters;
    for (const auto& [aval, mask_axes] : inputs) {
      Tensor parameter = add_parameter(recording, aval);
      if (mask_axes > 0) {
        const Shape rows(aval.shape.dims().first(static_cast<size_t>(mask_axes)));
        parameter = with_mask(std::move(parameter), add_parameter(recording, {rows, boolean}));
      }
      parameters.push_back(std::move(parameter));
    }
    for (const Tensor& result : (*this)(parameters, options)) {
      const Tensor mask = mask_of(result);
      results.push_back({result.aval(), mask.defined() ? std::min(mask.rank(), result.rank()) : 0});
    }
  }
  clear_losses();
  return results;
}

void Module::refuse_open(const std::vector<Spec>& inputs, std::string_view why) const {
  std::string shapes;
  for (const Spec& spec : inputs) shapes += cat(shapes.empty() ? "" : ", ", spec.str());
  refuse(cat("cannot be built for inputs of shape ", shapes,
             ": a weight or a result depends on a size that is not known yet; give it. (", why, ")"));
}

// With a symbol for each size that is not known.
std::vector<Module::Result> Module::trace_open(const std::vector<Spec>& inputs, const CallOptions& options) {
  try {
    const EqualSizes equal;
    // Strings are there when the model is called: what is made of them now has a shape and no more.
    std::optional<ShapesOnly> shapes_only;
    if (std::ranges::any_of(inputs, [](const Spec& spec) { return spec.dtype == DType::string; }))
      shapes_only.emplace(kDecidedByData, false);
    const std::vector<Aval> avals = with_symbols(inputs);
    std::vector<Result> parameters;
    for (size_t i = 0; i < avals.size(); ++i) parameters.push_back({avals[i], inputs[i].mask_axes});
    return trace(parameters, options);
  } catch (const UnknownSize& error) {
    refuse_open(inputs, error.what());
  }
}

std::vector<Spec> Module::output_specs(const std::vector<Spec>& inputs, const CallOptions& options) {
  std::vector<Spec> specs;
  for (const auto& [aval, mask_axes] : trace_open(inputs, options))
    specs.emplace_back(aval.shape, aval.dtype).mask_axes = mask_axes;
  return specs;
}

Shape Module::output_shape(const Shape& input) {
  const std::vector<Result> results = trace({{{input, f32}}}, {});
  if (results.size() != 1) refuse(cat("gives ", results.size(), " results; output_specs() tells their shapes"));
  return results[0].aval.shape;
}

std::vector<Module::Traced> Module::trace_inside(const std::vector<Spec>& inputs) {
  std::vector<std::pair<const Module*, Aval>> results;
  context.results = &results;
  struct Restore {
    ~Restore() { context.results = nullptr; }
  } restore;
  trace_open(inputs, {});
  std::vector<Traced> all;
  for (const auto& [module, aval] : results)
    if (module != this) all.push_back({module, Spec(aval.shape, aval.dtype)});
  return all;
}

void Module::collect(std::vector<Variable>& into) const {
  for (const bool can_train : {true, false})  // Keras' order
    for (const Weight& weight : weights_)
      if (weight.can_train == can_train && std::ranges::find(into, weight.variable) == into.end())
        into.push_back(weight.variable);
  for (const Layer& layer : modules_) layer.module().collect(into);
}

std::vector<Variable> Module::variables() const {
  std::vector<Variable> all;
  collect(all);
  return all;
}

std::vector<Variable> Module::trainable_variables() const {
  std::vector<Variable> all = variables();
  std::erase_if(all, [](const Variable& v) { return !v.trainable(); });
  return all;
}

std::vector<Variable> Module::non_trainable_variables() const {
  std::vector<Variable> all = variables();
  std::erase_if(all, [](const Variable& v) { return v.trainable(); });
  return all;
}

int64_t Module::count_params() const {
  int64_t count = 0;
  for (const Variable& v : variables()) count += v.shape().elements();
  return count;
}

void Module::set_trainable(bool trainable) {
  trainable_ = trainable;
  for (const Weight& weight : weights_)
    if (weight.can_train) weight.variable.impl()->trainable = trainable;
  for (const Layer& layer : modules_) layer.set_trainable(trainable);
}

Variable Module::add_weight(std::string_view name, const Shape& shape, WeightOptions options) {
  const DType dtype = options.dtype.value_or(policy_.variable());
  if (!shape.known()) throw UnknownSize(cat("[", name_, "] weight '", name, "' would have shape ", shape));
  if (options.trainable && !is_floating(dtype))
    refuse(cat("weight '", name, "' cannot be trained as ", dtype, "; use a floating-point dtype"));
  EagerScope scope;
  Variable variable(options.initializer(shape, dtype), {.name = cat(name_, "/", name),
                                                        .trainable = options.trainable && trainable_,
                                                        .autocast = options.autocast,
                                                        .constraint = options.constraint.function()});
  weights_.push_back({variable, options.trainable, std::move(options.regularizer)});
  has_weights_ = true;
  return variable;
}

void Module::adopt_weight(const Variable& variable) {
  weights_.push_back({variable, variable.trainable(), {}});
  has_weights_ = true;
}

Layer Module::add_module(Layer layer) {
  has_weights_ |= layer.module().has_weights_;
  if (!trainable_) layer.set_trainable(false);
  modules_.push_back(layer);
  return layer;
}

void Module::add_loss(const Tensor& loss) {
  if (!loss.defined() || loss.rank() != 0)
    refuse(cat("add_loss got ", loss.defined() ? cat("shape ", loss.shape()) : std::string("none"),
               "; a loss is a scalar: take the mean or the sum"));
  if (std::exchange(losses_of_, context.number) != context.number) losses_.clear();
  losses_.push_back(loss);
}

void Module::collect_losses(Tensors& into) const {
  // Weights that are frozen cost what they cost: nothing that training could change.
  for (const Weight& weight : weights_)
    if (weight.regularizer.defined() && weight.variable.trainable())
      into.push_back(weight.regularizer(weight.variable));
  // What a call added while a function was traced is gone with the trace.
  for (const Tensor& loss : losses_)
    if (loss.impl()->computed.load() || loss.impl()->recording.load()) into.push_back(loss);
}

Tensors Module::losses() const {
  Tensors all;
  std::vector<const Module*> seen;
  const std::function<void(const Module&)> visit = [&](const Module& module) {
    if (std::ranges::find(seen, &module) != seen.end()) return;
    seen.push_back(&module);
    module.collect_losses(all);
    for (const Layer& layer : module.modules_) visit(layer.module());
  };
  visit(*this);
  return all;
}

void Module::clear_losses() {
  losses_.clear();
  for (const Layer& layer : modules_) layer.module().clear_losses();
}

Tensor Layer::operator()(const Tensors& inputs, const CallOptions& options) const {
  Tensors results = call(inputs, options);
  if (results.size() != 1)
    throw InvalidArgument(cat("[", name(), "] gives ", results.size(), " results; get them by call({…})"));
  return std::move(results[0]);
}

std::vector<Tensor> Layer::get_weights() const {
  std::vector<Tensor> weights;
  for (const Variable& variable : variables()) {
    const Tensor value = variable.value();
    weights.push_back(Tensor::from_bytes(value.array().data(), value.aval()));  // a copy: training goes on in place
  }
  return weights;
}

void Layer::set_weights(const std::vector<Tensor>& weights) const {
  std::vector<Variable> all = variables();
  if (weights.size() != all.size())
    throw InvalidArgument(cat("[set_weights] ", weights.size(), " tensors are given for ", all.size(),
                              " weights of '", name(), "'",
                              built() ? "" : ", which is not built yet: call build() first"));
  for (size_t i = 0; i < all.size(); ++i)
    if (!weights[i].defined() || !(weights[i].aval() == all[i].impl()->aval))
      throw InvalidArgument(cat(
          "[set_weights] weight ", i, " of '", name(), "', ", all[i].name(), ", is ", all[i].dtype(), " of shape ",
          all[i].shape(), ", but got ",
          weights[i].defined() ? cat(weights[i].dtype(), " of shape ", weights[i].shape()) : std::string("none")));
  for (size_t i = 0; i < all.size(); ++i) all[i].assign(weights[i]);
}

Variable zero_variable(const Aval& aval, std::string name, Owner owner, bool trainable) {
  Array array = Array::allocate(aval);
  if (aval.bytes() != 0) std::memset(array.data(), 0, aval.bytes());
  return Variable(Tensor(std::move(array)), {.name = std::move(name), .trainable = trainable, .owner = owner});
}

}  // namespace brio::nn
