// Equal expressions become one, and nodes that nothing reads are dropped.
#include <algorithm>
#include <unordered_map>

#include "brio/base/error.h"
#include "brio/ops/control/control.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"

namespace brio {
namespace {

struct NodeKey {
  const OpDef* op;
  std::vector<ValueId> in;
  std::vector<int64_t> attrs;
  std::vector<const Graph*> graphs;
  bool operator==(const NodeKey&) const = default;
};
struct NodeKeyHash {
  size_t operator()(const NodeKey& key) const {
    size_t h = std::hash<const void*>()(key.op);
    auto mix = [&](size_t x) {
      h = (h ^ x) * 0x9e3779b97f4a7c15ull;
      h ^= h >> 29;
    };
    for (ValueId v : key.in) mix(v);
    for (int64_t a : key.attrs) mix(static_cast<size_t>(a));
    for (const Graph* g : key.graphs) mix(std::hash<const void*>()(g));
    return h;
  }
};

NodeKey key_of(const Node& node) {
  NodeKey key{node.op, node.in, node.attrs, {}};
  if (node.op->commutative) std::ranges::sort(key.in);
  for (const auto& graph : node.graphs) key.graphs.push_back(graph.get());
  return key;
}

// Does the body do what the plain one does, with further results?
bool extends(const Graph& body, const Graph& plain) {
  auto same = [](const Node& a, const Node& b) {
    return a.op == b.op && a.in == b.in && a.out == b.out && a.attrs == b.attrs && a.graphs == b.graphs;
  };
  return &body == &plain || (body.outputs.size() > plain.outputs.size() &&
                             std::equal(plain.outputs.begin(), plain.outputs.end(), body.outputs.begin()) &&
                             std::ranges::equal(plain.nodes, body.nodes, same));
}

// A scan that is differentiated stands twice in the graph: as it was recorded, and once more with results that its
// gradient needs, the carried values before each step among them. Giving them in the first makes the two equal.
bool save_in_first_scan(Graph& graph) {
  bool changed = false;
  constexpr size_t kSaves = 3;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& plain = graph.nodes[i];
    if (plain.op != &op::scan || plain.attrs[kSaves]) continue;
    const auto twin =
        std::find_if(graph.nodes.begin() + static_cast<std::ptrdiff_t>(i), graph.nodes.end(), [&](const Node& other) {
          return other.op == &op::scan && other.attrs[kSaves] && other.in == plain.in &&
                 std::equal(other.attrs.begin(), other.attrs.begin() + kSaves, plain.attrs.begin()) &&
                 extends(*other.graphs[0], *plain.graphs[0]);
        });
    if (twin == graph.nodes.end()) continue;
    plain.attrs[kSaves] = 1;
    plain.graphs = twin->graphs;
    const std::vector<Aval> outputs = infer(graph, plain);
    for (size_t k = plain.out.size(); k < outputs.size(); ++k) plain.out.push_back(graph.add_value(outputs[k]));
    changed = true;
  }
  return changed;
}

}  // namespace

bool merge_equal(Graph& graph) {
  const bool saved = save_in_first_scan(graph);
  Rewriter rewriter(graph);
  std::unordered_map<NodeKey, std::vector<ValueId>, NodeKeyHash> known;
  const bool merged = rewriter.run([&](const Node& node) {
    auto [it, is_new] = known.try_emplace(key_of(node), node.out);
    if (is_new) return true;
    for (size_t i = 0; i < node.out.size(); ++i) rewriter.replace(node.out[i], it->second[i]);
    return false;
  });
  return saved || merged;
}

bool drop_dead(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (ValueId v : graph.outputs) needed[v] = true;
  std::vector<bool> keep(graph.nodes.size(), false);
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    // An op that may refuse its data is kept for its verdict: `gather` with a bad index fails whether or not it is
    // read.
    if (!may_fail(node) && std::ranges::none_of(node.out, [&](ValueId v) { return needed[v]; })) continue;
    keep[n] = true;
    for (ValueId v : node.in) needed[v] = true;
  }
  size_t n = 0;
  return std::erase_if(graph.nodes, [&](const Node&) { return !keep[n++]; }) != 0;
}

void sort_topologically(Graph& graph) {
  std::vector<bool> ready(graph.values.size(), false);
  for (const Graph::Input& input : graph.inputs) ready[input.value] = true;
  std::vector<Node> sorted, waiting = std::move(graph.nodes);
  sorted.reserve(waiting.size());
  while (!waiting.empty()) {
    std::vector<Node> later;
    for (Node& node : waiting) {
      if (std::ranges::all_of(node.in, [&](ValueId v) { return ready[v]; })) {
        for (ValueId v : node.out) ready[v] = true;
        sorted.push_back(std::move(node));
      } else {
        later.push_back(std::move(node));
      }
    }
    BRIO_CHECK(later.size() < waiting.size(), "a graph has a circle");
    waiting = std::move(later);
  }
  graph.nodes = std::move(sorted);
}

}  // namespace brio
