// Bias, ReLU and pooling become one op, which keeps the number of the element that a window took; so does the way
// back. If the convolution before them has a kernel that pools its own result, this result is never written. The
// gradients of filter and bias come from the pooled one; if the gradient of the convolution's input is not needed,
// that of its result is not written either. Other max poolings keep the element numbers for their gradients. All of
// this only if the target has kernels for it.
#include <algorithm>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/conv_pool.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

constexpr uint32_t kNobody = ~uint32_t{0};

// The lists of max_pool's attributes.
struct PoolLists {
  std::span<const int64_t> window, stride;
  bool padded = false;
  explicit PoolLists(Attrs attrs) : window(attrs.list(0)) {
    size_t at = attrs.after_list(0);
    stride = attrs.list(at);
    for (at = attrs.after_list(at); at < attrs.words().size(); at = attrs.after_list(at))
      for (int64_t word : attrs.list(at)) padded |= word != 0;
  }
  bool are_side_by_side() const {
    int64_t taps = 1;
    for (int64_t size : window) taps = std::min<int64_t>(taps * size, kMostPooled + 1);
    return !padded && taps <= kMostPooled && std::ranges::equal(window, stride);
  }
};

class PoolingPass {
 public:
  explicit PoolingPass(Graph& graph) : g_(graph) {}

  void run() {
    index();
    bool changed = false;
    const size_t count = g_.nodes.size();
    for (uint32_t n = 0; n < count; ++n)
      if (g_.nodes[n].op == &op::max_pool) changed |= fuse_pool(n);
    if (!changed) return;
    finish();
    index();
    for (uint32_t n = 0; n < g_.nodes.size(); ++n)
      if (g_.nodes[n].op == &op::relu_pool) fuse_convolution(n);
    finish();
  }

 private:
  void index() {
    maker_.assign(g_.values.size(), kNobody);
    readers_.assign(g_.values.size(), {});
    for (uint32_t n = 0; n < g_.nodes.size(); ++n) {
      for (ValueId v : g_.nodes[n].out) maker_[v] = n;
      for (ValueId v : g_.nodes[n].in) readers_[v].push_back(n);
    }
    for (ValueId v : g_.outputs) readers_[v].push_back(kNobody);
  }
  void finish() {
    std::erase_if(g_.nodes, [](const Node& node) { return node.op == nullptr; });
    sort_topologically(g_);
    drop_dead(g_);
  }
  const Node* maker(ValueId v, const OpDef& op) const {
    return maker_[v] != kNobody && g_.nodes[maker_[v]].op == &op ? &g_.nodes[maker_[v]] : nullptr;
  }
  Node* reader(uint32_t n, const OpDef& op) { return n != kNobody && g_.nodes[n].op == &op ? &g_.nodes[n] : nullptr; }
  bool is_zero(ValueId v) const {
    const Node* const p = maker(v, op::constant);
    return p && p->attrs[1] == 0;
  }

  // relu(y + bias), pooled; and select(relu(…) > 0, max_pool_grad(relu(…), cotangent), 0).
  bool fuse_pool(uint32_t n) {
    const ValueId activated = g_.nodes[n].in[0];
    const PoolLists lists(Attrs(g_.nodes[n].attrs));
    const Node* const relu = maker(activated, op::relu);
    if (!relu || !is_floating(g_.values[activated].dtype) || !lists.are_side_by_side()) return false;
    const Node* const sum = maker(relu->in[0], op::add);
    if (!sum || readers_[relu->in[0]].size() != 1) return false;
    const Shape shape = g_.values[activated].shape;
    const auto is_bias = [&](ValueId v) {
      return g_.values[v].shape.rank() == 1 && g_.values[v].shape[0] == shape[shape.rank() - 1];
    };
    const size_t k = is_bias(sum->in[1]) ? 1 : 0;
    const ValueId bias = sum->in[k], y = sum->in[1 - k];
    if (!is_bias(bias) || g_.values[y].shape != shape) return false;

    Node *gradient = nullptr, *mask = nullptr, *masked = nullptr;
    for (uint32_t each : readers_[activated]) {
      if (each == n) continue;
      if (Node* const grad = reader(each, op::max_pool_grad);
          grad && !gradient && grad->in[0] == activated && grad->attrs == g_.nodes[n].attrs)
        gradient = grad;
      else if (Node* const greater = reader(each, op::greater);
               greater && !mask && greater->in[0] == activated && is_zero(greater->in[1]))
        mask = greater;
      else return false;
    }
    if ((gradient == nullptr) != (mask == nullptr)) return false;
    if (gradient) {
      if (gradient->in[1] == activated) return false;
      const auto &of_gradient = readers_[gradient->out[0]], &of_mask = readers_[mask->out[0]];
      if (of_gradient.size() != 1 || of_mask != of_gradient) return false;
      masked = reader(of_gradient[0], op::select);
      if (!masked || masked->in[0] != mask->out[0] || masked->in[1] != gradient->out[0] || !is_zero(masked->in[2]))
        return false;
    }

    Node& pool = g_.nodes[n];
    std::vector<int64_t> window;
    append_list(window, lists.window);
    const ValueId which = g_.add_value({g_.values[pool.out[0]].shape, u8});
    Node fused{&op::relu_pool, {y, bias}, {pool.out[0], which}, window, {}};
    if (!target().prefers(g_, fused)) return false;
    if (masked) {
      append_list(window, std::span(shape.begin() + 1, shape.end() - 1));
      Node back{&op::relu_pool_grad, {which, gradient->in[1]}, masked->out, std::move(window), {}};
      if (!target().prefers(g_, back)) return false;
      *masked = std::move(back);
      gradient->op = mask->op = nullptr;
    }
    pool = std::move(fused);
    return true;
  }

