#include "brio/runtime/interpret.h"

#include <cstring>

#include "brio/base/error.h"
#include "brio/ops/control/control.h"
#include "brio/ops/elementwise/fusion.h"

namespace brio {
namespace {

using Arrays = std::vector<Array>;

// ---- ops that run other graphs: their bodies by the reference too

struct ControlNode {
  const Registry& registry;
  const Device& device;
  const Node& node;
  Arrays in;

  Arrays run(size_t body, const Arrays& arguments) const {
    return interpret(registry, device, *node.graphs[body], arguments);
  }
  size_t inputs_of(size_t body) const { return node.graphs[body]->inputs.size(); }
  Arrays inputs(size_t from, size_t n) const {
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(from);
    return {first, first + static_cast<std::ptrdiff_t>(n)};
  }
};

Arrays operator+(Arrays a, const Arrays& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Array zeros(const Aval& aval) {
  Array array = Array::allocate(aval);
  if (aval.bytes() != 0) std::memset(array.data(), 0, aval.bytes());
  return array;
}

Arrays run_cond(const ControlNode& n) {
  const size_t first = n.inputs_of(0);
  return *n.in[0].as<bool>() ? n.run(0, n.inputs(1, first)) : n.run(1, n.inputs(1 + first, n.inputs_of(1)));
}

Arrays captured_by_loop_body(const ControlNode& n, const WhileLayout& layout) {
  return n.inputs(layout.carried + layout.condition_captured, n.inputs_of(1) - layout.carried);
}

// What is carried into each round, and what comes out of the last.
std::vector<Arrays> rounds(const ControlNode& n) {
  const WhileLayout layout = WhileLayout::of(Attrs(n.node.attrs));
  const Arrays captured_by_condition = n.inputs(layout.carried, layout.condition_captured);
  const Arrays captured = captured_by_loop_body(n, layout);
  std::vector<Arrays> states{n.inputs(0, layout.carried)};
  for (int64_t round = 0; layout.max_iterations < 0 || round < layout.max_iterations; ++round) {
    if (!*n.run(0, states.back() + captured_by_condition)[0].as<bool>()) break;
    states.push_back(n.run(1, states.back() + captured));
  }
  return states;
}

Arrays run_while(const ControlNode& n) { return rounds(n).back(); }

Arrays run_while_grad(const ControlNode& n) {
  const WhileLayout layout = WhileLayout::of(Attrs(n.node.attrs));
  const Arrays captured = captured_by_loop_body(n, layout);
  std::vector<Arrays> states = rounds(n);
  const size_t given = layout.carried + layout.condition_captured + captured.size();
  Arrays results = n.inputs(given, n.in.size() - given);
  const Graph& step = *n.node.graphs[2];
  for (size_t i = results.size(); i < step.outputs.size(); ++i)
    results.push_back(zeros(step.values[step.outputs[i]]));
  for (states.pop_back(); !states.empty(); states.pop_back()) results = n.run(2, states.back() + captured + results);
  return results;
}

Array element(const Array& stack, const Aval& aval, int64_t at) {
  return {aval, stack.buffer, stack.offset + static_cast<size_t>(at) * aval.bytes()};
}
void put(const Array& stack, int64_t at, const Array& value) {
  if (value.aval.bytes() != 0) std::memcpy(element(stack, value.aval, at).data(), value.data(), value.aval.bytes());
}

Arrays run_scan(const ControlNode& n, const Graph& graph) {
  const ScanLayout layout = ScanLayout::of(Attrs(n.node.attrs));
  const Graph& body = *n.node.graphs[0];
  const int64_t length = n.in[layout.carried].aval.shape[0];
  const size_t after = layout.carried + layout.elements;
  Arrays carried = n.inputs(0, layout.carried), stacks;
  for (size_t i = layout.carried; i < n.node.out.size(); ++i) stacks.push_back(zeros(graph.values[n.node.out[i]]));
  for (int64_t step = 0; step < length; ++step) {
    const int64_t at = layout.reverse ? length - 1 - step : step;
    Arrays arguments = carried;
    for (size_t i = layout.carried; i < after; ++i)
      arguments.push_back(element(n.in[i], body.values[body.inputs[i].value], at));
    Arrays out = n.run(0, arguments + n.inputs(after, n.in.size() - after));
    const size_t results = out.size() - layout.carried;
    for (size_t i = 0; i < results; ++i) put(stacks[i], at, out[layout.carried + i]);
    for (size_t i = results; i < stacks.size(); ++i) put(stacks[i], at, carried[i - results]);
    out.resize(layout.carried);
    carried = std::move(out);
  }
  return carried + stacks;
}

// ---- all others

// The implementation of lowest priority is the reference.
std::unique_ptr<Kernel> reference_kernel(const Registry& registry, const Device& device, const NodeView& node) {
  const auto& implementations = registry.implementations(device, *node.node.op);
  BRIO_CHECK(!implementations.empty() && implementations.back().priority == 0, "no reference kernel for ",
             node.node.op->name);
  return implementations.back().prepare(node);
}

void run_node(const Registry& registry, const Device& device, const Graph& graph, const Node& node,
              std::vector<Array>& values) {
  if (node.op->kind == OpKind::control && !node.graphs[0]->host) {
    ControlNode n{registry, device, node, {}};
    for (ValueId v : node.in) n.in.push_back(values[v]);
    Arrays out = node.op == &op::fused        ? n.run(0, n.in)
                 : node.op == &op::cond       ? run_cond(n)
                 : node.op == &op::while_loop ? run_while(n)
                 : node.op == &op::while_grad ? run_while_grad(n)
                                              : run_scan(n, graph);
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
  return interpret(registry(), registry().host(), graph, inputs);
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
