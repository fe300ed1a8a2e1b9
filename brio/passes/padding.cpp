// Zeros around the input of a convolution, or of its gradients, become padding of the convolution itself: the padded
// copy is never made, and its gradient is never cut out of a larger one. So do zeros around what max_pool takes of a
// ReLU: the largest of numbers that are not below 0 does not change with them.
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/convolution.h"
#include "brio/ops/network/pooling.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/pipeline.h"
#include "brio/passes/rewrite.h"

namespace brio {
namespace {

// Where the lists of a convolution's attributes begin: groups, then stride, dilation, low, high and, of gradients,
// size; each has a number for each spatial axis.
struct ConvLists {
  size_t axes;
  explicit ConvLists(const Node& conv) : axes(static_cast<size_t>(conv.attrs[1])) {}
  size_t low(size_t i) const { return item(2, i); }
  size_t high(size_t i) const { return item(3, i); }
  size_t size(size_t i) const { return item(4, i); }
  size_t dilation(size_t i) const { return item(1, i); }

 private:
  size_t item(size_t list, size_t i) const { return 1 + list * (axes + 1) + 1 + i; }
};

struct Border {
  Size low, high;
};

// Widens the padding of a convolution by what surrounds its spatial axes; false where a border reaches over the other
// axes, or where windows would lie in the padding altogether, which not every kernel can do.
bool widen(const Node& conv, const Shape& filter, const std::vector<Border>& borders, std::vector<int64_t>& attrs) {
  const ConvLists lists(conv);
  if (borders.size() != lists.axes + 2) return false;
  for (const Border* outer : {&borders.front(), &borders.back()})
    if (outer->low != 0 || outer->high != 0) return false;
  for (size_t i = 0; i < lists.axes; ++i) {
    const Size reach = (filter[static_cast<int>(i)] - 1) * conv.attrs[lists.dilation(i)] + 1;
    const auto add = [&](size_t at, Size more) {
      const Size sum = Size::of_word(attrs[at]) + more;
      attrs[at] = sum.word();
      return surely_less(sum, reach);
    };
    if (!add(lists.low(i), borders[i + 1].low) || !add(lists.high(i), borders[i + 1].high)) return false;
  }
  return true;
}

class PaddingPass {
 public:
  explicit PaddingPass(Graph& graph) : rewriter_(graph), uses_(use_counts(graph)) {}

  bool run() {
    return rewriter_.run([&](const Node& node) {
      ValueId with = kNothing;
      if (node.op == &op::conv || node.op == &op::conv_filter_grad) with = of_padded(node);
      else if (node.op == &op::slice) with = of_cut(node);
      else if (node.op == &op::max_pool) with = of_pooled(node);
      else if (node.op == &op::select) with = of_pooled_gradient(node);
      if (with == kNothing) return true;
      rewriter_.replace(node.out[0], with);
      return false;
    });
  }

