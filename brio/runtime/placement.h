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
// - an alias shares its source's bytes;
// - an output takes over the memory of a donated input when that is dead by then (or the kernel works in place),
// unless a
//   node that may refuse its data still follows: a failed run must leave every input as it was;
// - everything else shares the arena by lifetime.
Placement place(const Graph& graph, const std::vector<const Kernel*>& kernels);

inline bool is_constant(const Node& node) { return node.op->kind == OpKind::constant; }
// Does the node only give another name to bytes that are there? Views do, and slices of whole leading rows.
bool is_alias(const Graph& graph, const Node& node);

}  // namespace brio
