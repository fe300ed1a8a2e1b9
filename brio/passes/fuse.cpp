// Elementwise ops and reductions over one iteration space become one `fused` node, whose body is their graph: the
// backend makes one pass over memory of it. Values keep their own rounding, so fusing never changes a bit.
#include <algorithm>
#include <numeric>

#include "brio/ops/fusion.h"
#include "brio/ops/indexed_rows.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

constexpr uint32_t kNoGroup = ~uint32_t{0};
constexpr size_t kMostNodes = 96, kMostInputs = 48;

bool is_loop_op(const Node& node) { return node.op->kind == OpKind::elementwise || node.op == &op::broadcast_to; }

// Loops are over real numbers.
bool is_real_only(const Graph& graph, const Node& node) {
  const auto real = [&](ValueId v) { return is_real(graph.values[v].dtype); };
  return std::ranges::all_of(node.in, real) && std::ranges::all_of(node.out, real);
}

class Fuser {
 public:
  explicit Fuser(Graph& graph) : g_(graph), producer_(graph.values.size(), kNoGroup), group_(graph.nodes.size()) {
    std::iota(group_.begin(), group_.end(), 0u);
    for (const Node& node : g_.nodes)
      loops_.push_back((is_loop_op(node) || node.op->kind == OpKind::reduction) && is_real_only(g_, node) &&
                       target().fuses(g_, node));
    members_.resize(g_.nodes.size());
    successors_.resize(g_.nodes.size());
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      members_[n] = {n};
      for (ValueId v : g_.nodes[n].out) producer_[v] = n;
      for (ValueId v : g_.nodes[n].in)
        if (producer_[v] != kNoGroup) successors_[producer_[v]].push_back(n);
    }
    find_sources();
  }

  void run() {
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      const Node& node = g_.nodes[n];
      if (!loops_[n]) continue;
      for (ValueId v : node.in) {
        const uint32_t p = producer_[v];
        if (p == kNoGroup || !loops_[p] || !is_loop_op(g_.nodes[p])) continue;
        if (!(g_.values[v].shape == space(node))) continue;
        try_merge(group_[p], group_[n]);
      }
    }
    rebuild();
  }

 private:
  // A table spread from some rows need not exist where loops alone read it: each spreads the rows for itself.
  void find_sources() {
    source_.assign(g_.nodes.size(), false);
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      if (g_.nodes[n].op != &op::spread_rows || !target().fuses(g_, g_.nodes[n])) continue;
      const ValueId table = g_.nodes[n].out[0];
      source_[n] = std::ranges::find(g_.outputs, table) == g_.outputs.end() &&
                   std::ranges::all_of(successors_[n], [&](uint32_t next) {
                     const Node& node = g_.nodes[next];
                     return loops_[next] && space(node) == g_.values[table].shape;
                   });
    }
  }
  bool is_source(ValueId v) const { return producer_[v] != kNoGroup && source_[producer_[v]]; }

  const Shape& space(const Node& node) const {
    return g_.values[node.op->kind == OpKind::reduction ? node.in[0] : node.out[0]].shape;
  }

  void try_merge(uint32_t a, uint32_t b) {
    if (a == b) return;
    if (members_[a].size() + members_[b].size() > kMostNodes) return;
    // One set of reduced axes for the whole loop.
    const Node* reduction = nullptr;
    for (uint32_t group : {a, b})
      for (uint32_t n : members_[group]) {
        const Node& node = g_.nodes[n];
        if (node.op->kind != OpKind::reduction) continue;
        if (reduction && reduced_axes(Attrs(reduction->attrs)) != reduced_axes(Attrs(node.attrs))) return;
        reduction = &node;
      }
    if (count_inputs(a, b) > kMostInputs) return;
    if (has_detour(a, b)) return;
    for (uint32_t n : members_[b]) group_[n] = a;
    members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
    std::ranges::sort(members_[a]);
    members_[b].clear();
  }

  size_t count_inputs(uint32_t a, uint32_t b) const {
    std::vector<ValueId> inputs;
    for (uint32_t group : {a, b})
      for (uint32_t n : members_[group])
        for (ValueId v : g_.nodes[n].in) {
          const uint32_t p = producer_[v];
          if (p == kNoGroup || (group_[p] != a && group_[p] != b)) inputs.push_back(v);
        }
    std::ranges::sort(inputs);
    return static_cast<size_t>(std::unique(inputs.begin(), inputs.end()) - inputs.begin());
  }

  // Is there a path between the groups, either way, through a node of neither? Merging would then close a circle.
  bool has_detour(uint32_t a, uint32_t b) {
    const uint32_t last = std::max(members_[a].back(), members_[b].back());
    std::vector<uint32_t> stack;
    std::vector<bool> seen(g_.nodes.size(), false);
    for (uint32_t group : {a, b})
      for (uint32_t n : members_[group]) push_outside(n, a, b, stack, seen);
    while (!stack.empty()) {
      const uint32_t group = stack.back();
      stack.pop_back();
      for (uint32_t n : members_[group]) {
        for (uint32_t next : successors_[n]) {
          if (group_[next] == a || group_[next] == b) return true;
          if (members_[group_[next]].front() <= last && !seen[group_[next]]) {
            seen[group_[next]] = true;
            stack.push_back(group_[next]);
          }
        }
      }
    }
    // A reduction's result is not available inside its own loop.
    for (uint32_t group : {a, b})
      for (uint32_t n : members_[group])
        if (g_.nodes[n].op->kind == OpKind::reduction)
          for (uint32_t next : successors_[n])
            if (group_[next] == a || group_[next] == b) return true;
    return false;
  }
  void push_outside(uint32_t n, uint32_t a, uint32_t b, std::vector<uint32_t>& stack, std::vector<bool>& seen) {
    for (uint32_t next : successors_[n]) {
      const uint32_t group = group_[next];
      if (group == a || group == b || seen[group]) continue;
      seen[group] = true;
      stack.push_back(group);
    }
  }

  // Groups in an order in which they can run; among those that can, the earliest first.
  std::vector<uint32_t> group_order() const {
    std::vector<uint32_t> waiting(g_.nodes.size(), 0);
    for (uint32_t n = 0; n < g_.nodes.size(); ++n)
      for (uint32_t next : successors_[n])
        if (group_[next] != group_[n]) ++waiting[group_[next]];
    std::vector<uint32_t> heap, order;
    const auto later = [&](uint32_t x, uint32_t y) { return members_[x].front() > members_[y].front(); };
    for (uint32_t group = 0; group < members_.size(); ++group)
      if (!members_[group].empty() && waiting[group] == 0) heap.push_back(group);
    std::ranges::make_heap(heap, later);
    while (!heap.empty()) {
      std::ranges::pop_heap(heap, later);
      const uint32_t group = heap.back();
      heap.pop_back();
      order.push_back(group);
      for (uint32_t n : members_[group])
        for (uint32_t next : successors_[n])
          if (group_[next] != group && --waiting[group_[next]] == 0) {
            heap.push_back(group_[next]);
            std::ranges::push_heap(heap, later);
          }
    }
    return order;
  }

  void rebuild() {
    std::vector<bool> is_output(g_.values.size(), false);
    for (ValueId v : g_.outputs) is_output[v] = true;
    std::vector<Node> nodes;
    for (uint32_t group : group_order()) {
      const uint32_t first = members_[group][0];
      if (source_[first]) continue;
      const auto reads_source = [&](ValueId v) { return is_source(v); };
      if (members_[group].size() == 1 && std::ranges::none_of(g_.nodes[first].in, reads_source)) {
        nodes.push_back(std::move(g_.nodes[first]));
        continue;
      }
      Node node = fused(group, is_output);
      if (!node.out.empty()) nodes.push_back(std::move(node));  // else nobody reads it
    }
    g_.nodes = std::move(nodes);
  }

  Node fused(uint32_t group, const std::vector<bool>& is_output) {
    Graph body;
    std::vector<std::pair<ValueId, ValueId>> number;  // value outside → in the body
    auto find = [&](ValueId v) {
      auto it = std::ranges::find(number, v, &std::pair<ValueId, ValueId>::first);
      return it == number.end() ? kNoGroup : it->second;
    };
    Node result{&op::fused, {}, {}, {}, {}};
    std::vector<uint32_t> work;  // the nodes of the body: sources first
    for (uint32_t n : members_[group])
      for (ValueId v : g_.nodes[n].in) {
        const bool inside = producer_[v] != kNoGroup && group_[producer_[v]] == group;
        if (inside) continue;
        const bool source = is_source(v);
        if (source && std::ranges::find(work, producer_[v]) == work.end()) work.push_back(producer_[v]);
        for (ValueId read : source ? std::span<const ValueId>(g_.nodes[producer_[v]].in) : std::span(&v, 1)) {
          if (find(read) != kNoGroup) continue;
          number.emplace_back(read, body.add_input(g_.values[read]));
          result.in.push_back(read);
        }
      }
    work.insert(work.end(), members_[group].begin(), members_[group].end());
    for (uint32_t n : work) {
      const Node& node = g_.nodes[n];
      Node inner{node.op, {}, {}, node.attrs, node.graphs};
      for (ValueId v : node.in) inner.in.push_back(find(v));
      for (ValueId v : node.out) {
        inner.out.push_back(body.add_value(g_.values[v]));
        number.emplace_back(v, inner.out.back());
      }
      body.nodes.push_back(std::move(inner));
    }
    for (uint32_t n : members_[group])
      for (ValueId v : g_.nodes[n].out) {
        bool outside = is_output[v];
        for (uint32_t next : successors_[n]) outside |= group_[next] != group;
        if (!outside) continue;
        body.outputs.push_back(find(v));
        result.out.push_back(v);
      }
    result.graphs.push_back(std::make_shared<const Graph>(std::move(body)));
    return result;
  }

  Graph& g_;
  std::vector<uint32_t> producer_;  // per value: its node
  std::vector<uint32_t> group_;     // per node
  std::vector<bool> loops_;         // per node: may be part of a loop
  std::vector<bool> source_;        // per node: a spread_rows that no loop needs to have made
  std::vector<std::vector<uint32_t>> members_, successors_;
};

}  // namespace

void fuse_elementwise(Graph& graph) { Fuser(graph).run(); }

}  // namespace brio
