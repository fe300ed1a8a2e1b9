#include "brio/ir/trace.h"

#include <algorithm>

#include "brio/base/error.h"

namespace brio {
namespace {

// These nodes and, for values that were not kept when their node ran, the nodes that make them again.
std::vector<uint32_t> nodes_to_run(const Recording& r, NodeRange nodes, std::span<const ValueId> outputs) {
  std::vector<uint32_t> order;
  std::vector<bool> wanted(nodes.end, false);
  for (uint32_t n = nodes.begin; n < nodes.end; ++n) wanted[n] = true;
  auto want = [&](ValueId v) {
    const uint32_t n = r.producers[v];
    if (n != kNone && n < nodes.begin && !r.values[v]->computed.load(std::memory_order_acquire)) wanted[n] = true;
  };
  for (ValueId v : outputs) want(v);
  for (uint32_t n = nodes.end; n-- > 0;) {
    if (!wanted[n]) continue;
    const RecordedNode& node = r.nodes[n];
    for (uint32_t i = 0; i < node.n_inputs; ++i) want(r.inputs[node.input + i]);
    order.push_back(n);
  }
  std::ranges::reverse(order);
  return order;
}

}  // namespace

Graph graph_of(const Recording& r, NodeRange nodes, std::span<const ValueId> inputs,
               std::span<const ValueId> outputs) {
  Graph graph;
  std::vector<ValueId> number(r.values.size(), kNone);
  for (ValueId v : inputs) number[v] = graph.add_input(r.values[v]->aval());
  for (uint32_t n : nodes_to_run(r, nodes, outputs)) {
    const RecordedNode& recorded = r.nodes[n];
    Node node{recorded.op, {}, {}, {}, {}};
    for (uint32_t i = 0; i < recorded.n_inputs; ++i) {
      const ValueId v = r.inputs[recorded.input + i];
      BRIO_CHECK(number[v] != kNone, "value ", v, " of a recording is neither an input nor made before its use");
      node.in.push_back(number[v]);
    }
    node.attrs.assign(r.attrs.begin() + recorded.attr, r.attrs.begin() + recorded.attr + recorded.n_attrs);
    node.graphs.assign(r.graphs.begin() + recorded.graph, r.graphs.begin() + recorded.graph + recorded.n_graphs);
    node.place = recorded.place;
    for (uint32_t i = 0; i < recorded.n_values; ++i) {
      const ValueId v = recorded.value + i;
      const ValueId made = graph.add_value(r.values[v]->aval());
      node.out.push_back(made);
      if (number[v] == kNone) number[v] = made;
    }
    graph.nodes.push_back(std::move(node));
  }
  for (ValueId v : outputs) graph.outputs.push_back(number[v]);
  return graph;
}

std::vector<Tensor> replay(const Graph& graph, std::span<const Tensor> inputs) {
  std::vector<Tensor> values(graph.values.size());
  BRIO_CHECK(inputs.size() == graph.inputs.size(), "got ", inputs.size(), " inputs for a graph of ",
             graph.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs[i].value] = inputs[i];
  const KeepPlace keep(current_recording());
  for (const Node& node : graph.nodes) {
    keep.use(node.place);
    std::vector<TensorImpl*> in;
    for (ValueId v : node.in) in.push_back(values[v].impl());
    std::vector<Tensor> out = record_many(*node.op, in, node.attrs, node.graphs);
    for (size_t i = 0; i < out.size(); ++i) values[node.out[i]] = std::move(out[i]);
  }
  std::vector<Tensor> outputs;
  for (ValueId v : graph.outputs) outputs.push_back(values[v]);
  return outputs;
}

Tensor add_parameter(Recording& recording, const Aval& aval) {
  TensorImpl* impl = TensorImpl::create(aval);
  Tensor handle = Tensor::adopt(impl);
  impl->value = static_cast<ValueId>(recording.values.size());
  recording.producers.make_room(1);
  recording.tracked.make_room(1);
  recording.values.push_back(impl);
  impl->refs.increment();
  recording.producers.push_back(kNone);
  recording.tracked.push_back(0);
  impl->recording.store(&recording, std::memory_order_release);
  return handle;
}

TracedBody trace_body(std::span<const Aval> parameters, const BodyFn& body) {
  BodyTrace trace(Recording::Kind::branch, parameters, body);
  if (!trace.recording().cells.empty())
    throw InvalidArgument(
        "[trace] a variable is assigned in code that has nobody to assign it for; return its value");
  return trace.finish();
}

BodyTrace::BodyTrace(Recording::Kind kind, std::span<const Aval> parameters, const BodyFn& body) {
  recording_.kind = kind;
  recording_.parent = &current_recording();
  RecordInto scope(recording_);
  std::vector<Tensor> arguments;
  for (const Aval& aval : parameters) {
    arguments.push_back(brio::add_parameter(recording_, aval));
    parameters_.push_back(arguments.back().impl()->value);
  }
  for (const Tensor& result : body(arguments)) {
    if (!result.defined()) throw InvalidArgument("[trace] a loop body or branch returned none; return a tensor");
    TensorImpl* impl = result.impl();
    results_.push_back(impl->recording.load() == &recording_ ? impl->value : recording_.leaf(impl));
  }
}

TracedBody BodyTrace::finish() {
  TracedBody traced;
  std::vector<ValueId> inputs = parameters_;
  for (auto& [leaf, outer] : recording_.captures) {
    inputs.push_back(leaf);
    traced.captured.push_back(outer);
  }
  traced.graph = intern(graph_of(recording_, recording_.pending_nodes(), inputs, results_));
  return traced;
}

}  // namespace brio
