// Brio's ops as nodes of ONNX. What depends on weights alone is computed here and becomes a weight; composite ops
// without a counterpart go in as their plain form. ONNX has channels before the spatial axes: a value knows both of
// its forms, and elementwise ops stay in the one that they meet, so that a convolutional network is transposed once.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/train/onnx/graph_maker.h"

namespace brio::train {

class OnnxTranslation {
 public:
  explicit OnnxTranslation(OnnxGraphMaker& to) : to_(to) {}

  // A value of a graph that is being translated.
  struct Value {
    std::string plain = {};           // its name, with axes as Brio has them
    std::string channels_first = {};  // the same, transposed; either may be missing
    Tensor known = {};                // it depends on weights alone
    std::string label = {};           // of what is known: the name it gets in the file
    std::string why_not = {};         // none of these: why
  };

  // The values that the graph gives. `places`: the layer of each node, where it is known.
  std::vector<Value> translate(const Graph& graph, std::vector<Value> inputs, std::span<const std::string> places);

  // One node's inputs, for the functions of ops.
  class Call;
  std::string name(Value& value, const Aval& aval);            // as Brio has it
  std::string channels_first(Value& value, const Aval& aval);  // of rank 3 to 5

 private:
  friend class Call;
  struct Scope;
  void translate_node(Scope& scope, const Node& node);
  bool compute(Scope& scope, const Node& node);
  [[noreturn]] void refuse(const Node& node, const std::string& why) const;

  void control(Scope& scope, const Node& node);
  void scan(Scope& scope, const Node& node);
  void loop(Scope& scope, const Node& node);
  void branch(Scope& scope, const Node& node);
  // What a body gives, each under a name of its own.
  std::vector<onnx::Value> results_of(const Graph& body, std::vector<Value> results, size_t count);

  OnnxGraphMaker& to_;
};

}  // namespace brio::train
