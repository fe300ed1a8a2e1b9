// Recomputation: a value that is read again much later is computed a second time where it is read, so its bytes are
// free in between. The same nodes run again on the same inputs, so every result keeps its bits.
#pragma once

#include <cstddef>

#include "brio/ir/graph.h"

namespace brio {

struct Recomputed {
  size_t alive_before = 0, alive_after = 0;  // most bytes of the arena alive at once, by the order of the nodes
  size_t nodes = 0;                          // that run a second time
  double work = 0;                           // of these nodes, as a share of the work of the original graph
};

// Repeats nodes of an optimised graph with known sizes until at most `bytes` are alive at once, or until nothing
// helps any more. Values that free the most bytes per added work go first.
Recomputed recompute_within(Graph& graph, size_t bytes);

}  // namespace brio
