// From recordings to graphs, and back.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/ir/recording.h"

namespace brio {

// The graph of some nodes of `recording`, and of earlier nodes that must run again for them. `inputs` are leaves or
// computed values, in the order of the graph's inputs.
Graph graph_of(const Recording& recording, NodeRange nodes, std::span<const ValueId> inputs,
               std::span<const ValueId> outputs);

// Records a graph's nodes into the current recording, with `inputs` for its inputs; returns its outputs.
std::vector<Tensor> replay(const Graph& graph, std::span<const Tensor> inputs);

// A loop body or branch: a graph whose inputs are the parameters, then what it captured from outside.
struct TracedBody {
  std::shared_ptr<const Graph> graph;
  std::vector<Tensor> captured;
};
using BodyFn = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
TracedBody trace_body(std::span<const Aval> parameters, const BodyFn& body);

// The same in two steps. Effects and random numbers in a body need values that its author does not see; the control
// op that is being built adds them between the steps.
class BodyTrace {
 public:
  BodyTrace(Recording::Kind kind, std::span<const Aval> parameters, const BodyFn& body);
  Recording& recording() { return recording_; }
  bool has_effects() const { return recording_.token.defined(); }
  bool has_draws() const { return !recording_.draws.empty(); }

  void add_parameter(size_t at, ValueId value) { parameters_.insert(parameters_.begin() + signed_index(at), value); }
  void add_result(size_t at, ValueId value) { results_.insert(results_.begin() + signed_index(at), value); }
  void add_captured(ValueId value, const Tensor& outer) { recording_.captures.emplace_back(value, outer); }
  size_t results() const { return results_.size(); }
  TracedBody finish();

 private:
  static std::ptrdiff_t signed_index(size_t i) { return static_cast<std::ptrdiff_t>(i); }

  Recording recording_;
  std::vector<ValueId> parameters_, results_;
};

// A parameter of a recording that is being traced.
Tensor add_parameter(Recording& recording, const Aval& aval);

}  // namespace brio
