// Algebraic rewrites, one row each: pattern → replacement. Only identities that keep every bit of the result: x + 0
// is not one of them (-0 + 0 is +0), nor is anything that changes the order of rounding.
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"

namespace brio {
namespace {

// The node that is being rewritten. A row returns the value that replaces the node's result, or kNothing.
struct Match {
  Rewriter& rewriter;
  const Node& node;

  ValueId in(size_t i) const { return node.in[i]; }
  const Aval& result() const { return rewriter.aval(node.out[0]); }
  const Node* maker(ValueId v, const OpDef& op) const {
    const Node* p = rewriter.producer(v);
    return p && p->op == &op ? p : nullptr;
  }
  bool keeps_shape(size_t i) const { return rewriter.aval(in(i)) == result(); }
  bool is_number(ValueId v, double number) const {
    const Node* p = maker(v, op::constant);
    if (!p) return false;
    return visit(static_cast<DType>(p->attrs[0]), [&](auto t) {
      using T = decltype(t);
      const T value = from_bits<T>(static_cast<uint64_t>(p->attrs[1]));
      return to_bits(value) == to_bits(static_cast<T>(static_cast<float>(number)));
    });
  }
  std::vector<int64_t> list(const Node& n) const { return {n.attrs.begin() + 1, n.attrs.end()}; }
};

using Simplify = ValueId (*)(const Match& m);
struct Simplification {
  const OpDef* op;
  Simplify rule;
};

ValueId first_input(const Match& m) { return m.in(0); }
ValueId last_input(const Match& m) { return m.node.in.back(); }

const Simplification kSimplifications[] = {
    {&op::identity, first_input},       // identity(x) → x
    {&op::stop_gradient, first_input},  // not needed after differentiation
    {&op::read_variable, first_input},
    {&op::custom_gradient, last_input},
    {&op::mul,
     [](const Match& m) { return m.keeps_shape(0) && m.is_number(m.in(1), 1) ? m.in(0) : kNothing; }},  // x·1 → x
    {&op::mul,
     [](const Match& m) { return m.keeps_shape(1) && m.is_number(m.in(0), 1) ? m.in(1) : kNothing; }},  // 1·x → x
    {&op::div,
     [](const Match& m) { return m.keeps_shape(0) && m.is_number(m.in(1), 1) ? m.in(0) : kNothing; }},  // x/1 → x
    {&op::sub,
     [](const Match& m) { return m.keeps_shape(0) && m.is_number(m.in(1), 0) ? m.in(0) : kNothing; }},  // x-0 → x
    {&op::neg,
     [](const Match& m) {  // -(-x) → x
       const Node* p = m.maker(m.in(0), op::neg);
       return p ? p->in[0] : kNothing;
     }},
    {&op::add,
     [](const Match& m) {  // x + (-y) → x - y
       const Node* p = m.maker(m.in(1), op::neg);
       return p ? m.rewriter.emit(op::sub, {m.in(0), p->in[0]}) : kNothing;
     }},
    {&op::sub,
     [](const Match& m) {  // x - (-y) → x + y
       const Node* p = m.maker(m.in(1), op::neg);
       return p ? m.rewriter.emit(op::add, {m.in(0), p->in[0]}) : kNothing;
     }},
    {&op::select,
     [](const Match& m) { return m.in(1) == m.in(2) && m.keeps_shape(1) ? m.in(1) : kNothing; }},  // c ? x : x → x
    {&op::cast, [](const Match& m) { return m.keeps_shape(0) ? m.in(0) : kNothing; }},
    {&op::reshape, [](const Match& m) { return m.keeps_shape(0) ? m.in(0) : kNothing; }},
    {&op::reshape,
     [](const Match& m) {  // reshape(reshape(x)) → reshape(x)
       const Node* p = m.maker(m.in(0), op::reshape);
       return p ? m.rewriter.emit(op::reshape, {p->in[0]}, m.node.attrs) : kNothing;
     }},
    {&op::broadcast_to, [](const Match& m) { return m.keeps_shape(0) ? m.in(0) : kNothing; }},
    {&op::broadcast_to,
     [](const Match& m) {  // broadcast(broadcast(x)) → broadcast(x)
       const Node* p = m.maker(m.in(0), op::broadcast_to);
       return p ? m.rewriter.emit(op::broadcast_to, {p->in[0]}, m.node.attrs) : kNothing;
     }},
    {&op::transpose,
     [](const Match& m) {  // transpose(transpose(x)) → one transpose, or x
       const Node* p = m.maker(m.in(0), op::transpose);
       if (!p) return kNothing;
       std::vector<int64_t> permutation(m.node.attrs.size());
       permutation[0] = m.node.attrs[0];
       bool in_order = true;
       for (size_t i = 1; i < permutation.size(); ++i) {
         permutation[i] = p->attrs[1 + static_cast<size_t>(m.node.attrs[i])];
         in_order &= permutation[i] == static_cast<int64_t>(i - 1);
       }
       return in_order ? p->in[0] : m.rewriter.emit(op::transpose, {p->in[0]}, permutation);
     }},
    {&op::concat, [](const Match& m) { return m.node.in.size() == 1 ? m.in(0) : kNothing; }},
    {&op::reduce_sum, [](const Match& m) { return m.node.attrs[1] == 0 ? m.in(0) : kNothing; }},  // over no axis
    {&op::reduce_prod, [](const Match& m) { return m.node.attrs[1] == 0 ? m.in(0) : kNothing; }},
    {&op::reduce_max, [](const Match& m) { return m.node.attrs[1] == 0 ? m.in(0) : kNothing; }},
    {&op::reduce_min, [](const Match& m) { return m.node.attrs[1] == 0 ? m.in(0) : kNothing; }},
    {&op::matmul,
     [](const Match& m) {  // matmul(transpose(x), y) → matmul with a flag, when only the last two axes are swapped
       for (size_t k = 0; k < 2; ++k) {
         const Node* p = m.maker(m.in(k), op::transpose);
         if (!p || p->attrs[0] < 2) continue;
         const std::vector<int64_t> permutation = m.list(*p);
         const size_t rank = permutation.size();
         bool swaps_last = permutation[rank - 1] == static_cast<int64_t>(rank) - 2 &&
                           permutation[rank - 2] == static_cast<int64_t>(rank) - 1;
         for (size_t i = 0; i + 2 < rank; ++i) swaps_last &= permutation[i] == static_cast<int64_t>(i);
         if (!swaps_last) continue;
         std::vector<ValueId> in = m.node.in;
         std::vector<int64_t> attrs = m.node.attrs;
         in[k] = p->in[0];
         attrs[k] = !attrs[k];
         return m.rewriter.emit(op::matmul, in, attrs);
       }
       return kNothing;
     }},
};

// Elementwise ops broadcast by themselves: therefore an explicit broadcast before one is dropped if the result keeps
// its shape.
ValueId drop_broadcasts(const Match& m) {
  if (m.node.op->kind != OpKind::elementwise || m.node.in.size() < 2) return kNothing;
  std::vector<ValueId> in = m.node.in;
  bool changed = false;
  for (size_t k = 0; k < in.size(); ++k) {
    const Node* p = m.maker(in[k], op::broadcast_to);
    if (!p) continue;
    const ValueId before = in[k];
    in[k] = p->in[0];
    Shape shape;
    for (ValueId v : in) broadcast(Shape(shape), m.rewriter.aval(v).shape, shape);
    if (shape == m.result().shape) changed = true;
    else in[k] = before;
  }
  return changed ? m.rewriter.emit(*m.node.op, in, m.node.attrs) : kNothing;
}

}  // namespace

bool simplify(Graph& graph) {
  Rewriter rewriter(graph);
  return rewriter.run([&](const Node& node) {
    const Match match{rewriter, node};
    if (node.out.size() != 1) return true;
    for (const Simplification& row : kSimplifications) {
      if (row.op != node.op) continue;
      if (const ValueId with = row.rule(match); with != kNothing) {
        rewriter.replace(node.out[0], with);
        return false;
      }
    }
    if (const ValueId with = drop_broadcasts(match); with != kNothing) {
      rewriter.replace(node.out[0], with);
      return false;
    }
    return true;
  });
}

}  // namespace brio
