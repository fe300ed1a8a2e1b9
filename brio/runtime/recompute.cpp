#include "brio/runtime/recompute.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/placement.h"

namespace brio {
namespace {

constexpr uint32_t kNobody = ~uint32_t{0};
constexpr size_t kMostRepeated = 48;   // nodes that one value may cost
constexpr double kMostAdded = 2;       // times the work of the graph: beyond, a smaller batch is the better way
constexpr size_t kMostCandidates = 8;  // that are tried at one peak

// Seconds of a usual core. They only rank candidates, and are fixed so that a graph has one answer on every machine.
double seconds_of(const Work& work) { return work.flops / 1e11 + work.bytes / 2e10 + 1e-7; }

double seconds_of(const Graph& graph, const Node& node) {
  std::vector<const Aval*> in;
  std::vector<Aval> out;
  std::vector<const Graph*> graphs;
  for (const ValueId v : node.in) in.push_back(&graph.values[v]);
  for (const ValueId v : node.out) out.push_back(graph.values[v]);
  for (const auto& body : node.graphs) graphs.push_back(body.get());
  Work work;
  add_cost(work, *node.op, in, Attrs(node.attrs), graphs, out);
  return seconds_of(work);
}

// Running it twice is the same as once: it acts on nothing, refuses nothing. Loops could be, too, but a loop may be
// interrupted: nothing is written in place before the last of them (placement.h), so none comes later than it did.
bool may_repeat(const Node& node) {
  if (node.op == &op::fused) return !may_fail(node);
  return node.op->kind != OpKind::effect && node.op->kind != OpKind::control && !may_fail(node);
}

ValueId source_of(const Node& view) { return view.op == &op::custom_gradient ? view.in.back() : view.in[0]; }

// Where values live, by the order of the nodes as they stand. Positions are places of nodes.
class Lifetimes {
 public:
  explicit Lifetimes(const Graph& graph) : graph_(graph) {
    const size_t n = graph.values.size();
    roots_.resize(n);
    made_by_.assign(n, kNobody);
    uses_.resize(n);
    kept_.assign(n, false);
    outside_.assign(n, false);
    for (ValueId v = 0; v < n; ++v) roots_[v] = v;
    for (const Graph::Input& input : graph.inputs) outside_[input.value] = true;
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      if (is_constant(node)) outside_[node.out[0]] = true;
      else if (is_alias(graph, node)) roots_[node.out[0]] = roots_[source_of(node)];
      for (const ValueId v : node.out) made_by_[v] = i;
      for (const ValueId v : node.in) {
        std::vector<uint32_t>& uses = uses_[roots_[v]];
        if (uses.empty() || uses.back() != i) uses.push_back(i);
      }
    }
    for (const ValueId v : graph.outputs) kept_[roots_[v]] = true;
    count();
  }

  ValueId root(ValueId v) const { return roots_[v]; }
  uint32_t made_by(ValueId v) const { return made_by_[v]; }
  std::span<const uint32_t> uses(ValueId root) const { return uses_[root]; }
  size_t bytes(ValueId v) const { return graph_.values[v].bytes(); }
  // In the arena: neither given from outside nor handed out.
  bool in_arena(ValueId v) const { return roots_[v] == v && !outside_[v] && !kept_[v] && made_by_[v] != kNobody; }
  // Can a node at this place read it without keeping it any longer?
  bool is_there(ValueId root, uint32_t at) const {
    if (outside_[root]) return true;
    if (made_by_[root] == kNobody || made_by_[root] >= at) return false;
    return kept_[root] || (!uses_[root].empty() && uses_[root].back() >= at);
  }
  const std::vector<size_t>& alive() const { return alive_; }
  size_t most() const { return alive_.empty() ? 0 : *std::ranges::max_element(alive_); }
  double over(size_t bytes) const {  // by how much, summed over the nodes
    double sum = 0;
    for (const size_t each : alive_) sum += each > bytes ? static_cast<double>(each - bytes) : 0;
    return sum;
  }

