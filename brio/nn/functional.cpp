#include "brio/nn/functional.h"

#include <algorithm>
#include <map>
#include <set>

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/mask.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

class InputModule : public Module {
 public:
  InputModule(Spec spec, std::string name)
      : Module("input_layer", {.dtype = spec.dtype, .name = std::move(name)}), spec_(std::move(spec)) {
    autocast_ = false;
  }
  std::string_view kind() const override { return "InputLayer"; }
  void describe(Fields& f) override { f("batch_shape", spec_.dims); }
  const Spec& spec() const { return spec_; }

 protected:
  Tensor call(const Tensor& x, const Call&) override { return x; }
  Tensor compute_mask(const Tensor&, const Tensor& mask) const override { return mask; }

 private:
  Spec spec_;
};

class LambdaModule : public MultiModule {
 public:
  LambdaModule(std::function<Tensor(const Tensors&)> function, const LambdaOptions& o)
      : MultiModule("lambda", {.dtype = o.dtype, .name = o.name}), function_(std::move(function)) {
    if (!function_) refuse("the function is none");
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Lambda"; }

 protected:
  Tensors call_all(const Tensors& inputs, const Call&) override { return {function_(inputs)}; }

 private:
  std::function<Tensor(const Tensors&)> function_;
};

std::function<Tensor(const Tensors&)> of_one(std::function<Tensor(const Tensor&)> function) {
  if (!function) return {};
  return [f = std::move(function)](const Tensors& inputs) {
    if (inputs.size() != 1) throw InvalidArgument(cat("[lambda] takes one input, but got ", inputs.size()));
    return f(inputs[0]);
  };
}

// The axes that a tensor and what stands for it have in common: one of 1 at the end may be missing or too much.
int common_rank(const Spec& spec, const Shape& shape) {
  const int rank = spec.rank();
  if (shape.rank() == rank - 1 && rank > 1 && spec[rank - 1] == 1) return rank - 1;
  if (shape.rank() == rank + 1 && shape[rank] == 1) return rank;
  return shape.rank() == rank ? rank : -1;
}

// Whether a tensor of that shape may stand for the symbol; batches may be of any size.
bool fits(const Spec& spec, const Shape& shape) {
  const int rank = common_rank(spec, shape);
  for (int i = 1; i < rank; ++i)
    if (spec[i] != kUnknown && spec[i] != shape[i]) return false;
  return rank >= 0;
}

}  // namespace

Tensor with_rank_of(const Spec& spec, const Tensor& x) {
  if (x.rank() == spec.rank() || common_rank(spec, x.shape()) < 0) return x;
  return x.rank() < spec.rank() ? expand_dims(x, -1) : squeeze(x, {x.rank() - 1});
}

const Spec& Symbol::spec() const {
  if (!node_) throw InvalidArgument("[symbol] this symbol is none; get one from nn::Input or by calling a layer");
  return node_->results[index_];
}

InputLayer::InputLayer(const std::vector<int64_t>& shape, InputOptions options) : Layer(nullptr) {
  Spec spec(std::vector<int64_t>{options.batch_size}, options.dtype);
  for (const int64_t dim : shape) {
    if (dim < kUnknown) throw InvalidArgument(cat("[input] the shape has the size ", dim, "; use kUnknown or ≥ 0"));
    spec.dims.push_back(dim);
  }
  uint32_t next = 1;
  spec.with_symbols(next);  // refuses too many axes
  module_ = std::make_shared<InputModule>(spec, std::move(options.name));
}

Layer InputLayer::from_config(Fields& f) {
  std::vector<int64_t> shape;
  Policy dtype = f32;
  InputOptions options;
  f("batch_shape", shape);
  f("dtype", dtype);
  f("name", options.name);
  if (shape.empty()) throw InvalidArgument(cat("[config] the input '", options.name, "' has no batch_shape"));
  options.dtype = dtype.compute();
  options.batch_size = shape[0];
  return InputLayer({shape.begin() + 1, shape.end()}, options);
}

const Spec* input_spec(const Layer& layer) {
  const auto* input = dynamic_cast<const InputModule*>(&layer.module());
  return input ? &input->spec() : nullptr;
}

