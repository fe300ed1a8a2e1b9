#include "brio/passes/batch_axis.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

class Batcher {
 public:
  Batcher(const Graph& from, int64_t n)
      : from_(from), n_(n), made_(from.values.size()), batched_(from.values.size()) {}

  Graph run(size_t samples) {
    for (size_t i = 0; i < from_.inputs.size(); ++i) {
      const ValueId v = from_.inputs[i].value;
      batched_[v] = i < samples;
      made_[v] = to_.add_input(batched_[v] ? batched(from_.values[v]) : from_.values[v]);
    }
    for (const Node& node : from_.nodes) add(node);
    for (const ValueId v : from_.outputs) to_.outputs.push_back(spread(v));
    return std::move(to_);
  }

  // What rules see.
  const Aval& sample(ValueId v) const { return from_.values[v]; }
  int rank(ValueId v) const { return sample(v).shape.rank(); }
  int64_t n() const { return n_; }
  bool is_batched(ValueId v) const { return batched_[v]; }
  ValueId made(ValueId v) const { return made_[v]; }
  ValueId emit(const OpDef& op, std::vector<ValueId> in, std::vector<int64_t> attrs) {
    return to_.add(op, std::move(in), std::move(attrs)).out[0];
  }
  // The value as an operand among samples of that rank: broadcasting counts axes from the last one, so those that it
  // lacks go behind the axis of the batch.
  ValueId aligned(ValueId v, int among) {
    if (!batched_[v] || rank(v) == among) return made_[v];
    std::vector<int64_t> attrs{among + 1, n_};
    attrs.insert(attrs.end(), static_cast<size_t>(among - rank(v)), 1);
    for (const int64_t dim : sample(v).shape) attrs.push_back(dim);
    return emit(op::reshape, {made_[v]}, std::move(attrs));
  }
  // The value for each sample, also where it is the same for all.
  ValueId spread(ValueId v) {
    if (batched_[v]) return made_[v];
    std::vector<int64_t> attrs{rank(v) + 1, n_};
    for (const int64_t dim : sample(v).shape) attrs.push_back(dim);
    return emit(op::broadcast_to, {made_[v]}, std::move(attrs));
  }

 private:
  void add(const Node& node);
  Aval batched(const Aval& aval) const {
    if (!is_real(aval.dtype)) throw InvalidArgument(cat("[batch_axis] there is no rule for ", aval.dtype));
    if (aval.shape.rank() == kMaxRank)
      throw InvalidArgument(cat("[batch_axis] shape ", aval.shape, " has no room for one more axis"));
    Aval all{{}, aval.dtype};
    all.shape.push_back(n_);
    for (const int64_t dim : aval.shape) all.shape.push_back(dim);
    return all;
  }

  const Graph& from_;
  int64_t n_;
  Graph to_;
  std::vector<ValueId> made_;  // of each value of the old graph
  std::vector<bool> batched_;
};

using Rule = ValueId (*)(Batcher& b, const Node& node);

// out[i] = f(in[i]…), whatever is around element i.
ValueId elementwise(Batcher& b, const Node& node) {
  std::vector<ValueId> in;
  for (const ValueId v : node.in) in.push_back(b.aligned(v, b.rank(node.out[0])));
  return b.emit(*node.op, std::move(in), node.attrs);
}

// Sums of floats depend on the order of their terms, and so does the sign of the larger of two zeros: that order
// follows the shape of the whole.
ValueId reduction(Batcher& b, const Node& node) {
  if (is_floating(b.sample(node.in[0]).dtype))
    throw InvalidArgument(cat("[batch_axis] ", node.op->name, " of floats may depend on what is around them"));
  std::vector<int64_t> attrs = node.attrs;
  for (size_t i = 2; i < attrs.size(); ++i) ++attrs[i];
  return b.emit(*node.op, {b.made(node.in[0])}, std::move(attrs));
}

ValueId last_input(Batcher& b, const Node& node) { return b.spread(node.in.back()); }

