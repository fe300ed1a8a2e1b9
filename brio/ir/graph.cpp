#include "brio/ir/graph.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "brio/base/error.h"

namespace brio {

std::vector<Aval> infer(const Graph& graph, const Node& node) {
  const int n = static_cast<int>(node.in.size());
  if (n < node.op->min_inputs || (node.op->max_inputs >= 0 && n > node.op->max_inputs))
    throw_invalid(*node.op,
                  cat("takes ", node.op->min_inputs, node.op->max_inputs == node.op->min_inputs ? "" : " or more",
                      " inputs, but got ", n));
  std::vector<const Aval*> in;
  for (ValueId v : node.in) in.push_back(&graph.values[v]);
  std::vector<const Graph*> bodies;
  for (const auto& body : node.graphs) bodies.push_back(body.get());
  std::vector<Aval> out;
  node.op->infer({*node.op, in, Attrs(node.attrs), bodies}, out);
  return out;
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
  for (const Node& node : graph.nodes) {
    for (ValueId v : node.in)
      BRIO_CHECK(v < defined.size() && defined[v], "after ", after, ": ", node.op->name, " reads %", v,
                 " before it is defined");
    const std::vector<Aval> expected = infer(graph, node);
    BRIO_CHECK(expected.size() == node.out.size(), "after ", after, ": ", node.op->name, " has ", node.out.size(),
               " outputs, its shape rule says ", expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      define(node.out[i]);
      BRIO_CHECK(expected[i] == graph.values[node.out[i]], "after ", after, ": ", format_node(graph, node),
                 " but its shape rule says ", format_aval(expected[i]));
    }
  }
  for (ValueId v : graph.outputs)
    BRIO_CHECK(v < defined.size() && defined[v], "after ", after, ": output %", v, " is not defined");
}

std::shared_ptr<const Graph> intern(Graph graph) {
  static std::mutex mutex;
  static auto* known = new std::unordered_map<std::string, std::weak_ptr<const Graph>>;
  std::string key = graph.str();
  for (const Node& node : graph.nodes)  // inner bodies are interned already: their address is their identity
    for (const auto& body : node.graphs) key += cat("@", static_cast<const void*>(body.get()));
  std::lock_guard lock(mutex);
  if (known->size() > 1024) std::erase_if(*known, [](const auto& entry) { return entry.second.expired(); });
  auto& slot = (*known)[std::move(key)];
  if (auto existing = slot.lock()) return existing;
  auto shared = std::make_shared<const Graph>(std::move(graph));
  slot = shared;
  return shared;
}

}  // namespace brio
