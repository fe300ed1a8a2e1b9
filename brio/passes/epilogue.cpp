// matmul, then a bias, then an activation: one op, so that the product is finished while it is in registers.
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

FusedActivation activation_of(const OpDef* op) {
  if (op == &op::relu) return FusedActivation::relu;
  if (op == &op::sigmoid) return FusedActivation::sigmoid;
  if (op == &op::tanh) return FusedActivation::tanh;
  return FusedActivation::none;
}

}  // namespace

bool fuse_epilogues(Graph& graph) {
  const std::vector<uint32_t> uses = use_counts(graph);
  auto used_once = [&](ValueId v) { return v < uses.size() && uses[v] == 1; };
  Rewriter rewriter(graph);
  // Values that became a `linear` keep the number of uses of what they replace.
  std::vector<ValueId> stands_for(graph.values.size());
  for (ValueId v = 0; v < stands_for.size(); ++v) stands_for[v] = v;
  auto emit_linear = [&](const Node& node, std::vector<ValueId> in, std::vector<int64_t> attrs) {
    const ValueId made = rewriter.emit(op::linear, std::move(in), std::move(attrs));
    if (made >= stands_for.size()) stands_for.resize(made + 1, made);
    stands_for[made] = node.out[0];
    rewriter.replace(node.out[0], made);
  };
  const bool changed = rewriter.run([&](const Node& node) {
    if (node.op == &op::add) {
      for (size_t k = 0; k < 2; ++k) {
        const ValueId product = node.in[k], bias = node.in[1 - k];
        const Node* p = rewriter.producer(product);
        if (!p || p->op != &op::matmul || !used_once(product)) continue;
        const Shape &out = rewriter.aval(product).shape, &b = rewriter.aval(bias).shape;
        if (b.rank() != 1 || out.rank() < 2 || !(b[0] == out[out.rank() - 1])) continue;
        if (rewriter.aval(p->in[0]).shape.rank() < 2 || rewriter.aval(p->in[1]).shape.rank() != 2) continue;
        const Node linear{&op::linear,
                          {p->in[0], p->in[1], bias},
                          node.out,
                          {static_cast<int64_t>(FusedActivation::none), p->attrs[0], p->attrs[1]},
                          {}};
        if (!target().runs(graph, linear)) continue;
        emit_linear(node, linear.in, linear.attrs);
        return false;
      }
    }
    if (const FusedActivation activation = activation_of(node.op); activation != FusedActivation::none) {
      const Node* p = rewriter.producer(node.in[0]);
      if (p && p->op == &op::linear && p->attrs[0] == 0 && used_once(stands_for[node.in[0]])) {
        const Node linear{
            &op::linear, p->in, node.out, {static_cast<int64_t>(activation), p->attrs[1], p->attrs[2]}, {}};
        if (!target().runs(graph, linear)) return true;
        emit_linear(node, linear.in, linear.attrs);
        return false;
      }
    }
    return true;
  });
  if (changed) drop_dead(graph);
  return changed;
}

}  // namespace brio
