// Graphs that differ only in sizes. This header finds what they have in common, and the sizes and numbers in which
// they may differ.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "brio/ir/graph.h"

namespace brio {

// Calls f(aval) for values without a shape rule: the inputs, and the results of host code.
template <typename G, typename F>
void for_each_given(G& graph, F f) {
  for (const Graph::Input& input : graph.inputs) f(graph.values[input.value]);
  if (graph.host)
    for (const ValueId v : graph.outputs) f(graph.values[v]);
}

// Calls structure(word), extent(word) and constant(bits) for the attributes of a node, in order.
template <typename Word, typename Structure, typename Extent, typename Constant>
void for_each_word(const Node& node, std::span<Word> words, Structure structure, Extent extent, Constant constant) {
  size_t at = 0;
  for (const AttrSpec& spec : node.op->attrs) {
    int64_t count = 1;
    if (is_list(spec.kind)) structure(count = words[at++]);
    for (; count > 0; --count) {
      Word& word = words[at++];
      if (spec.kind == AttrKind::extents) extent(word);
      else if (node.op->kind == OpKind::constant && spec.kind != AttrKind::dtype) constant(word);
      else structure(word);
    }
  }
}

// A graph as three lists: the structure, which all members of its family share; its sizes; the bits of its constants.
// A body is listed where it first occurs.
class Outline {
 public:
  using Bodies = std::vector<std::shared_ptr<const Graph>>;
  // Which constants are numbers that may differ; all others are structure. For plans the constants of bodies are
  // structure: kernels plan bodies separately.
  enum class Numbers : uint8_t { outermost, everywhere };

  explicit Outline(const Graph& graph, Bodies known = {}, Numbers numbers = Numbers::outermost)
      : bodies(std::move(known)), numbers_(numbers) {
    add(graph, true);
  }

  std::vector<uint64_t> structure;
  std::vector<int64_t> extents;
  std::vector<uint64_t> constants;
  Bodies bodies;  // in the order in which they occurred; known ones come first

 private:
  void add(const Graph& graph, bool outermost);
  void put(uint64_t word) { structure.push_back(word); }

  Numbers numbers_;
};

}  // namespace brio
