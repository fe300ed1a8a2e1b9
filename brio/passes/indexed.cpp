// The gradient of a looked-up table is scatter_add into zeros: few rows, and a table of zeros. Here it stays rows
// with their places (ops/indexing/indexed_rows.h), as far as its readers can use rows:
// - scatter_add(0, indices, rows) becomes spread_rows(sum_rows(indices, rows), places);
// - f(spread_rows(x, places), scalars) becomes spread_rows(f(x, scalars), places), to the bit: x has one more row,
//   for all others;
// - an update by such a gradient becomes the same by rows and places;
// - table - spread_rows(x, places) becomes subtract_rows(table, x, ids), for a table that is given up.
// Loops read a remaining spread_rows as rows (passes/fuse.cpp); for all other readers it is a table.
#include <algorithm>
#include <unordered_map>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexed_rows.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/network/optimizer_ops.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"

namespace brio {
namespace {

bool is_update(const Node& node) {
  return node.op == &op::sgd_update || node.op == &op::rmsprop_update || node.op == &op::adam_update;
}

// Sums of scatter_adds into zeros, as lists of what is added: found before anything is rewritten.
class Scattered {
 public:
  explicit Scattered(const Graph& graph) : g_(graph), uses_(use_counts(graph)), sum_(graph.values.size()) {
    std::vector<uint64_t> constants;
    for (const Node& node : g_.nodes)
      if (node.op->kind == OpKind::constant) constants.push_back(static_cast<uint64_t>(node.attrs[1]));
    const auto known = uniform_values(g_, constants);
    const std::vector<bool> loops = read_by_loops();
    for (const Node& node : g_.nodes) {
      if (node.op == &op::scatter_add && known[node.in[0]] == 0 && node.attrs[0] == 0 && loops[node.out[0]])
        try_sum(node.out[0], g_.values[node.in[1]].shape.elements(), {});
      else if (node.op == &op::add && is_sum(node.in[0]) && is_sum(node.in[1]) && loops[node.out[0]])
        try_sum(node.out[0], sum_[node.in[0]].rows + sum_[node.in[1]].rows, node.in);
    }
  }
  bool any() const { return any_; }
  bool is_sum(ValueId v) const { return !(sum_[v].rows == 0); }
  bool is_part(ValueId v) const { return sum_[v].part; }  // of another sum, and nothing else reads it

 private:
  struct Sum {
    Size rows = 0;
    bool part = false;
  };

  // Where more than a quarter of a table is looked up there is little to gain. How much that is may be unknown: then
  // it is taken for less.
  void try_sum(ValueId v, Size rows, const std::vector<ValueId>& parts) {
    const Shape& table = g_.values[v].shape;
    constexpr int64_t kMost = int64_t{1} << 31;
    if (rows == 0 || table.rank() < 2 || !table[0].known() || table[0] >= kMost) return;
    if (rows.known() && rows > table[0] / 4) return;
    if (!parts.empty() && (parts[0] == parts[1] || uses_[parts[0]] != 1 || uses_[parts[1]] != 1)) return;
    for (ValueId part : parts) sum_[part].part = true;
    sum_[v].rows = rows;
    any_ = true;
  }

  // Per value: whether only loops over its elements read it, and updates, as a gradient.
  std::vector<bool> read_by_loops() const {
    std::vector<bool> loops(g_.values.size(), true);
    for (const Node& node : g_.nodes) {
      const bool loop = node.op->kind == OpKind::elementwise || node.op->kind == OpKind::reduction;
      for (size_t i = 0; i < node.in.size(); ++i)
        if (!loop && !(is_update(node) && is_gradient(node, i))) loops[node.in[i]] = false;
    }
    for (ValueId v : g_.outputs) loops[v] = false;
    return loops;
  }
  static bool is_gradient(const Node& node, size_t input) {
    const UpdateLayout layout = UpdateLayout::of(*node.op, Attrs(node.attrs), node.in.size());
    return input >= layout.in(1, 0) && input < layout.in(2, 0);
  }

