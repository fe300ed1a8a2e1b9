#include "brio/ir/graph.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "brio/base/error.h"
#include "brio/base/fork_locks.h"

namespace brio {
namespace {

// What shape rules are given and say; kept for the next node.
struct Inference {
  std::vector<const Aval*> in;
  std::vector<const Graph*> bodies;
  std::vector<Aval> out;
};

void infer(const Graph& graph, const Node& node, Inference& inference) {
  const int n = static_cast<int>(node.in.size());
  if (n < node.op->min_inputs || (node.op->max_inputs >= 0 && n > node.op->max_inputs))
    throw_invalid(*node.op,
                  cat("takes ", node.op->min_inputs, node.op->max_inputs == node.op->min_inputs ? "" : " or more",
                      " inputs, but got ", n));
  auto& [in, bodies, out] = inference;
  in.clear();
  bodies.clear();
  out.clear();
  for (ValueId v : node.in) {
    check_dtype(*node.op, graph.values[v].dtype);
    in.push_back(&graph.values[v]);
  }
  for (const auto& body : node.graphs) bodies.push_back(body.get());
  node.op->infer({*node.op, in, Attrs(node.attrs), bodies}, out);
  for (const Aval& aval : out)
    if (aval.dtype == DType::string)
      throw_invalid(*node.op, "gives strings, which are computed when an op is called and never by a graph");
}

}  // namespace

std::vector<Aval> infer(const Graph& graph, const Node& node) {
  Inference inference;
  infer(graph, node, inference);
  return std::move(inference.out);
}

Node& Graph::add(const OpDef& op, std::vector<ValueId> in, std::vector<int64_t> attrs,
                 std::vector<std::shared_ptr<const Graph>> graphs) {
  nodes.push_back({&op, std::move(in), {}, std::move(attrs), std::move(graphs)});
  for (const Aval& aval : infer(*this, nodes.back())) {
    const ValueId value = add_value(aval);
    nodes.back().out.push_back(value);
  }
  return nodes.back();
}

ValueId Graph::add_constant(DType dtype, uint64_t bits) {
  const OpDef* op = find_op("constant");
  return add(*op, {}, {static_cast<int64_t>(dtype), static_cast<int64_t>(bits)}).out[0];
}

void verify(const Graph& graph, std::string_view after) {
  std::vector<bool> defined(graph.values.size(), false);
  auto define = [&](ValueId v) {
    BRIO_CHECK(v < defined.size(), "after ", after, ": value %", v, " does not exist");
    BRIO_CHECK(!defined[v], "after ", after, ": %", v, " is defined twice");
    defined[v] = true;
  };
  for (const Graph::Input& input : graph.inputs) define(input.value);
  Inference inference;
  for (const Node& node : graph.nodes) {
    for (ValueId v : node.in)
      BRIO_CHECK(v < defined.size() && defined[v], "after ", after, ": ", node.op->name, " reads %", v,
                 " before it is defined");
    infer(graph, node, inference);
    const std::vector<Aval>& expected = inference.out;
    BRIO_CHECK(expected.size() == node.out.size(), "after ", after, ": ", node.op->name, " has ", node.out.size(),
               " outputs, its shape rule says ", expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      define(node.out[i]);
      BRIO_CHECK(!(expected[i] != graph.values[node.out[i]]), "after ", after, ": ", format_node(graph, node),
                 " but its shape rule says ", format_aval(expected[i]));
    }
  }
  for (ValueId v : graph.outputs)
    BRIO_CHECK(v < defined.size() && defined[v], "after ", after, ": output %", v, " is not defined");
}

bool has_strings(const Graph& graph) {
  return std::ranges::any_of(graph.values, [](const Aval& aval) { return aval.dtype == DType::string; }) ||
         std::ranges::any_of(graph.nodes, [](const Node& node) {
           return std::ranges::any_of(node.graphs, [](const auto& inside) { return has_strings(*inside); });
         });
}

bool may_fail(const Node& node) {
  return node.op->may_fail || std::ranges::any_of(node.graphs, [](const auto& body) {
           return std::ranges::any_of(body->nodes, may_fail);
         });
}

namespace {

bool has_effects(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    return node.op->kind == OpKind::effect ||
           std::ranges::any_of(node.graphs, [](const auto& body) { return has_effects(*body); });
  });
}

}  // namespace

std::shared_ptr<const Graph> without_effects(const std::shared_ptr<const Graph>& graph) {
  if (!has_effects(*graph)) return graph;
  Graph pure = *graph;
  pure.nodes.clear();
  std::vector<ValueId> stands_for(graph->values.size());
  std::iota(stands_for.begin(), stands_for.end(), ValueId{0});
  std::vector<const OpDef*> made_by(graph->values.size(), nullptr);  // results of effects
  auto use = [&](ValueId& v) {
    v = stands_for[v];
    if (made_by[v])
      throw_invalid(*made_by[v],
                    "the gradient of the loop or branch around it needs its result, and would have to repeat its "
                    "effect; if it has none, call it with stateful = false, else call it outside");
  };
  for (Node node : graph->nodes) {
    std::ranges::for_each(node.in, use);
    if (node.op->kind == OpKind::effect) {
      stands_for[node.out[0]] = node.in[0];
      for (size_t i = 1; i < node.out.size(); ++i) made_by[node.out[i]] = node.op;
      continue;
    }
    for (auto& body : node.graphs) body = without_effects(body);
    pure.nodes.push_back(std::move(node));
  }
  std::ranges::for_each(pure.outputs, use);
  return intern(std::move(pure));
}

std::shared_ptr<const Graph> intern(Graph graph) {
  struct Known {
    Known() { hold_over_fork(mutex, ForkRank::graphs); }
    std::mutex mutex;
    std::unordered_map<std::string, std::weak_ptr<const Graph>> graphs;
    size_t sweep_at = 1024;
  };
  static auto* known = new Known;
  std::string key = graph.str();
  if (graph.host && !graph.host->name_says_all) key += cat("@", static_cast<const void*>(graph.host.get()));
  for (const Node& node : graph.nodes) {  // inner bodies are interned already: their address is their identity
    for (const auto& body : node.graphs) key += cat("@", static_cast<const void*>(body.get()));
    if (node.place != 0) key += cat("@", &node - graph.nodes.data(), ":", node.place);
  }
  std::lock_guard lock(known->mutex);
  if (known->graphs.size() > known->sweep_at) {  // seldom enough that a graph costs the same however many there are
    std::erase_if(known->graphs, [](const auto& entry) { return entry.second.expired(); });
    known->sweep_at = std::max<size_t>(1024, 2 * known->graphs.size());
  }
  auto& slot = known->graphs[std::move(key)];
  if (auto existing = slot.lock()) return existing;
  auto shared = std::make_shared<const Graph>(std::move(graph));
  slot = shared;
  return shared;
}

size_t heap_bytes(const Graph& graph) {
  constexpr size_t kBlock = 16;  // what malloc adds to each
  auto block = [](const auto& list) { return list.empty() ? 0 : list.capacity() * sizeof(list[0]) + kBlock; };
  size_t bytes = block(graph.values) + block(graph.inputs) + block(graph.nodes) + block(graph.outputs);
  for (const Node& node : graph.nodes) {
    bytes += block(node.in) + block(node.out) + block(node.attrs) + block(node.graphs);
    for (const auto& body : node.graphs) bytes += sizeof(Graph) + kBlock + heap_bytes(*body);
  }
  return bytes;
}

}  // namespace brio