  // conv, then relu_pool; and conv_filter_grad and the sum for the bias of what relu_pool_grad gives.
  void fuse_convolution(uint32_t n) {
    Node& pool = g_.nodes[n];
    const Node* const conv = maker(pool.in[0], op::conv);
    if (!conv || readers_[pool.in[0]].size() != 1) return;
    std::vector<int64_t> attrs = conv->attrs;
    attrs.insert(attrs.end(), pool.attrs.begin(), pool.attrs.end());
    Node fused{&op::conv_relu_pool, {conv->in[0], conv->in[1], pool.in[1]}, pool.out, std::move(attrs), {}};
    if (!target().prefers(g_, fused)) return;
    for (uint32_t each : readers_[pool.out[1]])
      if (Node* const unpool = reader(each, op::relu_pool_grad)) fuse_gradient(*unpool, *conv);
    pool = std::move(fused);
  }
  void fuse_gradient(Node& unpool, const Node& conv) {
    Node *filter = nullptr, *sum = nullptr;
    bool others = false;  // the gradient of its input, above all
    const ValueId flows = unpool.out[0];
    for (uint32_t each : readers_[flows]) {
      if (Node* const grad = reader(each, op::conv_filter_grad); grad && !filter && is_of(*grad, conv)) filter = grad;
      else if (Node* const total = reader(each, op::reduce_sum); total && !sum && is_over_pixels(*total)) sum = total;
      else others = true;
    }
    if (!filter) return;
    const Shape& y = g_.values[flows].shape;
    const Aval bias{Shape{y[y.rank() - 1]}, g_.values[flows].dtype};
    std::vector<int64_t> attrs = filter->attrs;
    append_list(attrs, Attrs(unpool.attrs).list(0));
    Node fused{&op::conv_relu_pool_grad,
               {conv.in[0], unpool.in[0], unpool.in[1]},
               {filter->out[0], sum ? sum->out[0] : g_.add_value(bias)},
               std::move(attrs),
               {}};
    if (!target().prefers(g_, fused)) return;
    if (sum) sum->op = nullptr;
    *filter = std::move(fused);
    if (!others) unpool.op = nullptr;
  }
  // The gradient of this convolution by its filter?
  bool is_of(const Node& gradient, const Node& conv) const {
    return gradient.in[0] == conv.in[0] &&
           std::ranges::equal(conv.attrs, std::span(gradient.attrs).first(conv.attrs.size())) &&
           g_.values[gradient.out[0]].shape == g_.values[conv.in[1]].shape;
  }
  bool is_over_pixels(const Node& sum) const {
    const int rank = g_.values[sum.in[0]].shape.rank();
    return sum.attrs[0] == 0 && reduced_axes(Attrs(sum.attrs)) == (1u << (rank - 1)) - 1;
  }

  Graph& g_;
  std::vector<uint32_t> maker_;                 // per value: its node
  std::vector<std::vector<uint32_t>> readers_;  // per value: nodes, and kNobody for an output of the graph
};

// What is left: a maximum and its gradient look for the same elements. The first keeps which they were.
void keep_taken(Graph& graph) {
  if (!target().has_own(op::max_pool_with_taken)) return;
  for (Node& gradient : graph.nodes) {
    if (gradient.op != &op::max_pool_grad) continue;
    const auto same = [&](const Node& node) {
      return (node.op == &op::max_pool || node.op == &op::max_pool_with_taken) && node.in[0] == gradient.in[0] &&
             node.attrs == gradient.attrs;
    };
    const auto pool = std::ranges::find_if(graph.nodes, same);
    if (pool == graph.nodes.end()) continue;
    int64_t taps = 1;
    for (int64_t size : Attrs(pool->attrs).list(0)) taps = std::min<int64_t>(taps * size, kMostTaken + 1);
    if (taps > kMostTaken) continue;
    if (pool->op == &op::max_pool) {
      const Shape pooled = graph.values[pool->out[0]].shape;  // values move when one is added
      Node keeping{
          &op::max_pool_with_taken, pool->in, {pool->out[0], graph.add_value({pooled, u8})}, pool->attrs, {}};
      if (!target().runs(graph, keeping)) continue;
      *pool = std::move(keeping);
    }
    const Shape& x = graph.values[gradient.in[0]].shape;
    std::vector<int64_t> attrs = gradient.attrs;
    append_list(attrs, std::span(x.begin() + 1, x.end() - 1));
    Node from{&op::max_pool_grad_from_taken, {pool->out[1], gradient.in[1]}, gradient.out, std::move(attrs), {}};
    if (target().runs(graph, from)) gradient = std::move(from);
  }
  sort_topologically(graph);
}

}  // namespace

bool fuse_pooling(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, [](const Node& node) { return node.op == &op::max_pool; })) return false;
  PoolingPass(graph).run();
  keep_taken(graph);
  return true;
}

}  // namespace brio
