// Between recordings and graphs.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/ir/recording.h"

namespace brio {

// The graph of `recording`'s pending nodes and of earlier ones that must run again for them. `inputs` are leaves or
// computed values, in the order that the graph takes them.
Graph graph_of(const Recording& recording, std::span<const ValueId> inputs, std::span<const ValueId> outputs);

// Records a graph's nodes into the current recording, with `inputs` for its inputs; returns its outputs.
std::vector<Tensor> replay(const Graph& graph, std::span<const Tensor> inputs);

// A loop body or branch: a graph whose inputs are the parameters, then what it captured from outside.
struct TracedBody {
  std::shared_ptr<const Graph> graph;
  std::vector<Tensor> captured;
};
using BodyFn = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
TracedBody trace_body(std::span<const Aval> parameters, const BodyFn& body);

// A parameter of a recording that is being traced.
Tensor add_parameter(Recording& recording, const Aval& aval);

}  // namespace brio
