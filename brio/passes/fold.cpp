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
    if (node.op->kind != OpKind::elementwise) return true;
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

}  // namespace brio
