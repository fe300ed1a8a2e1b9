// Elementwise ops and reductions over one iteration space become one `fused` node, whose body is their graph: the
// backend makes one pass over memory of it. Values keep their own rounding, so fusing never changes a bit.
#include <algorithm>
#include <numeric>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
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
    find_remade();
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
  // Nor need what loops read that can make it for themselves, by a few cheap ops, from fewer bytes than it has: a
  // cast of narrow values, a product by one number a channel. It is neither written nor read.
  void find_remade() {
    std::vector<bool> is_output(g_.values.size(), false);
    for (ValueId v : g_.outputs) is_output[v] = true;
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      if (!is_cheap(n) || is_output[g_.nodes[n].out[0]]) continue;
      const ValueId made = g_.nodes[n].out[0];
      std::vector<uint32_t> others;
      bool loops = true;
      for (uint32_t next : successors_[n]) {
        if (group_[next] == group_[n]) continue;
        others.push_back(next);
        loops &= loops_[next] && space(g_.nodes[next]) == g_.values[made].shape;
      }
      if (!loops || others.empty()) continue;
      std::vector<uint32_t> groups;
      for (uint32_t next : others) groups.push_back(group_[next]);
      std::ranges::sort(groups);
      groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
      Remade remade;
      size_t bytes = ~size_t{0};  // an element, if it is remade
      for (const bool deep : {false, true}) {
        Remade way;
        if ((deep && !eager_) || !collect(n, made, is_output, groups, deep, way)) continue;
        if (const size_t needed = bytes_of(way, made, groups); needed < bytes) {
          bytes = needed;
          remade = std::move(way);
        }
      }
      const size_t now = size_of(g_.values[made].dtype) * (1 + groups.size());
      // A mask that costs as many bytes one way as the other need not take memory.
      const bool is_worth_it = bytes <= now && (4 * bytes <= 3 * now || (eager_ && g_.values[made].dtype == boolean));
      if (!is_worth_it) continue;
      if (std::ranges::any_of(groups, [&](uint32_t group) {
            return members_[group].size() + remade.nodes.size() > kMostNodes ||
                   count_inputs(group, group) + remade.leaves.size() > kMostInputs;
          }))
        continue;
      for (uint32_t node : remade.nodes) {
        if (std::ranges::find(remade.through, node) == remade.through.end()) source_[node] = true;
        else
          for (uint32_t group : groups) also_made_.emplace_back(group, node);
      }
      for (ValueId v : remade.leaves) {
        for (uint32_t group : groups) also_read_.emplace_back(group, v);
        if (producer_[v] == kNoGroup) continue;
        std::vector<uint32_t>& readers = successors_[producer_[v]];
        readers.insert(readers.end(), others.begin(), others.end());
      }
    }
  }
  bool reads(uint32_t group, ValueId v) const {
    return std::ranges::find(also_read_, std::pair(group, v)) != also_read_.end() ||
           std::ranges::any_of(members_[group], [&](uint32_t n) {
             return std::ranges::find(g_.nodes[n].in, v) != g_.nodes[n].in.end();
           });
  }
  struct Remade {
    std::vector<uint32_t> nodes, through;  // `through`: those of them whose results are in memory as well
    std::vector<ValueId> leaves, kept;     // what they read; what of that would not be in memory otherwise
  };
  size_t bytes_of(const Remade& remade, ValueId made, const std::vector<uint32_t>& groups) const {
    size_t bytes = 0;
    for (ValueId v : remade.leaves)
      if (g_.values[v].shape == g_.values[made].shape)
        bytes += size_of(g_.values[v].dtype) * static_cast<size_t>(std::ranges::count_if(groups, [&](uint32_t group) {
                   return !eager_ || !reads(group, v);
                 }));
    for (ValueId v : remade.kept) bytes += size_of(g_.values[v].dtype);
    return bytes;
  }
  bool is_cheap(uint32_t n) const {
    static const OpDef* const kCheap[] = {&op::cast,       &op::add,           &op::sub,         &op::mul,
                                          &op::neg,        &op::relu,          &op::square,      &op::select,
                                          &op::min,        &op::max,           &op::less,        &op::greater,
                                          &op::less_equal, &op::greater_equal, &op::broadcast_to};
    if (!loops_[n]) return false;
    const Node& node = g_.nodes[n];
    if (std::ranges::find(kCheap, node.op) != std::end(kCheap)) return true;
    // To 16 bits these take a GPU a dozen instructions: less time than the value's bytes, written and read.
    static const OpDef* const kShort[] = {&op::exp, &op::sigmoid, &op::ndtr};
    return eager_ && size_of(g_.values[node.out[0]].dtype) == 2 &&
           std::ranges::find(kShort, node.op) != std::end(kShort);
  }
  // Deep: not even what is in memory is read, where the groups do not read it anyway, and it is cheap to make.
  bool collect(uint32_t n, ValueId made, const std::vector<bool>& is_output, const std::vector<uint32_t>& groups,
               bool deep, Remade& remade) const {
    if (std::ranges::find(remade.nodes, n) != remade.nodes.end()) return true;
    if (remade.nodes.size() == most_remade_) return false;
    remade.nodes.push_back(n);
    for (ValueId v : g_.nodes[n].in) {
      const uint32_t p = producer_[v];
      bool in_memory = p == kNoGroup || !loops_[p] || (!source_[p] && (is_output[v] || group_[p] != group_[n]));
      if (!in_memory && !source_[p])
        for (uint32_t next : successors_[p]) in_memory |= group_[next] != group_[p];
      const bool through = deep && in_memory && p != kNoGroup && is_cheap(p) &&
                           g_.values[v].shape == g_.values[made].shape &&
                           !std::ranges::all_of(groups, [&](uint32_t group) { return reads(group, v); });
      if (through) remade.through.push_back(p);
      if (through || (!in_memory && (source_[p] || is_cheap(p)))) {
        if (!collect(p, made, is_output, groups, deep, remade)) return false;
        continue;
      }
      if (std::ranges::find(remade.leaves, v) == remade.leaves.end()) remade.leaves.push_back(v);
      if (in_memory) continue;
      if (size_of(g_.values[v].dtype) >= size_of(g_.values[made].dtype)) return false;
      remade.kept.push_back(v);
    }
    return true;
  }
  bool is_source(ValueId v) const { return producer_[v] != kNoGroup && source_[producer_[v]]; }
  bool is_made_by(uint32_t group, ValueId v) const {
    return is_source(v) || std::ranges::find(also_made_, std::pair(group, producer_[v])) != also_made_.end();
  }

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
      if (source_[first] && members_[group].size() == 1) continue;
      const auto reads_source = [&](ValueId v) { return is_source(v); };
      if (members_[group].size() == 1 && std::ranges::none_of(g_.nodes[first].in, reads_source)) {
        nodes.push_back(std::move(g_.nodes[first]));
        continue;
      }
      Node node = fused(group, is_output);
      if (!node.out.empty()) nodes.push_back(std::move(node));  // otherwise nothing reads it
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
    const auto read = [&](auto& self, ValueId v) -> void {
      const uint32_t p = producer_[v];
      if (p != kNoGroup && group_[p] == group) return;
      if (is_made_by(group, v)) {
        if (std::ranges::find(work, p) != work.end()) return;
        for (ValueId u : g_.nodes[p].in) self(self, u);
        work.push_back(p);
      } else if (find(v) == kNoGroup) {
        number.emplace_back(v, body.add_input(g_.values[v]));
        result.in.push_back(v);
      }
    };
    for (uint32_t n : members_[group])
      for (ValueId v : g_.nodes[n].in) read(read, v);
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
        for (uint32_t next : successors_[n]) outside |= group_[next] != group && !source_[n];
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
  std::vector<bool> source_;        // per node: what loops outside its group make for themselves
  std::vector<std::vector<uint32_t>> members_, successors_;
  // A value is computed again where that takes no longer than so many bytes, at most.
  static constexpr double kMostBytes = 6;
  static constexpr size_t kMostRemade = 16;
  const size_t most_remade_ = std::min(kMostRemade, static_cast<size_t>(kMostBytes / target().loop_op_bytes()));
  // It computes while it waits for memory: what a loop can make of values that it reads anyway costs nothing.
  const bool eager_ = target().loop_op_bytes() < 1;
  std::vector<std::pair<uint32_t, ValueId>> also_read_;  // group and what it reads to remake something
  std::vector<std::pair<uint32_t, uint32_t>>
      also_made_;  // group and node that it makes again, though it is in memory
};

}  // namespace

bool fuse_elementwise(Graph& graph) {
  Fuser(graph).run();
  return true;
}

}  // namespace brio
