#include "brio/runtime/traced_graph.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/sizes.h"
#include "brio/ops/control/body_variables.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/equal_sizes.h"

namespace brio {
namespace {

ValueId value_of(Recording& recording, const Tensor& tensor) {
  if (!tensor.defined()) throw InvalidArgument("[function] the function returned none; return tensors only");
  TensorImpl* impl = tensor.impl();
  if (impl->recording.load() == &recording) return impl->value;
  if (!impl->computed.load()) evaluate(*impl);
  return recording.leaf(impl);
}

}  // namespace

TracedGraph trace_graph(const BodyFn& body, std::span<const Aval> arguments) {
  TracedGraph made;
  made.arguments.assign(arguments.begin(), arguments.end());
  uint32_t symbols = 0;
  for (const Aval& aval : arguments)
    for (const Size size : aval.shape) symbols = std::max(symbols, size.symbols());
  const EqualSizes equal;
  Recording recording;
  recording.kind = Recording::Kind::function;
  std::vector<ValueId> inputs, outputs;
  {
    RecordInto scope(recording);
    std::vector<Tensor> parameters;
    for (const Aval& aval : arguments) {
      parameters.push_back(add_parameter(recording, aval));
      inputs.push_back(parameters.back().impl()->value);
    }
    const std::vector<Tensor> results = body(parameters);
    made.results = results.size();
    for (const Tensor& result : results) outputs.push_back(value_of(recording, result));
  }
  std::ranges::sort(recording.cells, {}, [](const Recording::Cell& cell) { return cell.variable.get(); });
  // A variable that is assigned without being read is still a cell: its old buffer can take the new value.
  for (Recording::Cell& cell : recording.cells) {
    if (cell.assigned) outputs.push_back(value_of(recording, cell.current));
    if (cell.leaf == kNone) cell.leaf = add_parameter(recording, cell.variable->aval).impl()->value;
  }
  if (recording.token.defined()) outputs.push_back(value_of(recording, recording.token));
  for (const auto& [impl, leaf] : recording.leaves) {
    inputs.push_back(leaf);
    impl->refs.increment();
    made.captured.push_back(Tensor::adopt(impl));
  }
  auto output = static_cast<uint32_t>(made.results);
  for (const Recording::Cell& cell : recording.cells) {
    inputs.push_back(cell.leaf);
    made.cells.push_back({cell.variable, cell.assigned, cell.assigned ? output++ : 0});
  }
  if (made.cells.size() > 64 * 1024) throw InvalidArgument("[function] more than 65536 variables are used");
  for (const Recording::Draw& draw : recording.draws) {
    inputs.push_back(draw.seed);
    inputs.push_back(draw.counter);
    made.draws.push_back({draw.generator, draw.drawn});
  }
  made.graph = graph_of(recording, recording.pending_nodes(), inputs, outputs);
  symbols = std::max(symbols, count_symbols(made.graph));
  made.open = symbols > 0;
  if (made.open) {
    std::vector<Size> sizes = equal.sizes(symbols), numbered;  // those that are left, without gaps
    uint32_t left = 0;
    for (uint32_t i = 0; i < symbols; ++i)
      numbered.push_back(sizes[i] == Size::unknown(i) ? Size::unknown(left++) : Size(0));
    for (Size& size : sizes) size = size.at(numbered);
    made.graph = taken_for_equal([&] { return with_sizes(made.graph, sizes); });
    for (size_t i = 0; i < arguments.size(); ++i) made.arguments[i] = made.graph.values[made.graph.inputs[i].value];
  }
  made.own_gradients =
      std::ranges::any_of(made.graph.nodes, [](const Node& node) { return node.op == &op::custom_gradient; });
  return made;
}

std::vector<Tensor> record_trace(const TracedGraph& trace, std::span<const Tensor> arguments) {
  size_t assigned = 0;
  for (const TracedGraph::Cell& cell : trace.cells) assigned += cell.assigned;
  const bool has_effects = trace.results + assigned < trace.graph.outputs.size();
  std::vector<Tensor> in(arguments.begin(), arguments.end());
  for (const Tensor& tensor : trace.captured)
    in.push_back(has_effects && is_token(tensor.aval()) ? current_token() : tensor);
  for (const TracedGraph::Cell& cell : trace.cells) in.push_back(read_variable(cell.variable));
  for (const TracedGraph::Draw& draw : trace.draws) {
    const random::Drawn drawn = random::next_streams(draw.generator, draw.drawn);
    in.push_back(drawn.seed);
    in.push_back(drawn.offset == 0 ? drawn.counter : drawn.counter + drawn.offset);
  }
  std::vector<Tensor> out = trace.open
                                ? replay(with_sizes(trace.graph, *bind_symbols(trace.arguments, arguments)), in)
                                : replay(trace.graph, in);
  for (const TracedGraph::Cell& cell : trace.cells)
    if (cell.assigned) assign_variable(cell.variable, out[cell.output]);
  if (has_effects) set_token(out.back());
  out.resize(trace.results);
  return out;
}

}  // namespace brio
