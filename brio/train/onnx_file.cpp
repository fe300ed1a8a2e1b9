// The trace of a function as an ONNX file.
#include "brio/base/error.h"
#include "brio/runtime/saved_trace.h"
#include "brio/train/export.h"
#include "brio/train/onnx/translation.h"

namespace brio::train {
namespace {

std::string given_or(const std::vector<std::string>& names, size_t i, const char* otherwise) {
  return i < names.size() && !names[i].empty() ? names[i] : cat(otherwise, "_", i);
}

// The graph of what the function gives, without what it does beside that.
Graph results_alone(const TracedGraph& trace) {
  for (const TracedGraph::Cell& cell : trace.cells)
    if (cell.assigned)
      throw InvalidArgument(
          cat("[onnx] variable '", cell.variable->name,
              "' is assigned in each call, and an ONNX file keeps nothing from call to call; give the "
              "state as an input and a result"));
  for (const Node& node : trace.graph.nodes)
    if (node.op->kind == OpKind::effect)
      throw InvalidArgument(cat("[onnx] op '", node.op->name,
                                "' does something on the host, which a file does not hold; leave it out of what is "
                                "exported"));
  Graph graph = trace.graph;
  graph.outputs.resize(trace.results);
  return graph;
}

}  // namespace

void write_onnx(const std::string& path, const SavedTrace& saved, const OnnxNames& names) {
  const TracedGraph& trace = saved.traced();
  const Graph graph = results_alone(trace);
  OnnxGraphMaker maker;
  std::vector<OnnxTranslation::Value> inputs;
  for (size_t i = 0; i < trace.arguments.size(); ++i)
    inputs.push_back({.plain = maker.input(given_or(names.inputs, i, "input"), trace.arguments[i])});
  // Of results no node may take the name.
  std::vector<onnx::Value> outputs;
  for (size_t i = 0; i < trace.results; ++i) {
    const Aval& aval = graph.values[graph.outputs[i]];
    outputs.push_back({maker.unused(given_or(names.outputs, i, "output")), aval.dtype, maker.dimensions(aval.shape)});
  }
  for (const Tensor& tensor : trace.captured) inputs.push_back({.known = tensor, .label = "constant"});
  const AutocastScope as_it_is({});
  for (const TracedGraph::Cell& cell : trace.cells)
    inputs.push_back({.known = read_variable(cell.variable), .label = cell.variable->name});
  for (size_t i = 0; i < 2 * trace.draws.size(); ++i)
    inputs.push_back({.why_not = "it follows from random numbers, which a file does not hold"});

  OnnxTranslation translation(maker);
  std::vector<OnnxTranslation::Value> results = translation.translate(graph, std::move(inputs), saved.places());
  maker.set_place({});
  for (size_t i = 0; i < results.size(); ++i)
    maker.copy(translation.name(results[i], graph.values[graph.outputs[i]]), outputs[i].name);
  onnx::Model model;
  model.graph = maker.finish(names.graph.empty() ? std::string("brio") : names.graph, std::move(outputs));
  if (!names.about.empty()) model.about = {{"brio", names.about}};
  write_onnx(path, model);
}

}  // namespace brio::train
