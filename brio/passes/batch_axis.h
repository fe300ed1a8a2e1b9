// Turns a graph over one sample into a graph over a batch of samples, along a new first axis. It is not part of the
// pipeline: functions over samples use it to run once for many (Dataset::map before batch). An op has a rule only if
// every sample gets the same bits as alone.
#pragma once

#include "brio/ir/graph.h"

namespace brio {

// The first `samples` inputs of the graph get an axis of n in front, and so does every output; the other inputs stay.
// Throws InvalidArgument, naming the op, if there is no rule.
Graph with_batch_axis(const Graph& graph, size_t samples, int64_t n);

}  // namespace brio