Symbol input_symbol(const Layer& layer) {
  return {std::make_shared<const CallNode>(CallNode{layer, {}, {}, {*input_spec(layer)}}), 0};
}
Symbol Input(const std::vector<int64_t>& shape, InputOptions options) {
  return input_symbol(InputLayer(shape, std::move(options)));
}

std::vector<Symbol> Layer::call(const std::vector<Symbol>& inputs, const CallOptions& options) const {
  std::vector<Spec> specs;
  for (const Symbol& input : inputs) specs.push_back(input.spec());
  if (!options.masks.empty())
    throw InvalidArgument(
        cat("[", name(), "] a mask is given beside symbols; let an Embedding or Masking layer make it"));
  const auto node =
      std::make_shared<const CallNode>(CallNode{*this, inputs, options, module_->output_specs(specs, options)});
  std::vector<Symbol> results;
  for (size_t i = 0; i < node->results.size(); ++i) results.emplace_back(node, i);
  return results;
}

Symbol Layer::operator()(const std::vector<Symbol>& inputs, const CallOptions& options) const {
  std::vector<Symbol> results = call(inputs, options);
  if (results.size() != 1)
    throw InvalidArgument(cat("[", name(), "] gives ", results.size(), " results; get them by call({…})"));
  return results[0];
}
Symbol Layer::operator()(const Symbol& input, const CallOptions& options) const {
  return (*this)(std::vector<Symbol>{input}, options);
}

Lambda::Lambda(std::function<Tensor(const Tensor&)> function, LambdaOptions options)
    : Lambda(of_one(std::move(function)), std::move(options)) {}
Lambda::Lambda(std::function<Tensor(const Tensors&)> function, LambdaOptions options)
    : Layer(std::make_shared<LambdaModule>(std::move(function), options)) {}

const Layer& called_layer(const CallNode& node) {
  const Layer* called = node.layer.module().call_of();
  return called ? *called : node.layer;
}

FunctionalModule::FunctionalModule(std::vector<Symbol> inputs, std::vector<Symbol> outputs, std::string name)
    : MultiModule("functional", {.name = std::move(name)}), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  autocast_ = false;  // each layer casts what it takes
  supports_masking_ = true;
  if (inputs_.empty() || outputs_.empty()) refuse("a model needs inputs and outputs");
  std::map<const CallNode*, uint32_t> place;  // of a node's first result
  std::map<std::string, const Module*> names;
  auto add = [&](const std::shared_ptr<const CallNode>& node) {
    const Module& module = node->layer.module();
    const auto [known, is_new] = names.emplace(module.name(), &module);
    if (!is_new && known->second != &module)
      refuse(cat("has two layers named '", module.name(), "'; give each a name of its own"));
    place.emplace(node.get(), places_);
    places_ += static_cast<uint32_t>(node->results.size());
  };
  for (const Symbol& input : inputs_) {
    input.spec();  // refuses none
    if (place.contains(input.node().get()))
      refuse(cat("the input '", input.node()->layer.name(), "' is given twice"));
    if (input.node()->results.size() != 1) refuse("an input must be the only result of its layer");
    add(input.node());
  }
  // Depth first, without recursion: models may be deep. A node is placed when everything before it is.
  std::set<const CallNode*> open;
  std::vector<std::shared_ptr<const CallNode>> stack;
  for (auto output = outputs_.rbegin(); output != outputs_.rend(); ++output) {
    output->spec();
    stack.push_back(output->node());
  }
  while (!stack.empty()) {
    const auto node = stack.back();
    if (place.contains(node.get())) {
      stack.pop_back();
      continue;
    }
    if (node->inputs.empty())
      refuse(cat("an output depends on the input '", node->layer.name(), "', which is not among the inputs"));
    bool ready = true;
    for (auto before = node->inputs.rbegin(); before != node->inputs.rend(); ++before)
      if (!place.contains(before->node().get())) {
        stack.push_back(before->node());
        ready = false;
      }
    if (!ready) continue;
    stack.pop_back();
    Step step;
    for (const Symbol& before : node->inputs)
      step.in.push_back(place.at(before.node().get()) + static_cast<uint32_t>(before.index()));
    step.out = places_;
    nodes_.push_back(node);
    steps_.push_back(std::move(step));
    add(node);
  }
  for (const Symbol& output : outputs_)
    output_places_.push_back(place.at(output.node().get()) + static_cast<uint32_t>(output.index()));
  add_layers();
  mark_built();  // calling the layers on symbols has built them
}

