// Graph: the IR that passes read and rewrite. It is purely functional: values are defined once, and nodes are in an
// order in which they can run. Text form (print and parse are inverse):
//
//   (%0: f32[3,2], %1: f32[2] donated) {
//     %2 = matmul %0, %1 {transpose_a=false, transpose_b=false} : f32[3]
//     return %2
//   }
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ir/op.h"

namespace brio {

using ValueId = uint32_t;

// Code of the host that an effect runs: print, assert, a user's function. A graph without nodes holds it, as the body
// of the effect's node, so recordings, graphs and plans keep it alive.
struct HostRun {  // one run: dense host memory, without the tokens
  std::span<const Aval> in_avals, out_avals;
  const void* const* in;
  void* const* out;
};
struct HostCode {
  std::string name;                          // shown in text
  std::function<void(const HostRun&)> call;  // empty: it was read from text
  bool name_says_all = false;                // code with equal names does the same and is interned as one
  // For files: a text from which the code can be made again (ops/control/effects.h). Empty: the name has to do.
  std::function<std::string()> recipe = {};
};

struct Node {
  const OpDef* op;
  std::vector<ValueId> in;
  std::vector<ValueId> out;
  std::vector<int64_t> attrs;
  std::vector<std::shared_ptr<const Graph>> graphs;
  // Where it runs, if a device was named inside a function: the number of the device, counted from 1 in the order of
  // registration. 0: where the graph runs.
  uint16_t place = 0;
};

class Graph {
 public:
  static constexpr size_t kNoOutput = ~size_t{0};
  struct Input {
    ValueId value;
    bool donated = false;   // the caller is the only owner and gives it up: it may be overwritten
    std::string name = {};  // for messages
    // The position of the output that is this input's next value. It takes over the memory if that is possible.
    size_t becomes = kNoOutput;
  };

  std::vector<Aval> values;
  std::vector<Input> inputs;
  std::vector<Node> nodes;
  std::vector<ValueId> outputs;
  std::shared_ptr<const HostCode> host;  // if set, there are no nodes and no inputs

  ValueId add_value(const Aval& aval) {
    values.push_back(aval);
    return static_cast<ValueId>(values.size() - 1);
  }
  ValueId add_input(const Aval& aval, bool donated = false, std::string name = {}) {
    inputs.push_back({add_value(aval), donated, std::move(name), kNoOutput});
    return inputs.back().value;
  }
  // Appends a node; its outputs are inferred.
  Node& add(const OpDef& op, std::vector<ValueId> in, std::vector<int64_t> attrs = {},
            std::vector<std::shared_ptr<const Graph>> graphs = {});
  // A scalar constant.
  ValueId add_constant(DType dtype, uint64_t bits);

  std::string str() const;
  static Graph parse(std::string_view text);  // throws InvalidArgument with line and reason
};

// Infers a node's outputs from the avals of its inputs.
std::vector<Aval> infer(const Graph& graph, const Node& node);

// Throws InternalError, naming `after`, unless: every use follows its definition, every value has one definition, and
// every node's outputs are what its shape rule says.
void verify(const Graph& graph, std::string_view after);

// Whether a run of the node may refuse its data.
bool may_fail(const Node& node);
bool has_strings(const Graph& graph);  // or a graph inside

// The graph for running it once more, for a gradient: without effects; their tokens are passed through. Throws
// InvalidArgument if the result of an effect is needed. A graph without effects is returned unchanged.
std::shared_ptr<const Graph> without_effects(const std::shared_ptr<const Graph>& graph);

// Returns one object per structure: a body that is traced again is the same graph, so its plans are found again.
std::shared_ptr<const Graph> intern(Graph graph);

// The heap memory that it takes, including its bodies.
size_t heap_bytes(const Graph& graph);

std::string format_node(const Graph& graph, const Node& node);
std::string format_aval(const Aval& aval);  // "f32[3,2]"

}  // namespace brio
