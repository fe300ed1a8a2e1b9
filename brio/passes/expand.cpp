// A composite op that asks for it (OpDef::expands) becomes its plain form: made of elementwise ops it fuses with its
// neighbours and costs no pass over memory of its own, and what its gradient computes again merges with it.
#include <algorithm>

#include "brio/ir/tensor.h"
#include "brio/ir/trace.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"

namespace brio {

Graph plain_form(const Graph& graph, const Node& node) {
  std::vector<Aval> parameters;
  for (ValueId v : node.in) parameters.push_back(graph.values[v]);
  return *trace_body(parameters, [&](const std::vector<Tensor>& in) {
            return node.op->plain(in, Attrs(node.attrs));
          }).graph;
}

void expand_composites(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, [](const Node& node) { return node.op->expands; })) return;
  Rewriter rewriter(graph);
  rewriter.run([&](Node& node) {
    if (!node.op->expands) return true;
    const std::vector<ValueId> out = emit_plain(graph, node, [&](const Node& step, std::vector<ValueId> in) {
      return rewriter.emit(*step.op, std::move(in), step.attrs);
    });
    for (size_t i = 0; i < node.out.size(); ++i) rewriter.replace(node.out[i], out[i]);
    return false;
  });
}

}  // namespace brio
