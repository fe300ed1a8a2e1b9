// Runs a graph node by node with reference kernels only: no passes, no plan, no reuse of memory. Tests compare with
// it.
#pragma once

#include <span>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/runtime/backend.h"

namespace brio {

std::vector<Array> interpret(const Graph& graph, std::span<const Array> inputs);
// With the kernels of another registry. The device's memory must be the host's.
std::vector<Array> interpret(const Registry& registry, const Device& device, const Graph& graph,
                             std::span<const Array> inputs);

}  // namespace brio