// In Keras' order, which is that of weights and of an optimizer's slots: those furthest from the outputs first, and
// of these the one that is met first on the way back from the outputs. A layer is as far as the furthest of its
// calls.
void FunctionalModule::add_layers() {
  struct Met {
    Layer layer;
    int64_t number, depth = 0;
    bool before;  // the graph begins in the middle of another: the layers before it are not part of this one
  };
  std::map<const CallNode*, int64_t> depths;
  std::map<const Module*, size_t> known;
  std::vector<Met> met;
  std::set<const CallNode*> ends, done;
  for (const Symbol& input : inputs_) ends.insert(input.node().get());
  auto meet = [&](const CallNode& node, int64_t number) {
    const Layer& layer = called_layer(node);
    if (known.emplace(&layer.module(), met.size()).second)
      met.push_back({layer, number, 0, ends.contains(&node) && !node.inputs.empty()});
  };
  std::vector<const CallNode*> finished;
  std::vector<std::pair<const CallNode*, bool>> stack;  // a node, and whether all before it is finished
  for (const Symbol& output : outputs_) {
    stack.emplace_back(output.node().get(), false);
    while (!stack.empty()) {
      const auto [node, left] = stack.back();
      stack.pop_back();
      if (left) finished.push_back(node);
      if (left || !done.insert(node).second) continue;
      meet(*node, static_cast<int64_t>(met.size()));
      stack.emplace_back(node, true);
      if (ends.contains(node)) continue;
      for (auto before = node->inputs.rbegin(); before != node->inputs.rend(); ++before)
        stack.emplace_back(before->node().get(), false);
    }
  }
  for (auto node = finished.rbegin(); node != finished.rend(); ++node) {
    Met& layer = met[known.at(&called_layer(**node).module())];
    const int64_t depth = layer.depth = std::max(depths[*node], layer.depth);
    if (ends.contains(*node)) continue;
    for (const Symbol& before : (*node)->inputs) {
      int64_t& other = depths[before.node().get()];
      other = std::max(other, depth + 1);
    }
  }
  for (const Symbol& input : inputs_) meet(*input.node(), -1);  // those that nothing takes
  std::ranges::stable_sort(
      met, [](const Met& a, const Met& b) { return a.depth != b.depth ? a.depth > b.depth : a.number < b.number; });
  for (Met& each : met)
    if (!each.before) add_module(std::move(each.layer));
}

void FunctionalModule::check_all(const std::vector<Shape>& inputs) const {
  if (inputs.size() != inputs_.size()) refuse(cat("takes ", inputs_.size(), " inputs, but got ", inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!fits(inputs_[i].spec(), inputs[i]))
      refuse(cat("input ", i, ", '", inputs_[i].node()->layer.name(), "', takes the shape ", inputs_[i].spec().str(),
                 ", but got ", inputs[i]));
}

Tensors FunctionalModule::call_all(const Tensors& inputs, const Call& how) {
  Tensors values(places_);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor x = with_rank_of(inputs_[i].spec(), inputs[i]);
    values[i] = with_mask(x.dtype() == inputs_[i].dtype() ? x : cast(x, inputs_[i].dtype()), how.mask(i));
  }
  Tensors arguments;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    arguments.clear();
    for (const uint32_t place : steps_[n].in) arguments.push_back(values[place]);
    Tensors results = nodes_[n]->layer.call(arguments, nodes_[n]->options);
    for (size_t i = 0; i < results.size(); ++i) values[steps_[n].out + i] = std::move(results[i]);
  }
  Tensors outputs;
  for (const uint32_t place : output_places_) outputs.push_back(values[place]);
  return outputs;
}

}  // namespace brio::nn