 private:
  void count() {
    std::vector<int64_t> change(graph_.nodes.size() + 1, 0);
    for (ValueId v = 0; v < roots_.size(); ++v) {
      if (!in_arena(v)) continue;
      change[made_by_[v]] += static_cast<int64_t>(bytes(v));
      change[(uses_[v].empty() ? made_by_[v] : uses_[v].back()) + 1] -= static_cast<int64_t>(bytes(v));
    }
    alive_.resize(graph_.nodes.size());
    int64_t sum = 0;
    for (size_t i = 0; i < alive_.size(); ++i) alive_[i] = static_cast<size_t>(sum += change[i]);
  }

  const Graph& graph_;
  std::vector<ValueId> roots_;
  std::vector<uint32_t> made_by_;
  std::vector<std::vector<uint32_t>> uses_;  // by root, in order, each once
  std::vector<bool> kept_, outside_;
  std::vector<size_t> alive_;
};

// A value that is read after a peak and not at it, and what making it again before that would take.
struct Candidate {
  ValueId value;
  uint32_t at;                  // its first reader behind the peak
  std::vector<uint32_t> nodes;  // to repeat, in order
  double seconds;
  double gain;  // bytes × nodes over the limit, for a second
};

class Recomputer {
 public:
  Recomputer(Graph& graph, size_t limit) : graph_(graph), limit_(limit) {
    const Lifetimes recorded(graph);
    for (const Graph::Input& input : graph.inputs) {
      const auto uses = recorded.uses(input.value);
      if (input.donated) donated_until_[input.value] = uses.empty() ? 0 : uses.back();
    }
  }

  Recomputed run() {
    Recomputed done;
    std::optional<Lifetimes> now(std::in_place, graph_);
    done.alive_before = done.alive_after = now->most();
    double whole = 0;
    for (const Node& node : graph_.nodes) whole += seconds_of(graph_, node);
    double added = 0;
    while (now->most() > limit_) {
      bool better = false;
      for (const Candidate& candidate : candidates(*now)) {
        if (added + candidate.seconds > kMostAdded * whole) continue;
        Undo undo = repeat(candidate, *now);
        Lifetimes then(graph_);
        if (then.over(limit_) < now->over(limit_)) {
          done.nodes += candidate.nodes.size();
          added += candidate.seconds;
          move_donated(candidate.at, undo.inserted);
          now.emplace(graph_);
          better = true;
          break;
        }
        take_back(undo, candidate.at);
        refused_.insert({candidate.value, now->uses(candidate.value).size()});
      }
      if (!better) break;
    }
    done.alive_after = now->most();
    done.work = whole > 0 ? added / whole : 0;
    return done;
  }

 private:
  struct Undo {
    size_t inserted = 0;
    size_t values = 0;                                        // before
    std::vector<std::tuple<size_t, size_t, ValueId>> inputs;  // node, which, what it was
  };

  std::vector<Candidate> candidates(const Lifetimes& now) const {
    const auto& alive = now.alive();
    const auto peak = static_cast<uint32_t>(std::ranges::max_element(alive) - alive.begin());
    const size_t over = alive[peak] - limit_;
    std::vector<Candidate> list;
    for (ValueId v = 0; v < graph_.values.size(); ++v) {
      if (!now.in_arena(v) || now.made_by(v) >= peak || now.bytes(v) < over / 256) continue;
      const auto uses = now.uses(v);
      const auto next = std::ranges::lower_bound(uses, peak);
      if (next == uses.end() || *next == peak || refused_.contains({v, uses.size()})) continue;
      Candidate c{v, *next, {}, 0, 0};
      if (!needs(v, c, now) || c.nodes.size() > kMostRepeated) continue;
      std::ranges::sort(c.nodes);
      for (const uint32_t i : c.nodes) c.seconds += seconds_of(graph_, graph_.nodes[i]);
      const uint32_t before = next == uses.begin() ? now.made_by(v) : *(next - 1);
      double freed = 0;
      for (uint32_t i = before + 1; i < c.at; ++i)
        if (alive[i] > limit_) freed += static_cast<double>(std::min(now.bytes(v), alive[i] - limit_));
      c.gain = freed / c.seconds;
      list.push_back(std::move(c));
    }
    const size_t n = std::min(list.size(), kMostCandidates);
    std::ranges::partial_sort(list, list.begin() + static_cast<std::ptrdiff_t>(n), std::greater<>(),
                              &Candidate::gain);
    list.resize(n);
    return list;
  }

