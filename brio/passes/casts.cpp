// The casts of all weights before a step are one op: one kernel, where a network has hundreds. Gradients of 16 bits
// go to the optimizer as they are; where it does not take them, their casts are one op too. For devices that have it.
#include <algorithm>
#include <map>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/network/optimizer_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

constexpr uint32_t kNoMaker = ~uint32_t{0};
constexpr size_t kWorthIt = 4;  // casts

class CastsPass {
 public:
  explicit CastsPass(Graph& graph) : g_(graph), reader_(graph.values.size(), kNoMaker), uses_(use_counts(graph)) {
    for (uint32_t n = 0; n < g_.nodes.size(); ++n)
      for (ValueId v : g_.nodes[n].in) reader_[v] = n;
  }
  bool run() {
    std::vector<bool> is_input(g_.values.size(), false);
    for (const Graph::Input& input : g_.inputs) is_input[input.value] = true;
    bool changed = false;
    std::map<Group, std::vector<uint32_t>> groups;
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      const Node& node = g_.nodes[n];
      if (node.op != &op::cast || node.place != 0) continue;
      const DType from = g_.values[node.in[0]].dtype, to = g_.values[node.out[0]].dtype;
      if (!is_floating(from) || !is_floating(to)) continue;
      // Neither kind depends on another of its group: there is no circle.
      const bool of_gradient = only_updates(node.out[0]);
      if (of_gradient && leave_narrow(n)) changed = true;
      else if (of_gradient || is_input[node.in[0]]) groups[{from, to, !of_gradient}].push_back(n);
    }
    for (const auto& [group, nodes] : groups) changed |= merge(group, nodes);
    if (!changed) return false;
    std::erase_if(g_.nodes, [](const Node& node) { return node.op == nullptr; });
    sort_topologically(g_);
    return true;
  }

 private:
  struct Group {
    DType from, to;
    bool of_inputs;
    // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
    auto operator<=>(const Group&) const = default;
  };
  // Is it read by an optimizer alone, under whatever shape?
  bool only_updates(ValueId v) const {
    while (uses_[v] == 1 && reader_[v] != kNoMaker) {
      const Node& reader = g_.nodes[reader_[v]];
      if (reader.op == &op::adam_update || reader.op == &op::sgd_update || reader.op == &op::rmsprop_update)
        return true;
      if (reader.op->kind != OpKind::view || reader.out.size() != 1) return false;
      v = reader.out[0];
    }
    return false;
  }
  // Lets the optimizer that reads a cast's result read what was cast.
  bool leave_narrow(uint32_t n) {
    const ValueId given = g_.nodes[n].in[0], result = g_.nodes[n].out[0];
    const DType narrow = g_.values[given].dtype, wide = g_.values[result].dtype;
    if (wide != f32 || (narrow != f16 && narrow != bf16)) return false;
    std::vector<ValueId> views;  // between the two
    ValueId last = result;
    for (; g_.nodes[reader_[last]].op->kind == OpKind::view; last = views.back())
      views.push_back(g_.nodes[reader_[last]].out[0]);
    const uint32_t first_reader = reader_[result];
    const Node& update = g_.nodes[reader_[last]];
    ValueId& read = *std::ranges::find(g_.nodes[first_reader].in, result);
    const auto set = [&](DType dtype, ValueId from) {
      for (ValueId v : views) g_.values[v].dtype = dtype;
      read = from;
    };
    set(narrow, given);
    if (!target().runs(g_, update)) {
      set(wide, result);
      return false;
    }
    reader_[given] = first_reader;
    g_.nodes[n].op = nullptr;
    return true;
  }
  bool merge(const Group& group, const std::vector<uint32_t>& nodes) {
    if (nodes.size() < kWorthIt) return false;
    Node many{&op::cast_many, {}, {}, {static_cast<int64_t>(group.to)}, {}};
    for (uint32_t n : nodes) {
      many.in.push_back(g_.nodes[n].in[0]);
      many.out.push_back(g_.nodes[n].out[0]);
    }
    if (!target().runs(g_, many)) return false;
    for (uint32_t n : nodes) g_.nodes[n].op = nullptr;
    g_.nodes.push_back(std::move(many));
    return true;
  }

  Graph& g_;
  std::vector<uint32_t> reader_;  // per value: the last node that reads it
  const std::vector<uint32_t> uses_;
};

}  // namespace

bool merge_casts(Graph& graph) { return target().has_own(op::cast_many) && CastsPass(graph).run(); }

}  // namespace brio
