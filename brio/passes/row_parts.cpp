#include "brio/passes/row_parts.h"

#include <algorithm>

#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/lstm_gates.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr ValueId kNotMade = ~ValueId{0};

class RowParts {
 public:
  RowParts(const Graph& from, int64_t all, int64_t rows)
      : from_(from),
        all_(all),
        rows_(rows),
        made_(from.values.size(), kNotMade),
        of_rows_(from.values.size(), kNotMade),
        maker_(from.values.size(), nullptr) {}

  std::optional<Graph> run(size_t walked) {
    for (size_t i = 0; i < from_.inputs.size(); ++i) {
      const ValueId v = from_.inputs[i].value;
      if (i < walked) of_rows_[v] = to_.add_input(narrowed(from_.values[v]));
      else made_[v] = to_.add_input(from_.values[v]);
    }
    for (const Node& node : from_.nodes) {
      for (ValueId v : node.out) maker_[v] = &node;
      if (!add(node)) return {};
    }
    for (const ValueId v : from_.outputs) {
      if (!rowed(v)) return {};
      to_.outputs.push_back(of_rows_[v]);
    }
    return std::move(to_);
  }

 private:
  const Shape& shape(ValueId v) const { return from_.values[v].shape; }
  bool has_rows(ValueId v) const { return of_rows_[v] != kNotMade; }
  Aval narrowed(const Aval& aval) const {
    Aval some{{}, aval.dtype};
    for (int i = 0; i < aval.shape.rank(); ++i) some.shape.push_back(i == 0 ? Size(rows_) : aval.shape[i]);
    return some;
  }
  void emit(const Node& node, std::vector<ValueId> in, std::vector<int64_t> attrs) {
    of_rows_[node.out[0]] = to_.add(*node.op, std::move(in), std::move(attrs)).out[0];
  }

  // Can the value be had for some rows? Numbers that are spread over all rows are spread over fewer.
  bool rowed(ValueId v) {
    if (has_rows(v)) return true;
    const Node* const node = maker_[v];
    if (!node || node->op != &op::broadcast_to || !spreads_over_rows(*node)) return false;
    std::vector<int64_t> attrs = node->attrs;
    attrs[1] = rows_;
    emit(*node, {made_[node->in[0]]}, std::move(attrs));
    return true;
  }
  bool spreads_over_rows(const Node& node) const {
    const Shape &in = shape(node.in[0]), &out = shape(node.out[0]);
    return out.rank() > 0 && out[0] == all_ && made_[node.in[0]] != kNotMade &&
           (in.rank() < out.rank() || in[0] == 1);
  }
  bool starts_with_rows(ValueId v) const { return shape(v).rank() > 0 && shape(v)[0] == all_; }

  bool add(const Node& node) {
    const OpDef& op = *node.op;
    if (op.may_fail || !node.graphs.empty() || op.kind == OpKind::random || op.kind == OpKind::effect) return false;
    if (std::ranges::none_of(node.in, [&](ValueId v) { return has_rows(v); })) {
      Node copy{&op, {}, {}, node.attrs, {}, node.place};
      for (const ValueId v : node.in) copy.in.push_back(made_[v]);
      for (const ValueId v : node.out) copy.out.push_back(made_[v] = to_.add_value(from_.values[v]));
      to_.nodes.push_back(std::move(copy));
      return true;
    }
    if (&op == &op::lstm_gates || &op == &op::lstm_gates_grad) return row_by_row(node);
    if (node.out.size() != 1 || !starts_with_rows(node.out[0])) return false;
    if (op.kind == OpKind::elementwise) return elementwise(node);
    if (op.kind == OpKind::reduction) return reduction(node);
    if (&op == &op::matmul) return product(node);
    if (&op == &op::slice) return with_rows(node, {0, all_, 1});
    if (&op == &op::pad) return !has_rows(node.in[1]) && with_rows(node, {0, 0});
    if (&op == &op::reshape) return starts_with_rows(node.in[0]) && with_rows(node, {all_});
    if (&op == &op::broadcast_to)
      return shape(node.in[0]).rank() == shape(node.out[0]).rank() && with_rows(node, {all_});
    if (&op == &op::concat) return node.attrs[0] != 0 && elementwise(node);
    if (&op == &op::identity || &op == &op::stop_gradient) return elementwise(node);
    return false;
  }
  // Operands have rows as the result has, or are the same for all of them.
  bool elementwise(const Node& node) {
    std::vector<ValueId> in;
    const int rank = shape(node.out[0]).rank();
    for (const ValueId v : node.in) {
      if (has_rows(v) || (shape(v).rank() == rank && shape(v)[0] == all_)) {
        if (shape(v).rank() != rank || !rowed(v)) return false;
        in.push_back(of_rows_[v]);
      } else {
        in.push_back(made_[v]);
      }
    }
    emit(node, std::move(in), node.attrs);
    return true;
  }
  bool row_by_row(const Node& node) {
    std::vector<ValueId> in;
    for (const ValueId v : node.in) {
      if (shape(v).rank() < 2 || !rowed(v)) return false;
      in.push_back(of_rows_[v]);
    }
    const Node made = to_.add(*node.op, std::move(in), node.attrs);
    for (size_t i = 0; i < node.out.size(); ++i) of_rows_[node.out[i]] = made.out[i];
    return true;
  }
  bool reduction(const Node& node) {
    if (reduced_axes(Attrs(node.attrs)) & 1) return false;
    emit(node, {of_rows_[node.in[0]]}, node.attrs);
    return true;
  }
  bool product(const Node& node) {
    const auto [a, b] = std::pair(node.in[0], node.in[1]);
    if (!has_rows(a) || has_rows(b) || shape(a).rank() != 2 || shape(b).rank() != 2 || node.attrs[0] != 0)
      return false;
    emit(node, {of_rows_[a], made_[b]}, node.attrs);
    return true;
  }
  // Lists of one number for each axis, the rows' being these: all of them stay, and become fewer.
  bool with_rows(const Node& node, std::initializer_list<int64_t> whole) {
    std::vector<int64_t> attrs = node.attrs;
    size_t at = 0;
    for (const int64_t number : whole) {
      if (attrs[at] == 0 || attrs[at + 1] != number) return false;
      if (number == all_) attrs[at + 1] = rows_;
      at = Attrs(attrs).after_list(at);
    }
    std::vector<ValueId> in{of_rows_[node.in[0]]};
    for (size_t i = 1; i < node.in.size(); ++i) in.push_back(made_[node.in[i]]);
    emit(node, std::move(in), std::move(attrs));
    return true;
  }

  const Graph& from_;
  int64_t all_, rows_;
  Graph to_;
  std::vector<ValueId> made_, of_rows_;  // of each value of the old graph: as it is, and for some rows
  std::vector<const Node*> maker_;
};

}  // namespace

std::optional<Graph> for_some_rows(const Graph& graph, size_t walked, int64_t rows) {
  if (walked == 0) return {};
  const Shape& first = graph.values[graph.inputs[0].value].shape;
  if (first.rank() == 0 || !first[0].known()) return {};
  const auto all = static_cast<int64_t>(first[0]);
  for (size_t i = 0; i < walked; ++i) {
    const Shape& shape = graph.values[graph.inputs[i].value].shape;
    if (shape.rank() == 0 || !(shape[0] == all)) return {};
  }
  return RowParts(graph, all, rows).run(walked);
}

}  // namespace brio
