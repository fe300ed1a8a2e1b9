// A trace of a function from a file. What is accepted must come back as it was written, and can be called, where that
// is no matter of hours.
#include <cstdlib>
#include <iostream>

#include "brio/brio.h"
#include "brio/ir/sizes.h"
#include "brio/runtime/saved_trace.h"

using namespace brio;

namespace {

constexpr size_t kMostBytes = 1 << 20, kMostNodes = 200;

bool is_small(const Graph& graph) {
  size_t bytes = 0;
  for (const Aval& aval : graph.values) {
    if (aval.shape.elements() > static_cast<int64_t>(kMostBytes)) return false;
    bytes += aval.bytes();
  }
  for (const Node& node : graph.nodes)
    if (node.op->kind == OpKind::control || node.op->kind == OpKind::effect)
      return false;  // a loop may go on for ever
  return bytes <= kMostBytes && graph.nodes.size() <= kMostNodes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool ready = (register_runtime(), std::cerr.setstate(std::ios::failbit), true);
  (void)ready;
  static const Variable variables[] = {Variable(zeros({2})), Variable(ones({3, 4}))};
  static const std::vector<VariableRef> refs{variables[0].impl(), variables[1].impl()};
  static const std::string recipe = "layer " + nn::to_json(nn::StringLookup({.vocabulary = {"a", "b"}}));
  static const std::vector<Tensor> constants{
      ones({100}), zeros({0}, u8),
      Tensor::from_bytes(recipe.data(), {Shape{static_cast<int64_t>(recipe.size())}, u8})};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const SavedTrace trace = SavedTrace::read(text, refs, constants);
    std::vector<Tensor> written = constants;
    const std::string again = trace.write(refs, written);
    if (SavedTrace::read(again, refs, written).write(refs, written) != again) std::abort();
    std::vector<Tensor> arguments;
    size_t at = again.find("\ngraph\n");
    const Graph graph = Graph::parse(std::string_view(again).substr(at + 7));
    if (!is_small(with_sizes(graph, std::vector<Size>(count_symbols(graph), 2)))) return 0;
    for (const SizedAs& one : trace.arguments()) {
      std::vector<int64_t> dims = one.dims;
      for (int64_t& dim : dims)
        if (dim < 0) dim = 2;
      if (one.dtype == DType::string) return 0;
      arguments.push_back(zeros(Shape(dims), one.dtype));
    }
    for (const Tensor& result : trace.call(arguments)) (void)result.array();
  } catch (const Error&) {
  }
  flush();
  return 0;
}
