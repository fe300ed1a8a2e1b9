// A composite op that asks for it (OpDef::expands) becomes its plain form: made of elementwise ops it fuses with its
// neighbours and costs no pass over memory of its own, and what its gradient computes again merges with it. So does
// one that the device has no kernel for, where it has kernels for all the parts.
#include <algorithm>

#include "brio/ir/tensor.h"
#include "brio/ir/trace.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

bool runs_in_parts(const Graph& graph, const Node& node);

// By itself, or in parts.
bool runs(const Graph& graph, const Node& node) {
  if (node.op->kind == OpKind::constant || node.op->kind == OpKind::view) return true;
  return target().runs(graph, node) || runs_in_parts(graph, node);
}

bool runs_in_parts(const Graph& graph, const Node& node) {
  // What may refuse its data says so under its own name.
  if (!node.op->plain || node.op->may_fail) return false;
  const Graph plain = plain_form(graph, node);
  return std::ranges::all_of(plain.nodes, [&](const Node& part) {
    return part.op != node.op && part.out.size() == 1 && part.graphs.empty() && runs(plain, part);
  });
}

bool is_to_expand(const Graph& graph, const Node& node) {
  return node.op->expands || (node.op->plain && !target().runs(graph, node) && runs_in_parts(graph, node));
}

// One round: what comes of it may be composite in turn.
bool expand_once(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, [&](const Node& node) { return is_to_expand(graph, node); })) return false;
  Rewriter rewriter(graph);
  rewriter.run([&](Node& node) {
    if (!is_to_expand(graph, node)) return true;
    const std::vector<ValueId> out = emit_plain(graph, node, [&](const Node& step, std::vector<ValueId> in) {
      return rewriter.emit(*step.op, std::move(in), step.attrs);
    });
    for (size_t i = 0; i < node.out.size(); ++i) rewriter.replace(node.out[i], out[i]);
    return false;
  });
  return true;
}

}  // namespace

Graph plain_form(const Graph& graph, const Node& node) {
  std::vector<Aval> parameters;
  for (ValueId v : node.in) parameters.push_back(graph.values[v]);
  return *trace_body(parameters, [&](const std::vector<Tensor>& in) {
            return node.op->plain(in, Attrs(node.attrs));
          }).graph;
}

bool expand_composites(Graph& graph) {
  bool changed = false;
  while (expand_once(graph)) changed = true;
  return changed;
}

}  // namespace brio
