#include <algorithm>

#include "brio/passes/pipeline.h"

namespace brio {

// A failed run must leave its inputs unchanged. So only nodes after the last one that may refuse its data may
// overwrite a donated input. Nodes that read such an input, and do not lead to a node that may refuse, are moved to
// the end, with all that depends on them. Otherwise the order stays: if all gradients of weights were moved back,
// everything that they need would stay alive.
bool order_checks(Graph& graph) {
  if (std::ranges::none_of(graph.inputs, &Graph::Input::donated)) return false;
  std::vector<bool> needed(graph.values.size(), false), late_value(graph.values.size(), false);
  std::vector<bool> leads(graph.nodes.size(), false), late(graph.nodes.size(), false);
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    leads[n] = may_fail(node) || std::ranges::any_of(node.out, [&](ValueId v) { return needed[v]; });
    if (leads[n])
      for (ValueId v : node.in) needed[v] = true;
  }
  if (std::ranges::none_of(leads, [](bool any) { return any; })) return false;
  for (const Graph::Input& input : graph.inputs) late_value[input.value] = input.donated;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    late[n] = !leads[n] && std::ranges::any_of(node.in, [&](ValueId v) { return late_value[v]; });
    if (late[n])
      for (ValueId v : node.out) late_value[v] = true;
  }
  std::vector<Node> nodes;
  nodes.reserve(graph.nodes.size());
  for (const bool turn : {false, true})
    for (size_t n = 0; n < graph.nodes.size(); ++n)
      if (late[n] == turn) nodes.push_back(std::move(graph.nodes[n]));
  graph.nodes = std::move(nodes);
  return true;
}

}  // namespace brio
