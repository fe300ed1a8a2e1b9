// A function that was called with arguments of certain shapes and dtypes: its graph, and the values that it takes
// from outside besides the arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/ir/trace.h"

namespace brio {

struct TracedGraph {
  // Unknown sizes are symbols, or expressions of symbols if one size follows from others.
  std::vector<Aval> arguments;
  bool open = false;  // there are unknown sizes
  Graph graph;        // inputs: arguments, captured tensors, cells, then seed and counter of each generator
  std::vector<Tensor> captured;
  struct Cell {
    std::shared_ptr<VariableImpl> variable;
    bool assigned;
    uint32_t output;  // of the graph, if it is assigned
  };
  std::vector<Cell> cells;  // by the addresses of the variables, the order of locking; in a file's order
  struct Draw {
    Generator* generator;  // null: the global one
    uint64_t drawn;
  };
  std::vector<Draw> draws;
  size_t results = 0;          // the first outputs of the graph; the rest are for cells and the token of effects
  bool own_gradients = false;  // a gradient that the user wrote is not part of the graph
};

// Calls `body` once, with parameters.
TracedGraph trace_graph(const BodyFn& body, std::span<const Aval> arguments);

// Records the ops of the trace: in eager code, so that tapes follow them, or as a part of another trace.
std::vector<Tensor> record_trace(const TracedGraph& trace, std::span<const Tensor> arguments);

}  // namespace brio
