#include <algorithm>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/passes/pipeline.h"

namespace brio {
namespace {

ConstantEvaluator evaluate_constant = nullptr;

}  // namespace

void set_constant_evaluator(ConstantEvaluator evaluator) { evaluate_constant = evaluator; }

// Elementwise ops on scalar constants become constants. Larger ones do not exist: they are broadcasts of scalars.
bool fold_constants(Graph& graph) {
  if (!evaluate_constant) return false;
  bool changed = false;
  std::vector<const Node*> constants(graph.values.size());
  std::vector<Aval> avals;
  std::vector<uint64_t> bits;
  for (Node& node : graph.nodes) {
    if (node.op->kind == OpKind::elementwise && is_real(graph.values[node.out[0]].dtype) &&
        std::ranges::all_of(node.in, [&](ValueId v) { return constants[v] != nullptr; })) {
      avals.clear();
      bits.clear();
      for (const ValueId v : node.in) {
        avals.push_back(graph.values[v]);
        bits.push_back(static_cast<uint64_t>(constants[v]->attrs[1]));
      }
      const uint64_t result = evaluate_constant(*node.op, avals, bits, node.attrs);
      node.op = &op::constant;
      node.in.clear();
      node.attrs = {static_cast<int64_t>(graph.values[node.out[0]].dtype), static_cast<int64_t>(result)};
      changed = true;
    }
    if (node.op == &op::constant) constants[node.out[0]] = &node;
  }
  return changed;
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
