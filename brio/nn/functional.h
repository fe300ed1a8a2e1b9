// Functional models: layers called on symbols make a graph, from which a model is made.
//
//   nn::Symbol picture = nn::Input({28, 28, 1});
//   nn::Symbol x = nn::Conv2D(32, {3, 3})(picture);
//   nn::Symbol y = nn::Dense(10)(nn::Flatten()(x));
//   nn::Model model(picture, y);                                  // or ({a, b}, {y, z})
//
// A layer that is called twice shares its weights. Models are layers and can be nested. Results have as many rows as
// the inputs: axis 0 is the batch, of any size.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

struct CallNode;

// A result of a layer call that has not been made yet.
class Symbol {
 public:
  Symbol() = default;
  Symbol(std::shared_ptr<const CallNode> node, size_t index) : node_(std::move(node)), index_(index) {}

  const Spec& spec() const;  // (None, …)
  DType dtype() const { return spec().dtype; }
  int rank() const { return spec().rank(); }
  const std::shared_ptr<const CallNode>& node() const { return node_; }
  size_t index() const { return index_; }  // the number of the result among those of its node
  bool operator==(const Symbol&) const = default;

 private:
  std::shared_ptr<const CallNode> node_;
  size_t index_ = 0;
};

// One call of one layer. An input has a layer of kind InputLayer and nothing before it.
struct CallNode {
  Layer layer;
  std::vector<Symbol> inputs;
  CallOptions options;
  std::vector<Spec> results;
};

// The layer that a node calls, as the graph lists it.
const Layer& called_layer(const CallNode& node);

struct InputOptions {
  DType dtype = f32;
  std::string name = {};
  int64_t batch_size = kUnknown;
};
// The shape of one sample, without the batch axis. Sizes may be kUnknown.
Symbol Input(const std::vector<int64_t>& shape, InputOptions options = {});

// The same as a layer, as the first layer of a Sequential: the model is built at once.
class InputLayer : public Layer {
 public:
  explicit InputLayer(const std::vector<int64_t>& shape, InputOptions options = {});
  static Layer from_config(Fields& fields);
};
// The spec of an InputLayer (null for other layers), and its symbol.
const Spec* input_spec(const Layer& layer);
Symbol input_symbol(const Layer& layer);

// Any function of tensors as a step of the graph. It is called with one tensor per symbol.
struct LambdaOptions {
  Policy dtype = {};
  std::string name = {};
};
class Lambda : public Layer {
 public:
  explicit Lambda(std::function<Tensor(const Tensor&)> function, LambdaOptions options = {});
  explicit Lambda(std::function<Tensor(const Tensors&)> function, LambdaOptions options = {});
};

// x with one more or one less axis of 1 at its end, if that gives it the rank of the model's input, as in Keras.
Tensor with_rank_of(const Spec& spec, const Tensor& x);

// The graph between inputs and outputs, as a module.
class FunctionalModule : public MultiModule {
 public:
  FunctionalModule(std::vector<Symbol> inputs, std::vector<Symbol> outputs, std::string name = {});

  std::string_view kind() const override { return "Functional"; }
  const std::vector<Symbol>& inputs() const { return inputs_; }
  const std::vector<Symbol>& outputs() const { return outputs_; }
  const std::vector<std::shared_ptr<const CallNode>>& nodes() const { return nodes_; }  // in the order of the calls

 protected:
  void check_all(const std::vector<Shape>& inputs) const override;
  Tensors call_all(const Tensors& inputs, const Call& how) override;
  Tensors compute_masks(const Tensors&, const Call&, size_t) const override { return {}; }  // on the results

 private:
  void add_layers();
  std::vector<Symbol> inputs_, outputs_;
  std::vector<std::shared_ptr<const CallNode>> nodes_;
  struct Step {
    std::vector<uint32_t> in;  // positions of values
    uint32_t out;              // the first of its results
  };
  std::vector<Step> steps_;  // of nodes_
  std::vector<uint32_t> output_places_;
  uint32_t places_ = 0;
};

}  // namespace brio::nn
