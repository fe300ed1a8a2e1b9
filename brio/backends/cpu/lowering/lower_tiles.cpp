// Elementwise ops, broadcasts, reductions and fused loops: all are tile programs.
#include <algorithm>

#include "brio/backends/cpu/lowering/lower.h"
#include "brio/backends/cpu/tiles/tile_program.h"
#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::cpu {
namespace {

constexpr int32_t kNoRegister = -1;

DType value_dtype(const Graph& graph, const Node& node) {
  // Of select's operands the first is the condition; the others carry the values.
  return graph.values[node.in[node.op == &op::select ? 1 : 0]].dtype;
}

TileFn tile_fn(const Graph& graph, const Node& node) {
  return find_tile_fn(node.op->name, value_dtype(graph, node), graph.values[node.out[0]].dtype);
}

ReduceKind reduce_kind(const OpDef* op) {
  if (op == &op::reduce_sum) return ReduceKind::sum;
  if (op == &op::reduce_prod) return ReduceKind::prod;
  if (op == &op::reduce_max) return ReduceKind::max;
  if (op == &op::reduce_min) return ReduceKind::min;
  if (op == &op::reduce_any) return ReduceKind::any;
  return ReduceKind::all;
}

// Strides of an operand in the iteration space, by NumPy's rule.
TileProgram::Input input_in(const Shape& space, const Aval& aval) {
  TileProgram::Input input{aval.dtype, {}};
  const Strides own = row_major(aval.shape);
  const int shift = space.rank() - aval.shape.rank();
  for (int i = 0; i < aval.shape.rank(); ++i) input.strides[i + shift] = aval.shape[i] == 1 ? 0 : own[i];
  return input;
}

const Shape& space_of(const Graph& graph, const Node& node) {
  return graph.values[node.op->kind == OpKind::reduction ? node.in[0] : node.out[0]].shape;
}

// Does another node read the rows or the places of this spread_rows in another way?
bool shares_rows(const Node& spread, std::span<const Node> nodes) {
  return std::ranges::any_of(nodes, [&](const Node& other) {
    if (other.op == &op::spread_rows) return other.in[0] == spread.in[0] && other.in[1] != spread.in[1];
    return std::ranges::find_first_of(other.in, spread.in) != other.in.end();
  });
}

// Why these nodes are no tile program; empty when they are.
std::string obstacle(const Graph& graph, std::span<const Node> nodes) {
  for (const Node& node : nodes) {
    for (const auto* values : {&node.in, &node.out})
      for (ValueId v : *values)
        if (const DType dtype = graph.values[v].dtype; !is_real(dtype)) return cat("no tile kernel for ", dtype);
    if (node.op->kind == OpKind::reduction || node.op == &op::broadcast_to) continue;
    if (node.op == &op::spread_rows) {
      if (shares_rows(node, nodes)) return "rows that are spread are read otherwise too";
      continue;
    }
    if (!tile_fn(graph, node)) return cat("no tile kernel for ", node.op->name, " on ", value_dtype(graph, node));
  }
  return {};
}

// If this is x · f(x), nothing else reads f(x), and one kernel does both: the node that computes f(x). Its result
// need not be stored for the product, which waits for memory while the function computes.
const Node* gated_function(const Graph& graph, const Node& node, std::span<const Node> nodes,
                           std::span<const ValueId> outputs) {
  if (node.op != &op::mul || graph.values[node.out[0]].dtype != f32) return nullptr;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId f = node.in[i], x = node.in[1 - i];
    const auto made = std::ranges::find_if(nodes, [&](const Node& other) { return other.out[0] == f; });
    if (made == nodes.end() || made->in.size() != 1 || made->in[0] != x) continue;
    if (!find_tile_fn(cat("x*", made->op->name), f32, f32)) continue;
    int64_t reads = std::ranges::count(outputs, f);
    for (const Node& other : nodes) reads += std::ranges::count(other.in, f);
    if (reads == 1) return &*made;
  }
  return nullptr;
}

// A program and the kernel outputs in the program's order: elementwise results first, then reductions.
struct Lowered {
  TileProgram program;
  std::vector<uint32_t> order;  // per program output: the node's output
};

