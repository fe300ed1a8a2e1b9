// A forward walk that rebuilds a graph's node list. A pass sees each node after its inputs have been replaced, and
// keeps it, replaces its results, or emits other nodes before it.
#pragma once

#include <optional>
#include <vector>

#include "brio/ir/graph.h"

namespace brio {

inline constexpr ValueId kNothing = ~ValueId{0};  // the result of a rewrite that leaves a node unchanged

class Rewriter {
 public:
  explicit Rewriter(Graph& graph)
      : graph_(graph), replaced_(graph.values.size()), producer_(graph.values.size(), nullptr) {
    for (ValueId v = 0; v < replaced_.size(); ++v) replaced_[v] = v;
    nodes_.reserve(graph.nodes.size() + graph.nodes.size() / 2 + 64);
  }

  // visit(node) returns false to drop the node, after the visitor has replaced its results. run() returns whether a
  // node was dropped or emitted; the visitor counts its own changes to nodes.
  template <typename Visit>
  bool run(Visit visit) {
    std::vector<Node> old = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (Node& node : old) {
      for (ValueId& v : node.in) v = replaced_[v];
      if (visit(node)) keep(std::move(node));
      else changed_ = true;
    }
    for (ValueId& v : graph_.outputs) v = replaced_[v];
    graph_.nodes.clear();
    for (auto& node : nodes_) graph_.nodes.push_back(std::move(*node));
    return changed_;
  }

  // The node that makes a value, among the nodes kept so far; null for inputs.
  const Node* producer(ValueId v) const { return v < producer_.size() ? producer_[v] : nullptr; }
  const Aval& aval(ValueId v) const { return graph_.values[v]; }

  void replace(ValueId old, ValueId with) { replaced_[old] = with; }

  ValueId emit(const OpDef& op, std::vector<ValueId> in, std::vector<int64_t> attrs = {}) {
    Graph& g = graph_;
    Node node{&op, std::move(in), {}, std::move(attrs), {}};
    for (const Aval& out : infer(g, node)) node.out.push_back(g.add_value(out));
    const ValueId first = node.out[0];
    keep(std::move(node));
    changed_ = true;
    return first;
  }

 private:
  void keep(Node node) {
    nodes_.push_back(std::make_unique<Node>(std::move(node)));
    for (ValueId v : nodes_.back()->out) {
      if (v >= producer_.size()) {
        producer_.resize(v + 1, nullptr);
        const auto known = static_cast<ValueId>(replaced_.size());
        for (ValueId k = known; k <= v; ++k) replaced_.push_back(k);
      }
      producer_[v] = nodes_.back().get();
    }
  }

  Graph& graph_;
  std::vector<ValueId> replaced_;
  std::vector<const Node*> producer_;
  std::vector<std::unique_ptr<Node>> nodes_;
  bool changed_ = false;
};

// The plain form of a composite op's node, as a graph.
Graph plain_form(const Graph& graph, const Node& node);

// Emits that form in place of the node. emit(step, its inputs) returns the step's result. Returns the results.
template <typename Emit>
std::vector<ValueId> emit_plain(const Graph& graph, const Node& node, Emit emit) {
  const Graph plain = plain_form(graph, node);
  std::vector<ValueId> values(plain.values.size()), out;
  for (size_t i = 0; i < node.in.size(); ++i) values[plain.inputs[i].value] = node.in[i];
  for (const Node& step : plain.nodes) {
    std::vector<ValueId> in;
    for (ValueId v : step.in) in.push_back(values[v]);
    values[step.out[0]] = emit(step, std::move(in));
  }
  for (ValueId v : plain.outputs) out.push_back(values[v]);
  return out;
}

// Orders the nodes so that every value is made before it is read; otherwise keeps their order.
void sort_topologically(Graph& graph);

// How many nodes and outputs read each value.
inline std::vector<uint32_t> use_counts(const Graph& graph) {
  std::vector<uint32_t> uses(graph.values.size(), 0);
  for (const Node& node : graph.nodes)
    for (ValueId v : node.in) ++uses[v];
  for (ValueId v : graph.outputs) ++uses[v];
  return uses;
}

}  // namespace brio