// Lists of one number for each axis: `first` is the new axis', and what is there grows by `more`.
std::vector<int64_t> with_axis(const std::vector<int64_t>& attrs, std::initializer_list<int64_t> first,
                               int64_t more = 0) {
  std::vector<int64_t> all;
  size_t at = 0;
  for (const int64_t number : first) {
    const auto size = static_cast<size_t>(attrs[at++]);
    all.push_back(static_cast<int64_t>(size) + 1);
    all.push_back(number);
    for (size_t i = 0; i < size; ++i) all.push_back(attrs[at++] + more);
  }
  return all;
}

ValueId reshape_rule(Batcher& b, const Node& node) {
  return b.emit(op::reshape, {b.made(node.in[0])}, with_axis(node.attrs, {b.n()}));
}
ValueId broadcast_rule(Batcher& b, const Node& node) {
  return b.emit(op::broadcast_to, {b.aligned(node.in[0], b.rank(node.out[0]))}, with_axis(node.attrs, {b.n()}));
}
ValueId transpose_rule(Batcher& b, const Node& node) {
  return b.emit(op::transpose, {b.made(node.in[0])}, with_axis(node.attrs, {0}, 1));
}
ValueId slice_rule(Batcher& b, const Node& node) {
  return b.emit(op::slice, {b.made(node.in[0])}, with_axis(node.attrs, {0, b.n(), 1}));
}
ValueId pad_rule(Batcher& b, const Node& node) {
  if (b.is_batched(node.in[1])) throw InvalidArgument("[batch_axis] pad with a number of each sample's own");
  return b.emit(op::pad, {b.spread(node.in[0]), b.made(node.in[1])}, with_axis(node.attrs, {0, 0}));
}
ValueId concat_rule(Batcher& b, const Node& node) {
  std::vector<ValueId> in;
  for (const ValueId v : node.in) in.push_back(b.spread(v));
  return b.emit(op::concat, std::move(in), {node.attrs[0] + 1});
}
ValueId one_hot_rule(Batcher& b, const Node& node) {
  return b.emit(op::one_hot, {b.made(node.in[0])}, {node.attrs[0], node.attrs[1], node.attrs[2] + 1});
}

// What moves elements, or is the same whatever is around it. Kinds of ops that have one rule follow below.
struct BatchRow {
  const OpDef* op;
  Rule rule;
};
constexpr BatchRow kRules[] = {
    {&op::identity, last_input},        {&op::stop_gradient, last_input}, {&op::read_variable, last_input},
    {&op::custom_gradient, last_input}, {&op::reshape, reshape_rule},     {&op::broadcast_to, broadcast_rule},
    {&op::transpose, transpose_rule},   {&op::slice, slice_rule},         {&op::pad, pad_rule},
    {&op::concat, concat_rule},         {&op::one_hot, one_hot_rule},
};

Rule rule_of(const OpDef& op) {
  if (op.may_fail) return nullptr;  // an error would not name the sample
  if (op.kind == OpKind::elementwise) return elementwise;
  if (op.kind == OpKind::reduction) return reduction;
  const auto row = std::ranges::find(kRules, &op, &BatchRow::op);
  return row == std::end(kRules) ? nullptr : row->rule;
}

void Batcher::add(const Node& node) {
  const OpDef& op = *node.op;
  // Numbers that each sample draws, and what is done for each of them, cannot be shared by all.
  if (op.kind == OpKind::random || op.kind == OpKind::effect || op.kind == OpKind::control)
    throw InvalidArgument(cat("[batch_axis] ", op.name, " is done for each sample"));
  if (std::ranges::none_of(node.in, [&](ValueId v) { return batched_[v]; })) {
    Node copy{&op, {}, {}, node.attrs, node.graphs};
    for (const ValueId v : node.in) copy.in.push_back(made_[v]);
    for (const ValueId v : node.out) copy.out.push_back(made_[v] = to_.add_value(sample(v)));
    to_.nodes.push_back(std::move(copy));
    return;
  }
  const Rule rule = rule_of(op);
  if (!rule) throw InvalidArgument(cat("[batch_axis] there is no rule for ", op.name));
  const ValueId out = node.out[0];
  made_[out] = rule(*this, node);
  batched_[out] = true;
  BRIO_CHECK(to_.values[made_[out]] == batched(sample(out)), "the rule of ", op.name, " gave another shape");
}

}  // namespace

Graph with_batch_axis(const Graph& graph, size_t samples, int64_t n) { return Batcher(graph, n).run(samples); }

}  // namespace brio
