// Attention and its gradient over the same query, key and value: the first keeps what the second would compute again.
// For devices that have the kernels.
#include "brio/ops/network/attention.h"

#include <algorithm>

#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {

bool share_attention(Graph& graph) {
  if (!target().has_own(op::attention_grad_from_sums)) return false;
  bool changed = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& gradient = graph.nodes[n];
    if (gradient.op != &op::scaled_dot_product_attention_grad) continue;
    const auto attrs = attributes_of_sums(Attrs(gradient.attrs));
    const auto attention = std::ranges::find_if(graph.nodes, [&](const Node& node) {
      return node.op == &op::scaled_dot_product_attention && node.attrs == gradient.attrs &&
             std::equal(node.in.begin(), node.in.begin() + 3, gradient.in.begin());
    });
    if (!attrs || attention == graph.nodes.end()) continue;
    const ValueId result = attention->out[0];
    const Shape shape = graph.values[result].shape;  // values move when one is added
    const DType dtype = graph.values[result].dtype;
    const ValueId sums = graph.add_value({Shape{shape[0], shape[2], shape[1]}, dtype == f64 ? f64 : f32});
    std::vector<ValueId> in(attention->in.begin(), attention->in.begin() + 3), given = in;
    given.insert(given.end(), {result, sums, gradient.in[3]});
    const Node first{&op::attention_with_sums, in, {result, sums}, *attrs, {}};
    const Node second{&op::attention_grad_from_sums, std::move(given), gradient.out, *attrs, {}};
    if (!target().runs(graph, first) || !target().runs(graph, second)) continue;
    *attention = first;
    graph.nodes[n] = second;
    changed = true;
  }
  if (changed) sort_topologically(graph);
  return changed;
}

}  // namespace brio
