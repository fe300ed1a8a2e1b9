// A softmax cross-entropy and its gradient read the same logits: one op reads them once, where the gradient's weight
// is known before the loss.
#include "brio/ops/network/composites.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

// Does `value` depend on the result of `node`?
bool depends_on(const Graph& graph, ValueId value, const Node& node, const std::vector<uint32_t>& producer) {
  std::vector<ValueId> stack{value};
  std::vector<bool> seen(graph.values.size(), false);
  while (!stack.empty()) {
    const ValueId v = stack.back();
    stack.pop_back();
    if (seen[v]) continue;
    seen[v] = true;
    if (producer[v] == ~uint32_t{0}) continue;
    const Node& maker = graph.nodes[producer[v]];
    if (&maker == &node) return true;
    stack.insert(stack.end(), maker.in.begin(), maker.in.end());
  }
  return false;
}

}  // namespace

bool merge_losses(Graph& graph) {
  std::vector<uint32_t> producer(graph.values.size(), ~uint32_t{0});
  for (uint32_t n = 0; n < graph.nodes.size(); ++n)
    for (ValueId v : graph.nodes[n].out) producer[v] = n;
  bool changed = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Node& loss = graph.nodes[n];
    if (loss.op != &op::softmax_xent) continue;
    for (size_t m = 0; m < graph.nodes.size(); ++m) {
      Node& gradient = graph.nodes[m];
      if (gradient.op != &op::softmax_xent_grad || gradient.attrs != loss.attrs) continue;
      if (gradient.in[0] != loss.in[0] || gradient.in[1] != loss.in[1]) continue;
      if (depends_on(graph, gradient.in[2], loss, producer)) continue;
      // Both results are computed at the gradient's position; the sort below moves earlier readers of the loss behind
      // it.
      const Node both{
          &op::softmax_xent_value_and_grad, gradient.in, {loss.out[0], gradient.out[0]}, gradient.attrs, {}};
      if (!target().runs(graph, both)) continue;
      gradient = both;
      loss.op = nullptr;
      changed = true;
      break;
    }
  }
  if (!changed) return false;
  std::erase_if(graph.nodes, [](const Node& node) { return node.op == nullptr; });
  sort_topologically(graph);
  return true;
}

}  // namespace brio
