// Graphs with unknown sizes: shapes and extents hold expressions over symbols.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/ir/tensor.h"

namespace brio {

// The graph with its symbols replaced by sizes, known or not. They are filled into the shapes of inputs and into
// extents; other shapes follow by the rules, which refuse what does not fit. Bodies that are `known` in these sizes
// are taken unchanged. Throws InvalidArgument.
using FilledBodies = std::unordered_map<const Graph*, std::shared_ptr<const Graph>>;
Graph with_sizes(const Graph& graph, std::span<const Size> symbols, FilledBodies known = {});

// One more than the last symbol in it; 0 if every size is known.
uint32_t count_symbols(const Graph& graph);

// The size of each symbol, if the tensors fit what is wanted; otherwise none. Every symbol in `wanted` is the size of
// an axis there.
std::optional<std::vector<Size>> bind_symbols(std::span<const Aval> wanted, std::span<const Tensor> given);
// The same into a list that is reused. False: they do not fit, and the content of the list is undefined.
bool bind_symbols(std::span<const Aval> wanted, std::span<const Tensor> given, std::vector<Size>& sizes);

}  // namespace brio