  const Graph& g_;
  std::vector<uint32_t> uses_;
  std::vector<Sum> sum_;
  bool any_ = false;
};

class Indexer {
 public:
  Indexer(Graph& graph, const Scattered& scattered) : g_(graph), scattered_(scattered), rewriter_(graph) {
    for (const Graph::Input& input : g_.inputs)
      if (input.donated) given_up_.push_back(input.value);
  }

  void run() {
    rewriter_.run([&](Node& node) {
      if (node.out.size() == 1 && scattered_.is_sum(node.out[0])) return take_sum(node);
      if (is_update(node)) return take_update(node);
      if (node.out.size() != 1) return true;
      const ValueId with = rewritten(*node.op, node.in, node.attrs);
      if (with == kNothing) return true;
      rewriter_.replace(node.out[0], with);
      return false;
    });
    drop_dead(g_);
  }

 private:
  struct Part {
    ValueId indices, rows;
  };

  const Aval& aval(ValueId v) const { return g_.values[v]; }
  const Node* spread(ValueId v) const {
    const Node* node = rewriter_.producer(v);
    return node && node->op == &op::spread_rows ? node : nullptr;
  }
  bool is_scalar(ValueId v) const { return aval(v).shape.rank() == 0; }
  ValueId ids_of(const Node& spread) const { return rewriter_.producer(spread.in[1])->in[0]; }

  bool take_sum(const Node& node) {
    std::vector<Part>& parts = parts_[node.out[0]];
    if (node.op == &op::scatter_add) {
      parts = {{node.in[1], node.in[2]}};
    } else {
      parts = parts_.at(node.in[0]);
      const std::vector<Part>& more = parts_.at(node.in[1]);
      parts.insert(parts.end(), more.begin(), more.end());
    }
    if (scattered_.is_part(node.out[0])) return false;
    const Shape table = aval(node.out[0]).shape;  // emitting moves the values
    const Part all = parts.size() == 1 ? parts[0] : joined(parts, table);
    const ValueId ids = rewriter_.emit(op::sum_rows, {all.indices, all.rows}, {table[0]});
    const ValueId sums = rewriter_.producer(ids)->out[1];
    const ValueId places = rewriter_.emit(op::row_places, {ids}, {table[0]});
    rewriter_.replace(node.out[0], rewriter_.emit(op::spread_rows, {sums, places}));
    return false;
  }
  Part joined(const std::vector<Part>& parts, const Shape& table) {
    std::vector<ValueId> indices, rows;
    for (const Part& part : parts) {
      const int64_t count = aval(part.indices).shape.elements().word();
      std::vector<int64_t> flat = {1, count}, wide = {table.rank(), count};
      for (int i = 1; i < table.rank(); ++i) wide.push_back(table[i].word());
      const ValueId list = rewriter_.emit(op::reshape, {part.indices}, flat);
      indices.push_back(aval(list).dtype == i64 ? list
                                                : rewriter_.emit(op::cast, {list}, {static_cast<int64_t>(i64)}));
      rows.push_back(rewriter_.emit(op::reshape, {part.rows}, wide));
    }
    return {rewriter_.emit(op::concat, indices, {0}), rewriter_.emit(op::concat, rows, {0})};
  }

  // The value of such a node made otherwise; kNothing where it stays as it is.
  ValueId rewritten(const OpDef& op, const std::vector<ValueId>& in, const std::vector<int64_t>& attrs) {
    if (op.kind != OpKind::elementwise) return kNothing;
    if (const ValueId result = subtracted(op, in); result != kNothing) return result;
    const Node* first = nullptr;
    std::vector<ValueId> small = in;
    for (ValueId& v : small) {
      const Node* table = spread(v);
      if (!table && is_scalar(v)) continue;
      if (!table || (first && table->in[1] != first->in[1])) return kNothing;
      first = table;
      v = table->in[0];
    }
    if (!first) return kNothing;
    const ValueId places = first->in[1];
    return rewriter_.emit(op::spread_rows, {rewriter_.emit(op, small, attrs), places});
  }

