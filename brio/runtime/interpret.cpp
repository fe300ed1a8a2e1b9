#include "brio/runtime/interpret.h"

#include "brio/base/error.h"
#include "brio/ops/fusion.h"

namespace brio {
namespace {

// The implementation of lowest priority is the reference.
std::unique_ptr<Kernel> reference_kernel(const Registry& registry, const Device& device, const NodeView& node) {
  const auto& implementations = registry.implementations(device, *node.node.op);
  BRIO_CHECK(!implementations.empty() && implementations.back().priority == 0, "no reference kernel for ",
             node.node.op->name);
  return implementations.back().prepare(node);
}

void run_node(const Registry& registry, const Device& device, const Graph& graph, const Node& node,
              std::vector<Array>& values) {
  if (node.op == &op::fused) {  // its body, by the reference too
    std::vector<Array> in;
    for (ValueId v : node.in) in.push_back(values[v]);
    std::vector<Array> out = interpret(registry, device, *node.graphs[0], in);
    for (size_t i = 0; i < out.size(); ++i) values[node.out[i]] = std::move(out[i]);
    return;
  }
  const auto kernel = reference_kernel(registry, device, {graph, node});
  std::vector<const void*> in;
  std::vector<void*> out;
  for (ValueId v : node.in) in.push_back(values[v].data());
  for (ValueId v : node.out) {
    values[v] = Array::allocate(graph.values[v]);
    out.push_back(values[v].data());
  }
  const BufferRef scratch = BufferRef::allocate(kernel->scratch_bytes(), Owner::other);
  kernel->run({in.data(), out.data(), scratch->data()});
}

}  // namespace

std::vector<Array> interpret(const Graph& graph, std::span<const Array> inputs) {
  return interpret(registry(), registry().default_device(), graph, inputs);
}

std::vector<Array> interpret(const Registry& registry, const Device& device, const Graph& graph,
                             std::span<const Array> inputs) {
  BRIO_CHECK(inputs.size() == graph.inputs.size(), "the graph has ", graph.inputs.size(), " inputs, not ",
             inputs.size());
  std::vector<Array> values(graph.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    BRIO_CHECK(inputs[i].aval == graph.values[graph.inputs[i].value], "input ", i, " is ",
               format_aval(inputs[i].aval));
    values[graph.inputs[i].value] = inputs[i];
  }
  for (const Node& node : graph.nodes) run_node(registry, device, graph, node, values);
  std::vector<Array> outputs;
  for (ValueId v : graph.outputs) outputs.push_back(values[v]);
  return outputs;
}

}  // namespace brio
