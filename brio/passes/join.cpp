// A concat of slices, transposes and broadcasts that nothing else reads becomes one `fused` node: each part is copied
// once, from its source to its place, instead of twice.
#include <algorithm>

#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

class Joiner {
 public:
  explicit Joiner(Graph& graph) : g_(graph), uses_(use_counts(graph)), producer_(graph.values.size(), nullptr) {
    for (const Node& node : g_.nodes)
      for (ValueId v : node.out) producer_[v] = &node;
  }

  bool run() {
    bool changed = false;
    for (Node& node : g_.nodes) {
      const auto reads_view = [&](ValueId v) { return view(v) != nullptr; };
      if (node.op != &op::concat || std::ranges::none_of(node.in, reads_view)) continue;
      Node made = joined(node);
      if (!target().fuses(g_, node) || !target().runs(g_, made)) continue;
      node = std::move(made);
      changed = true;
    }
    if (changed) drop_dead(g_);
    return changed;
  }

 private:
  // The view that makes a value for one reader alone, or null.
  const Node* view(ValueId v) const {
    const Node* node = producer_[v];
    return node && uses_[v] == 1 && is_view(*node->op) ? node : nullptr;
  }

  Node joined(const Node& concat) {
    Graph body;
    Node result{&op::fused, {}, concat.out, {}, {}}, last{&op::concat, {}, {}, concat.attrs, {}};
    for (ValueId v : concat.in) {
      std::vector<const Node*> views;  // the last one first
      for (; view(v); v = views.back()->in[0]) views.push_back(view(v));
      const auto known = std::ranges::find(result.in, v);
      ValueId inside;
      if (known == result.in.end()) {
        inside = body.add_input(g_.values[v]);
        result.in.push_back(v);
      } else {
        inside = body.inputs[static_cast<size_t>(known - result.in.begin())].value;
      }
      for (auto node = views.rbegin(); node != views.rend(); ++node) {
        body.nodes.push_back(
            {(*node)->op, {inside}, {body.add_value(g_.values[(*node)->out[0]])}, (*node)->attrs, {}});
        inside = body.nodes.back().out[0];
      }
      last.in.push_back(inside);
    }
    last.out.push_back(body.add_value(g_.values[concat.out[0]]));
    body.outputs = last.out;
    body.nodes.push_back(std::move(last));
    result.graphs.push_back(std::make_shared<const Graph>(std::move(body)));
    return result;
  }

  Graph& g_;
  std::vector<uint32_t> uses_;
  std::vector<const Node*> producer_;
};

}  // namespace

bool join_views(Graph& graph) { return Joiner(graph).run(); }

}  // namespace brio