  // table - x, for a table that may be overwritten; and that behind a gate: what is not wanted is a change of 0.
  ValueId subtracted(const OpDef& op, const std::vector<ValueId>& in) {
    if (&op == &op::sub) {
      const Node* change = spread(in[1]);
      if (!change || !(aval(in[0]) == aval(in[1])) || std::ranges::find(given_up_, in[0]) == given_up_.end())
        return kNothing;
      return rewriter_.emit(op::subtract_rows, {in[0], change->in[0], ids_of(*change)});
    }
    if (&op == &op::select && is_scalar(in[0])) {
      const Node* update = rewriter_.producer(in[1]);
      if (!update || update->op != &op::subtract_rows || update->in[0] != in[2]) return kNothing;
      const ValueId rows = update->in[1], ids = update->in[2];
      const ValueId zero = rewriter_.emit(op::constant, {}, {static_cast<int64_t>(aval(rows).dtype), 0});
      return rewriter_.emit(op::subtract_rows, {in[2], rewriter_.emit(op::select, {in[0], rows, zero}), ids});
    }
    return kNothing;
  }

  // Parameters whose gradients are rows come last in an update, with their places. Where no row changes without its
  // gradient they leave it, each in its plain form.
  bool take_update(Node& node) {
    const UpdateLayout layout = UpdateLayout::of(*node.op, Attrs(node.attrs), node.in.size());
    std::vector<size_t> tables, rows;  // by their gradients
    for (size_t i = 0; i < layout.n; ++i) (spread(node.in[layout.in(1, i)]) ? rows : tables).push_back(i);
    if (rows.empty()) return true;
    if (node.op == &op::sgd_update && layout.slots == 0 && !layout.decays) {
      for (size_t i : rows) update_alone(node, layout, i);
      rows.clear();
    }
    if (tables.empty() && rows.empty()) return false;
    Node next{node.op, scalars_of(node, layout), {}, node.attrs, {}};
    next.attrs.back() = static_cast<int64_t>(rows.size());
    std::vector<ValueId> places;
    for (size_t kind = 0; kind < 2 + layout.slots; ++kind)
      for (const std::vector<size_t>* some : {&tables, &rows})
        for (size_t i : *some) {
          const ValueId in = node.in[layout.in(kind, i)];
          const Node* gradient = kind == 1 ? spread(in) : nullptr;
          next.in.push_back(gradient ? gradient->in[0] : in);
          if (gradient) places.push_back(gradient->in[1]);
          if (kind != 1) next.out.push_back(node.out[layout.out(kind, i)]);
        }
    next.in.insert(next.in.end(), places.begin(), places.end());
    node = std::move(next);
    return true;
  }
  static std::vector<ValueId> scalars_of(const Node& node, const UpdateLayout& layout) {
    return {node.in.begin(), node.in.begin() + static_cast<std::ptrdiff_t>(layout.scalars)};
  }
  void update_alone(const Node& node, const UpdateLayout& layout, size_t i) {
    Node alone{node.op, scalars_of(node, layout), {}, node.attrs, {}};
    for (size_t kind = 0; kind < 2 + layout.slots; ++kind) alone.in.push_back(node.in[layout.in(kind, i)]);
    const std::vector<ValueId> out = emit_plain(g_, alone, [&](const Node& step, std::vector<ValueId> in) {
      const ValueId with = rewritten(*step.op, in, step.attrs);
      return with != kNothing ? with : rewriter_.emit(*step.op, std::move(in), step.attrs);
    });
    rewriter_.replace(node.out[layout.out(0, i)], out[0]);
  }

  Graph& g_;
  const Scattered& scattered_;
  Rewriter rewriter_;
  std::vector<ValueId> given_up_;
  std::unordered_map<ValueId, std::vector<Part>> parts_;
};

}  // namespace

bool keep_indexed(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, [](const Node& node) { return node.op == &op::scatter_add; })) return false;
  const Scattered scattered(graph);
  if (!scattered.any()) return false;
  Indexer(graph, scattered).run();
  return true;
}

}  // namespace brio
