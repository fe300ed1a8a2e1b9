#include "brio/ir/sizes.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/outline.h"
#include "brio/ir/scalar.h"
#include "brio/tensor/equal_sizes.h"

namespace brio {
namespace {

class Filler {
 public:
  Filler(std::span<const Size> symbols, FilledBodies known) : symbols_(symbols), bodies_(std::move(known)) {}

  Graph fill(const Graph& from) {
    Graph graph = from;
    for_each_given(graph, [&](Aval& aval) {
      for (int i = 0; i < aval.shape.rank(); ++i) aval.shape.set(i, aval.shape[i].at(symbols_));
    });
    for (Node& node : graph.nodes) fill(graph, node);
    return graph;
  }

 private:
  void fill(Graph& graph, Node& node) {
    for_each_word(
        node, std::span(node.attrs), [](int64_t) {},
        [&](int64_t& word) { word = Size::of_word(word).at(symbols_).word(); }, [](int64_t) {});
    static const OpDef* const fused = find_op("fused");
    for (auto& body : node.graphs) body = filled(body, node.op != fused);
    number(node);
    const std::vector<Aval> out = infer(graph, node);
    for (size_t i = 0; i < out.size(); ++i) graph.values[node.out[i]] = out[i];
  }

  // A size that became known is a constant.
  static void number(Node& node) {
    static const OpDef *const size = find_op("size"), *const constant = find_op("constant");
    if (node.op != size || !Size::of_word(node.attrs[2]).known()) return;
    const auto bits = Scalar(node.attrs[2]).bits_as(static_cast<DType>(node.attrs[0]));
    node.op = constant;
    node.attrs = {node.attrs[0], static_cast<int64_t>(bits)};
  }

  // Plans of bodies that are planned by themselves are found by the graph, so that there must be one for each size.
  std::shared_ptr<const Graph> filled(const std::shared_ptr<const Graph>& body, bool planned) {
    if (const auto it = bodies_.find(body.get()); it != bodies_.end()) return it->second;
    const bool open = std::ranges::any_of(
        body->inputs, [&](const Graph::Input& input) { return !body->values[input.value].shape.known(); });
    if (!open && count_symbols(*body) == 0) return body;  // as a rule the inputs say
    Graph made = fill(*body);
    return bodies_[body.get()] = planned ? intern(std::move(made)) : std::make_shared<const Graph>(std::move(made));
  }

  std::span<const Size> symbols_;
  FilledBodies bodies_;
};

}  // namespace

Graph with_sizes(const Graph& graph, std::span<const Size> symbols, FilledBodies known) {
  return Filler(symbols, std::move(known)).fill(graph);
}

uint32_t count_symbols(const Graph& graph) {
  uint32_t count = 0;
  const auto look = [&](Size size) { count = std::max(count, size.symbols()); };
  for_each_given(graph, [&](const Aval& aval) { std::ranges::for_each(aval.shape.dims(), look); });
  for (const Node& node : graph.nodes) {
    for_each_word(
        node, std::span(node.attrs), [](int64_t) {}, [&](int64_t word) { look(Size::of_word(word)); },
        [](int64_t) {});
    for (const auto& body : node.graphs) count = std::max(count, count_symbols(*body));
  }
  return count;
}

bool bind_symbols(std::span<const Aval> wanted, std::span<const Tensor> given, std::vector<Size>& sizes) {
  if (wanted.size() != given.size()) return false;
  sizes.clear();
  bool expressions = false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Shape &pattern = wanted[i].shape, &shape = given[i].shape();
    if (wanted[i].dtype != given[i].dtype() || pattern.rank() != shape.rank()) return false;
    for (int axis = 0; axis < pattern.rank(); ++axis) {
      if (pattern[axis].known()) {
        if (!(pattern[axis] == shape[axis])) return false;
        continue;
      }
      const auto symbol = as_symbol(pattern[axis]);
      expressions |= !symbol;
      if (!symbol) continue;
      if (sizes.size() <= *symbol) sizes.resize(*symbol + 1, Size(-1));
      if (sizes[*symbol] == -1) sizes[*symbol] = shape[axis];
      else if (!(sizes[*symbol] == shape[axis])) return false;
    }
  }
  for (size_t i = 0; expressions && i < wanted.size(); ++i)
    for (int axis = 0; axis < wanted[i].shape.rank(); ++axis)
      if (!(wanted[i].shape[axis].at(sizes) == given[i].shape()[axis])) return false;
  return true;
}

std::optional<std::vector<Size>> bind_symbols(std::span<const Aval> wanted, std::span<const Tensor> given) {
  std::vector<Size> sizes;
  return bind_symbols(wanted, given, sizes) ? std::optional(std::move(sizes)) : std::nullopt;
}

}  // namespace brio
