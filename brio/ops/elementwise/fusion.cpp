#include "brio/ops/elementwise/fusion.h"

#include "brio/base/error.h"
#include "brio/ir/graph.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

const Shape& space_of(const Graph& body, const Node& node) {
  return body.values[node.op->kind == OpKind::reduction ? node.in[0] : node.out[0]].shape;
}

// Backends make copies, or one loop, of the body without looking again.
void check_copies(const OpDef& op, const Graph& body) {
  for (const Node& node : body.nodes)
    if (!is_view(*node.op) && &node != &body.nodes.back())
      throw_invalid(op, cat("its body holds ", node.op->name, " before a concat, which is no view"));
  if (body.outputs != body.nodes.back().out) throw_invalid(op, "its body ends in a concat, which must be its result");
}

void check_one_loop(const OpDef& op, const Graph& body) {
  const Shape& space = space_of(body, body.nodes[0]);
  const Node* folds = nullptr;
  std::vector<bool> folded(body.values.size(), false), given(body.values.size(), false);
  for (const Graph::Input& input : body.inputs) given[input.value] = true;
  for (const Node& node : body.nodes) {
    const bool reduction = node.op->kind == OpKind::reduction;
    const bool spreads = node.op == &op::spread_rows && given[node.in[0]] && given[node.in[1]];
    if (!reduction && !spreads && node.op->kind != OpKind::elementwise && node.op != &op::broadcast_to)
      throw_invalid(op, cat("its body holds ", node.op->name, ", which is no part of a loop over elements"));
    if (space_of(body, node) != space)
      throw_invalid(op, cat("its body loops over shapes ", space, " and ", space_of(body, node)));
    for (ValueId v : node.in)
      if (folds && folded[v])
        throw_invalid(op, cat("its body goes on with a ", folds->op->name, ", which must be a result"));
    if (!reduction) continue;
    if (folds && reduced_axes(Attrs(folds->attrs)) != reduced_axes(Attrs(node.attrs)))
      throw_invalid(op, cat("its body reduces shape ", space, " over different axes"));
    folds = &node;
    folded[node.out[0]] = true;
  }
}

void infer_fused(const OpCall& call, std::vector<Aval>& out) {
  if (call.graphs.size() != 1) throw_invalid(call.op, cat("needs one body, but has ", call.graphs.size()));
  const Graph& body = *call.graphs[0];
  if (body.inputs.size() != call.in.size())
    throw_invalid(call.op, cat("the body takes ", body.inputs.size(), " inputs, but got ", call.in.size()));
  for (size_t i = 0; i < call.in.size(); ++i)
    if (body.values[body.inputs[i].value] != *call.in[i])
      throw_invalid(call.op, cat("input ", i, " is ", format_aval(*call.in[i]), ", but the body takes ",
                                 format_aval(body.values[body.inputs[i].value])));
  if (body.nodes.empty()) throw_invalid(call.op, "its body computes nothing");
  if (is_concat(body)) check_copies(call.op, body);
  else check_one_loop(call.op, body);
  for (ValueId v : body.outputs) out.push_back(body.values[v]);
}

// The arithmetic of the body, the memory traffic of its edges: that is why it exists.
Cost fused_cost(const OpCall& call, std::span<const Aval> out) {
  Cost cost{0, total_bytes(call, out)};
  const Graph& body = *call.graphs[0];
  for (const Node& node : body.nodes) {
    std::vector<const Aval*> in;
    for (ValueId v : node.in) in.push_back(&body.values[v]);
    const std::vector<Aval> made = infer(body, node);
    cost.flops += node.op->cost({*node.op, in, Attrs(node.attrs), {}}, made).flops;
  }
  return cost;
}

constexpr AttrSpec kFusedCastAttrs[] = {{"dtype", AttrKind::dtype}};

void infer_cast_many(const OpCall& call, std::vector<Aval>& out) {
  const auto to = static_cast<DType>(call.attrs[0]);
  for (const Aval* in : call.in) {
    if (!is_floating(in->dtype) || !is_floating(to) || in->dtype != call.in[0]->dtype)
      throw_invalid(call.op, cat("takes tensors of one floating-point dtype and gives another, but got ",
                                 call.in[0]->dtype, " and ", in->dtype, " for ", to));
    out.push_back({in->shape, to});
  }
}
std::vector<Tensor> plain_cast_many(std::span<const Tensor> in, Attrs attrs) {
  std::vector<Tensor> out;
  for (const Tensor& x : in) out.push_back(cast(x, static_cast<DType>(attrs[0])));
  return out;
}

}  // namespace

bool is_view(const OpDef& op) { return &op == &op::slice || &op == &op::transpose || &op == &op::broadcast_to; }
bool is_concat(const Graph& body) { return body.nodes.back().op == &op::concat; }

namespace op {
const OpDef fused{.name = "fused",
                  .summary = "several elementwise ops and reductions, or a concat of views, in one pass over memory",
                  .kind = OpKind::control,
                  .min_inputs = 0,
                  .max_inputs = -1,
                  .infer = infer_fused,
                  .no_grad = "the planner makes it after differentiation",
                  .cost = fused_cost,
                  .also_takes = kComplex | kStrings};
const OpDef cast_many{.name = "cast_many",
                      .summary = "many tensors in another dtype, at once",
                      .kind = OpKind::composite,
                      .min_inputs = 1,
                      .max_inputs = -1,
                      .attrs = kFusedCastAttrs,
                      .infer = infer_cast_many,
                      .no_grad = "the planner makes it after differentiation",
                      .cost = movement_cost,
                      .plain = plain_cast_many};
}  // namespace op

void register_fusion() {
  static const OpDef* const rows[] = {&op::fused, &op::cast_many};
  register_ops(rows);
}

}  // namespace brio
