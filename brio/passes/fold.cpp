#include <algorithm>

#include "brio/ops/elementwise.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"

namespace brio {
namespace {

ConstantEvaluator evaluate_constant = nullptr;

}  // namespace

void set_constant_evaluator(ConstantEvaluator evaluator) { evaluate_constant = evaluator; }

// Elementwise ops on scalar constants. Larger constants do not exist: they are broadcasts of scalars.
void fold_constants(Graph& graph) {
  if (!evaluate_constant) return;
  Rewriter rewriter(graph);
  rewriter.run([&](const Node& node) {
    if (node.op->kind != OpKind::elementwise || !is_real(rewriter.aval(node.out[0]).dtype)) return true;
    std::vector<Aval> avals;
    std::vector<uint64_t> bits;
    for (ValueId v : node.in) {
      const Node* p = rewriter.producer(v);
      if (!p || p->op != &op::constant) return true;
      avals.push_back(rewriter.aval(v));
      bits.push_back(static_cast<uint64_t>(p->attrs[1]));
    }
    const uint64_t result = evaluate_constant(*node.op, avals, bits, node.attrs);
    const auto dtype = static_cast<int64_t>(rewriter.aval(node.out[0]).dtype);
    rewriter.replace(node.out[0], rewriter.emit(op::constant, {}, {dtype, static_cast<int64_t>(result)}));
    return false;
  });
}

std::vector<std::optional<uint64_t>> uniform_values(const Graph& graph, std::span<const uint64_t> constants) {
  std::vector<std::optional<uint64_t>> known(graph.values.size());
  size_t next = 0;
  for (const Node& node : graph.nodes) {
    if (node.out.size() != 1) continue;
    std::optional<uint64_t>& result = known[node.out[0]];
    const auto is_known = [&](ValueId v) { return known[v].has_value(); };
    switch (node.op->kind) {
      case OpKind::constant: result = constants[next++]; break;
      case OpKind::view: result = known[node.in.back()]; break;
      case OpKind::movement:
        if (std::ranges::all_of(node.in, [&](ValueId v) { return known[v] == known[node.in[0]]; }))
          result = known[node.in[0]];
        break;
      case OpKind::elementwise: {
        if (!evaluate_constant || !std::ranges::all_of(node.in, is_known) ||
            !is_real(graph.values[node.out[0]].dtype))
          break;
        std::vector<Aval> avals;
        std::vector<uint64_t> bits;
        for (ValueId v : node.in) {
          avals.push_back({Shape(), graph.values[v].dtype});
          bits.push_back(*known[v]);
        }
        result = evaluate_constant(*node.op, avals, bits, node.attrs);
        break;
      }
      default: break;
    }
  }
  return known;
}

}  // namespace brio