  // Adds the nodes that make `v` for a reader at c.at out of what is there; false: that cannot be.
  bool needs(ValueId v, Candidate& c, const Lifetimes& now) const {
    const uint32_t maker = now.made_by(v);
    if (std::ranges::find(c.nodes, maker) != c.nodes.end()) return true;
    const Node& node = graph_.nodes[maker];
    if (!may_repeat(node) || c.nodes.size() > kMostRepeated) return false;
    c.nodes.push_back(maker);
    for (const ValueId x : node.in) {
      const ValueId root = now.root(x);
      if (const auto donated = donated_until_.find(root); donated != donated_until_.end()) {
        if (c.at > donated->second) return false;  // it may have its next value by then
      } else if (!now.is_there(root, c.at)) {
        if (!needs(x, c, now)) return false;  // the value itself, or the view, whose source follows
      }
    }
    return true;
  }

  // The nodes once more, before c.at.
  Undo repeat(const Candidate& c, const Lifetimes& now) {
    Undo undo;
    undo.values = graph_.values.size();
    std::map<ValueId, ValueId> again;
    std::vector<Node> repeated;
    for (const uint32_t i : c.nodes) repeated.push_back(copy(graph_.nodes[i], again));
    // Views that were made before are made anew of what is new.
    const auto renew = [&](auto& self, ValueId v) -> void {
      if (again.contains(v)) return;
      const Node& view = graph_.nodes[now.made_by(v)];
      self(self, source_of(view));
      repeated.push_back(copy(view, again));
    };
    // All that the nodes make is read from there, not only what they are repeated for.
    for (size_t i = c.at; i < graph_.nodes.size(); ++i)
      for (size_t k = 0; k < graph_.nodes[i].in.size(); ++k) {
        const ValueId v = graph_.nodes[i].in[k], root = now.root(v);
        if (!now.in_arena(root) || !again.contains(root) || now.made_by(v) >= c.at) continue;
        renew(renew, v);
        undo.inputs.emplace_back(i, k, v);
        graph_.nodes[i].in[k] = again.at(v);
      }
    undo.inserted = repeated.size();
    graph_.nodes.insert(graph_.nodes.begin() + c.at, std::make_move_iterator(repeated.begin()),
                        std::make_move_iterator(repeated.end()));
    return undo;
  }

  Node copy(const Node& node, std::map<ValueId, ValueId>& again) {
    Node made = node;
    for (ValueId& v : made.in)
      if (const auto it = again.find(v); it != again.end()) v = it->second;
    for (ValueId& v : made.out) {
      const Aval aval = graph_.values[v];
      v = again[v] = graph_.add_value(aval);
    }
    return made;
  }

  void take_back(const Undo& undo, uint32_t at) {
    graph_.nodes.erase(graph_.nodes.begin() + at,
                       graph_.nodes.begin() + at + static_cast<std::ptrdiff_t>(undo.inserted));
    for (const auto& [i, k, v] : undo.inputs) graph_.nodes[i].in[k] = v;
    graph_.values.resize(undo.values, Aval{});
  }

  void move_donated(uint32_t at, size_t inserted) {
    for (auto& [value, until] : donated_until_)
      if (until >= at) until += static_cast<uint32_t>(inserted);
  }

  Graph& graph_;
  const size_t limit_;
  std::map<ValueId, uint32_t> donated_until_;     // the last node that reads a donated input without us
  std::set<std::pair<ValueId, size_t>> refused_;  // values, by how many readers they had then
};

}  // namespace

Recomputed recompute_within(Graph& graph, size_t bytes) { return Recomputer(graph, bytes).run(); }

}  // namespace brio
