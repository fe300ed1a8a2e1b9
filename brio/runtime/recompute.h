// Recomputation: a value that is read again much later is made a second time where it is read, so that its bytes are
// free in between. The same nodes run again on the same inputs, so every result keeps its bits.
#pragma once

#include <cstddef>

#include "brio/ir/graph.h"

namespace brio {

struct Recomputed {
  size_t alive_before = 0, alive_after = 0;  // most bytes of the arena alive at once, as the order of the nodes tells
  size_t nodes = 0;                          // that run a second time
  double work = 0;                           // theirs, as a share of that of the graph before
};

// Repeats nodes of an optimised graph whose sizes are known until no more than `bytes` are alive at once, or until
// nothing helps any more. Which values go is decided by the bytes that it frees for the work that it costs.
Recomputed recompute_within(Graph& graph, size_t bytes);

}  // namespace brio
