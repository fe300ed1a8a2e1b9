// A graph over one sample as a graph over a batch of samples, along a new first axis: no pass of the pipeline, but
// how functions over samples are run once for many (Dataset::map before batch). Only what gives every sample the bits
// that it would get alone has a rule.
#pragma once

#include "brio/ir/graph.h"

namespace brio {

// The first `samples` inputs of the graph get an axis of n in front, and so does every output; the other inputs stay
// as they are. Throws InvalidArgument, naming the op, where there is no rule.
Graph with_batch_axis(const Graph& graph, size_t samples, int64_t n);

}  // namespace brio