 private:
  // conv(pad(x), filter) and conv_filter_grad(pad(x), cotangent)
  ValueId of_padded(const Node& node) {
    const Node* const pad = rewriter_.producer(node.in[0]);
    if (!pad || pad->op != &op::pad || !is_zero(pad->in[1])) return kNothing;
    const std::vector<Border> borders = borders_of(*pad);
    std::vector<int64_t> wider = node.attrs;
    const Shape& filter = rewriter_.aval(node.op == &op::conv ? node.in[1] : node.out[0]).shape;
    if (!widen(node, filter, borders, wider)) return kNothing;
    return rewriter_.emit(*node.op, {pad->in[0], node.in[1]}, std::move(wider));
  }
  // slice(conv_input_grad(filter, cotangent))
  ValueId of_cut(const Node& node) {
    const Node* const whole = rewriter_.producer(node.in[0]);
    if (!whole || whole->op != &op::conv_input_grad || uses_[node.in[0]] != 1) return kNothing;
    const Attrs attrs(node.attrs);
    const Extents begin = attrs.extents(0), size = attrs.extents(attrs.after_list(0));
    const Shape& shape = rewriter_.aval(node.in[0]).shape;
    std::vector<Border> borders;
    for (size_t i = 0; i < begin.size(); ++i) {
      if (attrs.list(attrs.after_list(attrs.after_list(0)))[i] != 1) return kNothing;
      borders.push_back({begin[i], shape[static_cast<int>(i)] - begin[i] - size[i]});
    }
    std::vector<int64_t> wider = whole->attrs;
    if (!widen(*whole, rewriter_.aval(whole->in[0]).shape, borders, wider)) return kNothing;
    const ConvLists lists(*whole);
    for (size_t i = 0; i < lists.axes; ++i) wider[lists.size(i)] = size[i + 1].word();
    return rewriter_.emit(op::conv_input_grad, whole->in, std::move(wider));
  }
  static std::vector<Border> borders_of(const Node& pad) {
    const Attrs attrs(pad.attrs);
    const Extents low = attrs.extents(0), high = attrs.extents(attrs.after_list(0));
    std::vector<Border> borders;
    for (size_t i = 0; i < low.size(); ++i) borders.push_back({low[i], high[i]});
    return borders;
  }
  // Attributes of a pooling of what `pad` surrounds, over less than a window, with zeros; none where it is no ReLU's.
  std::vector<int64_t> widened_pool(const Node& pool, const Node* pad) const {
    if (!pad || pad->op != &op::pad || !is_zero(pad->in[1])) return {};
    const Node* const relu = rewriter_.producer(pad->in[0]);
    const std::vector<Border> borders = borders_of(*pad);
    const auto axes = static_cast<size_t>(pool.attrs[0]);
    if (!relu || relu->op != &op::relu || borders.size() != axes + 2) return {};
    for (const Border* outer : {&borders.front(), &borders.back()})
      if (outer->low != 0 || outer->high != 0) return {};
    std::vector<int64_t> wider = pool.attrs;
    for (size_t i = 0; i < axes; ++i) {
      const int64_t window = pool.attrs[1 + i];
      const auto add = [&](size_t list, Size more) {
        int64_t& word = wider[list * (axes + 1) + 1 + i];
        const Size sum = Size::of_word(word) + more;
        word = sum.word();
        return surely_less(sum, window);
      };
      if (!add(2, borders[i + 1].low) || !add(3, borders[i + 1].high)) return {};
    }
    return wider;
  }
  ValueId of_pooled(const Node& node) {
    const Node* const pad = rewriter_.producer(node.in[0]);
    std::vector<int64_t> wider = widened_pool(node, pad);
    return wider.empty() ? kNothing : rewriter_.emit(op::max_pool, {pad->in[0]}, std::move(wider));
  }
  // select(relu > 0, slice(max_pool_grad(pad(relu), cotangent)), 0): where a window holds nothing above 0, one takes
  // the gradient to a zero around and the other to one within, and neither lets it pass.
  ValueId of_pooled_gradient(const Node& node) {
    const Node* const cut = rewriter_.producer(node.in[1]);
    if (!cut || cut->op != &op::slice || !is_zero(node.in[2])) return kNothing;
    const Node *const gradient = rewriter_.producer(cut->in[0]), *const mask = rewriter_.producer(node.in[0]);
    if (!gradient || gradient->op != &op::max_pool_grad || !mask || mask->op != &op::greater || !is_zero(mask->in[1]))
      return kNothing;
    const Node* const pad = rewriter_.producer(gradient->in[0]);
    std::vector<int64_t> wider = widened_pool(*gradient, pad);
    if (wider.empty() || mask->in[0] != pad->in[0]) return kNothing;
    // What is cut out is what was surrounded.
    const Attrs attrs(cut->attrs);
    const Extents begin = attrs.extents(0);
    const std::vector<Border> borders = borders_of(*pad);
    if (rewriter_.aval(node.in[1]).shape != rewriter_.aval(pad->in[0]).shape) return kNothing;
    for (size_t i = 0; i < borders.size(); ++i)
      if (begin[i] != borders[i].low || attrs.list(attrs.after_list(attrs.after_list(0)))[i] != 1) return kNothing;
    const ValueId flows = rewriter_.emit(op::max_pool_grad, {pad->in[0], gradient->in[1]}, std::move(wider));
    return rewriter_.emit(op::select, {node.in[0], flows, node.in[2]});
  }
  bool is_zero(ValueId v) const {
    const Node* const p = rewriter_.producer(v);
    return p && p->op == &op::constant && p->attrs[1] == 0;
  }

  Rewriter rewriter_;
  const std::vector<uint32_t> uses_;
};

}  // namespace

bool merge_padding(Graph& graph) {
  const bool has_windows = std::ranges::any_of(graph.nodes, [](const Node& node) {
    return node.op == &op::conv || node.op == &op::conv_filter_grad || node.op == &op::conv_input_grad ||
           node.op == &op::max_pool || node.op == &op::max_pool_grad;
  });
  return has_windows && PaddingPass(graph).run();
}

}  // namespace brio
