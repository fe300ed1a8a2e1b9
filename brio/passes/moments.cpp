// The sum of a tensor's columns and that of the squared differences from their mean: one op, which reads the tensor
// once, and as narrow as it is. For devices that have a kernel for it.
#include <bit>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/column_moments.h"
#include "brio/ops/network/window.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

constexpr uint32_t kNoNode = ~uint32_t{0};

class MomentsPass {
 public:
  explicit MomentsPass(Graph& graph) : g_(graph), uses_(use_counts(graph)), maker_(graph.values.size(), kNoNode) {
    for (uint32_t n = 0; n < g_.nodes.size(); ++n)
      for (ValueId v : g_.nodes[n].out) maker_[v] = n;
  }

  bool run() {
    std::vector<std::pair<uint32_t, uint32_t>> pairs;  // the sum and the spread
    for (uint32_t n = 0; n < g_.nodes.size(); ++n)
      if (const uint32_t sum = sum_of_spread(g_.nodes[n]); sum != kNoNode) pairs.emplace_back(sum, n);
    for (const auto& [sum, spread] : pairs) replace(sum, spread);
    if (pairs.empty()) return false;
    sort_topologically(g_);
    drop_dead(g_);
    return true;
  }

 private:
  const Node* maker(ValueId v, const OpDef& op) const {
    return maker_[v] != kNoNode && g_.nodes[maker_[v]].op == &op ? &g_.nodes[maker_[v]] : nullptr;
  }
  bool is_over_columns(const Node& sum) const {
    const int rank = g_.values[sum.in[0]].shape.rank();
    return rank >= 2 && reduced_axes(Attrs(sum.attrs)) == (1u << (rank - 1)) - 1;
  }
  // Where `node` is sum((x - sum(x) / count)²): the node of the inner sum.
  uint32_t sum_of_spread(const Node& node) const {
    if (node.op != &op::reduce_sum || !is_over_columns(node) || uses_[node.in[0]] != 1) return kNoNode;
    const DType dtype = g_.values[node.in[0]].dtype;
    const Node* const apart = maker(node.in[0], op::squared_difference);
    if (!apart || (dtype != f32 && dtype != f64)) return kNoNode;
    const Node* const mean = maker(apart->in[1], op::div);
    if (!mean || g_.values[apart->in[0]].shape != g_.values[apart->out[0]].shape) return kNoNode;
    const Node *const sum = maker(mean->in[0], op::reduce_sum), *const count = maker(mean->in[1], op::constant);
    if (!sum || !count || sum->in[0] != apart->in[0] || !is_over_columns(*sum)) return kNoNode;
    const Shape& x = g_.values[apart->in[0]].shape;
    Size rows = 1;
    for (int i = 0; i + 1 < x.rank(); ++i) rows *= x[i];
    if (!rows.known()) return kNoNode;
    const auto bits = static_cast<uint64_t>(count->attrs[1]);
    const double given = dtype == f64 ? std::bit_cast<double>(bits)
                                      : static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    return given == static_cast<double>(static_cast<int64_t>(rows)) ? maker_[sum->out[0]] : kNoNode;
  }
  void replace(uint32_t sum, uint32_t spread) {
    if (g_.nodes[sum].op != &op::reduce_sum) return;  // another spread took it
    ValueId x = g_.nodes[sum].in[0];
    if (const Node* const cast = maker(x, op::cast); cast && g_.values[x].dtype == f32) {
      const DType from = g_.values[cast->in[0]].dtype;
      if (from == f16 || from == bf16) x = cast->in[0];
    }
    const Shape shape = g_.values[x].shape;
    const Aval column{Shape{shape[shape.rank() - 1]}, g_.values[g_.nodes[sum].out[0]].dtype};
    const Node both{&op::column_moments, {x}, {g_.add_value(column), g_.add_value(column)}, {}, {}};
    if (!target().runs(g_, both)) return;
    g_.nodes.push_back(both);
    const uint32_t nodes[] = {sum, spread};
    for (size_t i = 0; i < 2; ++i) {
      Node& node = g_.nodes[nodes[i]];
      std::vector<int64_t> attrs;
      append_list(attrs, g_.values[node.out[0]].shape.dims());
      node = {&op::reshape, {both.out[i]}, node.out, std::move(attrs), {}};
    }
  }

  Graph& g_;
  const std::vector<uint32_t> uses_;
  std::vector<uint32_t> maker_;  // per value: its node
};

}  // namespace

bool merge_moments(Graph& graph) { return target().has_own(op::column_moments) && MomentsPass(graph).run(); }

}  // namespace brio
