#include "brio/ir/outline.h"

#include <algorithm>

namespace brio {

void Outline::add(const Graph& graph, bool outermost) {
  for (const Graph::Input& input : graph.inputs) put(input.donated);
  for_each_given(graph, [&](const Aval& aval) {
    put(static_cast<uint64_t>(aval.dtype) << 8 | static_cast<uint64_t>(aval.shape.rank()));
    for (const Size size : aval.shape) extents.push_back(size.word());
  });
  for (const Node& node : graph.nodes) {
    put(reinterpret_cast<uintptr_t>(node.op));
    put(uint64_t{node.place} << 56 | node.in.size() << 32 | node.out.size());
    for (ValueId v : node.in) put(v);
    for (ValueId v : node.out) put(v);
    const auto put_word = [&](int64_t word) { put(static_cast<uint64_t>(word)); };
    for_each_word(
        node, std::span(node.attrs), put_word, [&](int64_t extent) { extents.push_back(extent); },
        [&](int64_t bits) {
          if (outermost || numbers_ == Numbers::everywhere) constants.push_back(static_cast<uint64_t>(bits));
          else put_word(bits);
        });
    for (const auto& body : node.graphs) {
      const auto it = std::ranges::find(bodies, body);
      put(static_cast<uint64_t>(it - bodies.begin()));
      if (it != bodies.end()) continue;
      bodies.push_back(body);
      add(*body, false);
    }
  }
  put(~uint64_t{0});
  structure.insert(structure.end(), graph.outputs.begin(), graph.outputs.end());
}

}  // namespace brio
