// What goes around a layer is added by the product, or by the gradient of a normalisation, that it is added to, while
// that writes its result anyway; the gradient also has the sum of the columns at hand, which is the gradient of a
// bias. For devices that have the kernels.
#include "brio/ops/network/residuals.h"

#include <algorithm>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/network/row_norm.h"
#include "brio/ops/network/window.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

std::vector<int64_t> shape_attrs(const Shape& shape) {
  std::vector<int64_t> attrs;
  append_list(attrs, shape.dims());
  return attrs;
}

// Per value: whether an op reads it that is not a loop. Loops add it on the way; another sum may be a product's.
std::vector<bool> read_from_memory(const Graph& graph) {
  std::vector<bool> read(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    const bool loop = node.op->kind == OpKind::elementwise || node.op->kind == OpKind::reduction;
    if (!loop || node.op == &op::add)
      for (ValueId v : node.in) read[v] = true;
  }
  for (ValueId v : graph.outputs) read[v] = true;
  return read;
}

class ProductSums {
 public:
  explicit ProductSums(Graph& graph)
      : graph_(graph), uses_(use_counts(graph)), in_memory_(read_from_memory(graph)), rewriter_(graph) {}

  bool run() {
    const bool changed = rewriter_.run([&](const Node& node) {
      if (node.op != &op::add || !in_memory_[node.out[0]]) return true;
      return !take(node, 1) && !take(node, 0);
    });
    if (changed) drop_dead(graph_);
    return changed;
  }

 private:
  bool is_read_once(ValueId v) const { return v < uses_.size() && uses_[v] == 1; }
  // The product that makes a value for this reader alone, perhaps under another shape.
  const Node* product(ValueId v) const {
    const Node* made = rewriter_.producer(v);
    while (made && made->op == &op::reshape && is_read_once(v)) {
      v = made->in[0];
      made = rewriter_.producer(v);
    }
    if (!made || !is_read_once(v)) return nullptr;
    const bool plain = made->op == &op::matmul || (made->op == &op::linear && made->attrs[0] == 0);
    if (!plain || rewriter_.aval(made->in[0]).shape.rank() != 2) return nullptr;
    return rewriter_.aval(made->in[1]).shape.rank() == 2 ? made : nullptr;
  }
  // Adds the other operand of a sum to the product that operand k is.
  bool take(const Node& sum, size_t k) {
    const Node* const made = product(sum.in[k]);
    const ValueId more = sum.in[1 - k];
    const Aval result = rewriter_.aval(sum.out[0]);
    if (!made || rewriter_.aval(more) != result || rewriter_.aval(sum.in[k]) != result) return false;
    const bool linear = made->op == &op::linear;
    const Shape shape = rewriter_.aval(made->out[0]).shape;
    Graph alone;
    std::vector<ValueId> in = {made->in[0], made->in[1], more}, parameters;
    if (linear) in.push_back(made->in[2]);
    for (size_t i = 0; i < in.size(); ++i)
      parameters.push_back(alone.add_input(i == 2 ? Aval{shape, result.dtype} : rewriter_.aval(in[i])));
    const std::vector<int64_t> attrs(made->attrs.begin() + (linear ? 1 : 0), made->attrs.end());
    const Node probe = alone.add(op::linear_sum, parameters, attrs);
    if (!target().runs(alone, probe)) return false;
    if (shape != result.shape) in[2] = rewriter_.emit(op::reshape, {more}, shape_attrs(shape));
    ValueId out = rewriter_.emit(op::linear_sum, in, attrs);
    if (shape != result.shape) out = rewriter_.emit(op::reshape, {out}, shape_attrs(result.shape));
    rewriter_.replace(sum.out[0], out);
    return true;
  }

  Graph& graph_;
  const std::vector<uint32_t> uses_;
  const std::vector<bool> in_memory_;
  Rewriter rewriter_;
};

class GradientSums {
 public:
  explicit GradientSums(Graph& graph) : g_(graph), uses_(use_counts(graph)), maker_(graph.values.size(), kNone) {
    for (uint32_t n = 0; n < g_.nodes.size(); ++n)
      for (ValueId v : g_.nodes[n].out) maker_[v] = n;
  }
  bool run() {
    bool changed = false;
    for (uint32_t n = 0; n < g_.nodes.size(); ++n)
      if (g_.nodes[n].op == &op::add) changed |= take(n, 1) || take(n, 0);
    if (!changed) return false;
    std::erase_if(g_.nodes, [](const Node& node) { return node.op == nullptr; });
    sort_topologically(g_);
    return true;
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // The sum of the columns of a value, where there is one.
  uint32_t sum_of_columns(ValueId v) const {
    const int rank = g_.values[v].shape.rank();
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      const Node& node = g_.nodes[n];
      if (node.op == &op::reduce_sum && node.in[0] == v && !keeps_dims(Attrs(node.attrs)) &&
          reduced_axes(Attrs(node.attrs)) == (1u << (rank - 1)) - 1)
        return n;
    }
    return kNone;
  }
  bool take(uint32_t n, size_t k) {
    const Node& sum = g_.nodes[n];
    const ValueId of_rows = sum.in[k], more = sum.in[1 - k], result = sum.out[0];
    if (maker_[of_rows] == kNone || uses_[of_rows] != 1) return false;
    const Node& gradient = g_.nodes[maker_[of_rows]];
    if (gradient.op != &op::row_norm_grad || gradient.out[0] != of_rows) return false;
    if (g_.values[more] != g_.values[result] || g_.values[of_rows] != g_.values[result]) return false;
    const uint32_t columns = sum_of_columns(result);
    const Shape shape = g_.values[result].shape;
    const ValueId of_columns = columns != kNone
                                   ? g_.nodes[columns].out[0]
                                   : g_.add_value({Shape{shape[shape.rank() - 1]}, g_.values[result].dtype});
    Node both{&op::row_norm_grad_sum,
              {gradient.in[0], gradient.in[1], gradient.in[2], more},
              {result, gradient.out[1], gradient.out[2], of_columns},
              gradient.attrs,
              {}};
    if (!target().runs(g_, both)) return false;
    if (columns != kNone) g_.nodes[columns].op = nullptr;
    g_.nodes[maker_[of_rows]].op = nullptr;
    g_.nodes[n] = std::move(both);
    return true;
  }

  Graph& g_;
  const std::vector<uint32_t> uses_;
  std::vector<uint32_t> maker_;  // per value: its node
};

}  // namespace

bool add_residuals(Graph& graph) {
  bool changed = false;
  if (target().has_own(op::linear_sum)) changed |= ProductSums(graph).run();
  if (target().has_own(op::row_norm_grad_sum)) changed |= GradientSums(graph).run();
  return changed;
}

}  // namespace brio
