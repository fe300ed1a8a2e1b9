// A reduction of a loop's result that was reshaped for another reader, for example a bias gradient beside a matrix
// product: it reads the result from before the reshape, over more axes, so `fuse` can make both in one pass. For
// devices with their own loops: a GPU folds columns as fast as it writes the loop's result.
#include <optional>

#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

// The axes of `before` that the axes of `mask` were made of, where the others stay as they are.
std::optional<std::vector<int64_t>> axes_before(const Shape& before, const Shape& after, uint32_t mask) {
  if (!before.known() || !after.known()) return std::nullopt;
  std::vector<int64_t> axes;
  int next = 0;
  for (int axis = 0; axis < after.rank(); ++axis) {
    const int64_t size = after[axis];
    if (next == before.rank()) return std::nullopt;
    const bool reduced = mask >> axis & 1;
    int64_t product = before[next];
    if (reduced) axes.push_back(next);
    ++next;
    while (reduced && product != size && product != 0 && next < before.rank()) {
      product *= int64_t{before[next]};
      axes.push_back(next++);
    }
    if (product != size) return std::nullopt;
  }
  if (next != before.rank()) return std::nullopt;
  return axes;
}

}  // namespace

bool read_before_reshapes(Graph& graph) {
  if (!target().has_own(op::fused)) return false;
  bool changed = false;
  std::vector<const Node*> maker(graph.values.size(), nullptr);
  for (const Node& node : graph.nodes)
    for (ValueId v : node.out) maker[v] = &node;
  for (Node& node : graph.nodes) {
    if (node.op->kind != OpKind::reduction || keeps_dims(Attrs(node.attrs))) continue;
    const Node* const reshape = maker[node.in[0]];
    if (!reshape || reshape->op != &op::reshape) continue;
    const ValueId before = reshape->in[0];
    const Node* const loop = maker[before];
    if (!loop || loop->op->kind != OpKind::elementwise || !target().fuses(graph, *loop)) continue;
    const auto axes =
        axes_before(graph.values[before].shape, graph.values[node.in[0]].shape, reduced_axes(Attrs(node.attrs)));
    if (!axes) continue;
    node.in[0] = before;
    node.attrs = {0, static_cast<int64_t>(axes->size())};
    node.attrs.insert(node.attrs.end(), axes->begin(), axes->end());
    changed = true;
  }
  if (changed) drop_dead(graph);
  return changed;
}

}  // namespace brio
