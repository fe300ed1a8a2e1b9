// Where every value of a plan lives: in an input, in a buffer that the caller receives, in the arena, or nowhere.
#pragma once

#include <vector>

#include "brio/runtime/plan.h"

namespace brio {

struct Location {
  enum class Kind : uint8_t { none, input, fresh, arena, constant };
  Kind kind = Kind::none;
  uint32_t index = 0;  // of the input, the fresh buffer or the constant
  size_t offset = 0;   // bytes
};

struct Placement {
  std::vector<Location> locations;  // per value
  std::vector<size_t> fresh_bytes;
  std::vector<uint64_t> constants;
  size_t scratch_offset = 0;
  PlacementReport report;
};

// `kernels` per node: null for constants and aliases. The rules:
// - An alias shares the bytes of its source.
// - An output takes over the memory of a donated input if that is dead by then, or if the kernel works in place.
//   It does not if a node that may refuse its data still follows: a failed run must leave every input
//   unchanged.
// - Everything else shares the arena by lifetime.
Placement place(const Graph& graph, const std::vector<const Kernel*>& kernels);

inline bool is_constant(const Node& node) { return node.op->kind == OpKind::constant; }
// Whether the node only gives another name to existing bytes. Views do, and slices of whole leading rows.
bool is_alias(const Graph& graph, const Node& node);

}  // namespace brio