Lowered lower(const Graph& graph, std::span<const ValueId> inputs, std::span<const Node> nodes,
              std::span<const ValueId> outputs) {
  Lowered lowered;
  TileProgram& program = lowered.program;
  program.space = space_of(graph, nodes[0]);
  std::vector<int32_t> reg(graph.values.size(), kNoRegister);
  for (ValueId v : inputs) {
    reg[v] = static_cast<int32_t>(program.inputs.size());
    program.inputs.push_back(input_in(program.space, graph.values[v]));
  }
  std::vector<const Node*> gated;  // per node: the function that it multiplies its argument by
  for (const Node& node : nodes) gated.push_back(gated_function(graph, node, nodes, outputs));
  auto next = static_cast<int32_t>(program.inputs.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Node& node = nodes[n];
    if (std::ranges::find(gated, &node) != gated.end()) continue;
    if (gated[n]) {
      const TileFn fn = find_tile_fn(cat("x*", gated[n]->op->name), f32, f32);
      program.steps.push_back({fn, f32, {reg[gated[n]->in[0]], -1, -1}});
      reg[node.out[0]] = next++;
      continue;
    }
    if (node.op->kind == OpKind::reduction) {
      program.reduced_mask = static_cast<uint8_t>(reduced_axes(Attrs(node.attrs)));
      continue;
    }
    if (node.op == &op::spread_rows) {
      const int32_t rows = reg[node.in[0]], places = reg[node.in[1]];
      const DType dtype = graph.values[node.in[0]].dtype;
      program.inputs[static_cast<size_t>(rows)] = {dtype, {}, places, graph.values[node.in[0]].shape[0], false};
      program.inputs[static_cast<size_t>(places)] = {i32, {}, -1, 0, true};
      reg[node.out[0]] = rows;
      continue;
    }
    if (node.op == &op::broadcast_to) {  // the strides of the input do the work
      reg[node.out[0]] = reg[node.in[0]];
      continue;
    }
    TileProgram::Step step{tile_fn(graph, node), graph.values[node.out[0]].dtype, {-1, -1, -1}};
    for (size_t i = 0; i < node.in.size(); ++i) step.src[i] = reg[node.in[i]];
    program.steps.push_back(step);
    reg[node.out[0]] = next++;
  }
  std::vector<uint32_t> reductions;
  for (uint32_t k = 0; k < outputs.size(); ++k) {
    const auto reduction = std::ranges::find_if(
        nodes, [&](const Node& node) { return node.op->kind == OpKind::reduction && node.out[0] == outputs[k]; });
    if (reduction != nodes.end()) {
      program.reductions.push_back({reg[reduction->in[0]], reduce_kind(reduction->op)});
      reductions.push_back(k);
      continue;
    }
    program.outputs.push_back({reg[outputs[k]]});
    lowered.order.push_back(k);
  }
  lowered.order.insert(lowered.order.end(), reductions.begin(), reductions.end());
  return lowered;
}

class TileNodeKernel final : public Kernel {
 public:
  explicit TileNodeKernel(const NodeView& view) : TileNodeKernel(view, lower_node(view)) {}

  size_t scratch_bytes() const override { return kernel_.scratch_bytes(); }
  size_t heap_bytes() const override { return kernel_.heap_bytes(); }
  bool allows_in_place(size_t in, size_t out) const override { return dense_input_[in] && dense_output_[out]; }
  void run(const KernelArgs& args) const override {
    if (in_order_) return kernel_.run(args.in, args.out, args.scratch);
    void* outputs[kMostOutputs];
    for (size_t i = 0; i < order_.size(); ++i) outputs[i] = args.out[order_[i]];
    kernel_.run(args.in, outputs, args.scratch);
  }

  static constexpr size_t kMostOutputs = 128;

 private:
  static Lowered lower_node(const NodeView& view) {
    const Node& node = view.node;
    if (node.op != &op::fused) return lower(view.graph, node.in, std::span(&node, 1), node.out);
    const Graph& body = *node.graphs[0];
    std::vector<ValueId> inputs;
    for (const Graph::Input& input : body.inputs) inputs.push_back(input.value);
    return lower(body, inputs, body.nodes, body.outputs);
  }

  TileNodeKernel(const NodeView& view, Lowered lowered) : order_(std::move(lowered.order)), kernel_(lowered.program) {
    const Shape& space = lowered.program.space;
    description = cat("tiles: ", lowered.program.steps.size(), " steps over ", space,
                      lowered.program.reductions.empty() ? "" : " with a reduction");
    for (size_t i = 0; i < order_.size(); ++i) in_order_ &= order_[i] == i;
    for (size_t i = 0; i < view.node.in.size(); ++i) {
      const TileProgram::Input& input = lowered.program.inputs[i];
      dense_input_.push_back(view.in(i).shape == space && input.places < 0 && !input.is_places);
    }
    dense_output_.assign(view.node.out.size(), false);
    for (size_t i = 0; i < lowered.program.outputs.size(); ++i) dense_output_[order_[i]] = true;
  }

  std::vector<uint32_t> order_;
  std::vector<bool> dense_input_, dense_output_;
  bool in_order_ = true;
  TileKernel kernel_;
};

Support supports_tiles(const NodeView& view) {
  const bool fused = view.node.op == &op::fused;
  const Graph& graph = fused ? *view.node.graphs[0] : view.graph;
  std::string reason = obstacle(graph, fused ? std::span<const Node>(graph.nodes) : std::span(&view.node, 1));
  if (view.node.out.size() > TileNodeKernel::kMostOutputs) reason = "too many outputs";
  return reason.empty() ? Support::can() : Support::cannot(std::move(reason));
}

}  // namespace

void add_tile_kernels(Registry& registry) {
  const Implementation tiles{"tiles", kPriority, supports_tiles, prepare<TileNodeKernel>};
  for (const OpDef* op : op_table())
    if (op->kind == OpKind::elementwise || op->kind == OpKind::reduction) registry.add(kDevice, *op, tiles);
  registry.add(kDevice, op::broadcast_to, tiles);
  registry.add(kDevice, op::fused, tiles);
}

}  // namespace brio::cpu
