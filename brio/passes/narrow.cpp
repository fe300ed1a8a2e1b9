// Ops on rows that stand between casts, from 16 bits to f32 and back, take rows of 16 bits themselves. They compute
// in f32 either way, so that no bit changes; the wide rows, of twice the bytes, are never made. For devices whose
// kernels do that.
#include <map>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/network/row_norm.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

struct RowOp {
  const OpDef* op;
  std::vector<size_t> rows;  // inputs that are rows
  size_t result;             // the output that is
};
const RowOp* row_op(const Node& node) {
  static const RowOp kOps[] = {{&op::softmax, {0}, 0},           {&op::log_softmax, {0}, 0},
                               {&op::row_norm, {0}, 0},          {&op::row_norm_grad, {0, 2}, 0},
                               {&op::softmax_xent_grad, {0}, 0}, {&op::softmax_xent_value_and_grad, {0}, 1}};
  for (const RowOp& each : kOps)
    if (each.op == node.op) return &each;
  return nullptr;
}

class NarrowPass {
 public:
  explicit NarrowPass(Graph& graph) : rewriter_(graph), readers_(graph.values.size()) {
    for (const Node& node : graph.nodes)
      for (ValueId v : node.in) readers_[v].add(node.op == &op::cast ? graph.values[node.out[0]].dtype : f32);
    for (ValueId v : graph.outputs) readers_[v].add(f32);
  }

  bool run() {
    return rewriter_.run([&](const Node& node) {
      if (node.op == &op::cast) {
        const auto narrow = narrowed_.find(node.in[0]);
        if (narrow == narrowed_.end()) return true;
        rewriter_.replace(node.out[0], narrow->second);
        return false;
      }
      const RowOp* const row = row_op(node);
      return !row || !make_narrow(node, *row);
    });
  }

 private:
  // Do casts to one dtype alone read it?
  struct Readers {
    bool any = false, one = true;
    DType dtype = f32;
    void add(DType to) {
      one = one && (!any || to == dtype);
      dtype = to;
      any = true;
    }
  };

  bool make_narrow(const Node& node, const RowOp& row) {
    const Readers& readers = readers_[node.out[row.result]];
    const DType narrow = readers.dtype;
    if (!readers.any || !readers.one || (narrow != f16 && narrow != bf16)) return false;
    std::vector<ValueId> in = node.in;
    for (size_t i : row.rows) {
      const Node* const cast = rewriter_.producer(in[i]);
      if (!cast || cast->op != &op::cast || rewriter_.aval(in[i]).dtype != f32) return false;
      in[i] = cast->in[0];
      if (rewriter_.aval(in[i]).dtype != narrow) return false;
    }
    const bool has_labels = node.op == &op::softmax_xent_grad || node.op == &op::softmax_xent_value_and_grad;
    if (has_labels && !xent_is_sparse(Attrs(node.attrs))) return false;  // probabilities are rows as well
    Graph alone;
    std::vector<ValueId> parameters;
    for (ValueId v : in) parameters.push_back(alone.add_input(rewriter_.aval(v)));
    const Node probe = alone.add(*node.op, parameters, node.attrs);
    if (!target().runs(alone, probe)) return false;
    const std::vector<ValueId> out = rewriter_.producer(rewriter_.emit(*node.op, in, node.attrs))->out;
    for (size_t i = 0; i < out.size(); ++i) {
      if (i == row.result) narrowed_[node.out[i]] = out[i];
      else rewriter_.replace(node.out[i], out[i]);
    }
    return true;
  }

  Rewriter rewriter_;
  std::vector<Readers> readers_;
  std::map<ValueId, ValueId> narrowed_;  // wide rows that are no more: their narrow ones
};

}  // namespace

bool narrow_rows(Graph& graph) {
  if (!target().has_narrow_rows() || !NarrowPass(graph).run()) return false;
  drop_dead(graph);  // casts that are no longer read
  return true;
}

}  // namespace brio
