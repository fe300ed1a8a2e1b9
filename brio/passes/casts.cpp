// The casts of all weights before a step are one op, and so are those of all gradients before the optimizer takes
// them: one kernel each, where a network has hundreds. For devices that have it.
#include <algorithm>
#include <map>

#include "brio/ops/elementwise.h"
#include "brio/ops/fusion.h"
#include "brio/ops/optimizer_ops.h"
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
    std::map<Group, std::vector<uint32_t>> groups;
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      const Node& node = g_.nodes[n];
      if (node.op != &op::cast || node.place != 0) continue;
      const DType from = g_.values[node.in[0]].dtype, to = g_.values[node.out[0]].dtype;
      if (!is_floating(from) || !is_floating(to)) continue;
      // Neither kind depends on another of its group: there is no circle.
      if (is_input[node.in[0]]) groups[{from, to, true}].push_back(n);
      else if (only_updates(node.out[0])) groups[{from, to, false}].push_back(n);
    }
    bool changed = false;
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
