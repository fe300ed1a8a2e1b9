#include <algorithm>

#include "brio/passes/pipeline.h"

namespace brio {

// Nodes that may refuse their data come first, with what leads to them; otherwise the order stays. A failed run must
// leave its inputs as they were, so only what follows the last of these may be written over a donated one.
bool order_checks(Graph& graph) {
  if (std::ranges::none_of(graph.inputs, &Graph::Input::donated)) return false;
  std::vector<bool> needed(graph.values.size(), false), first(graph.nodes.size(), false);
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    first[n] = may_fail(node) || std::ranges::any_of(node.out, [&](ValueId v) { return needed[v]; });
    if (first[n])
      for (ValueId v : node.in) needed[v] = true;
  }
  std::vector<Node> nodes;
  nodes.reserve(graph.nodes.size());
  for (const bool turn : {true, false})
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (first[n] == turn) nodes.push_back(std::move(graph.nodes[n]));
  graph.nodes = std::move(nodes);
  return true;
}

}  // namespace brio
