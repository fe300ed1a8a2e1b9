// The body of a loop for some of the rows of its batch: no pass of the pipeline, but how a scan lets each thread walk
// along the sequence with rows of its own. Only what gives every row what it would get among the others has a rule.
#pragma once

#include <optional>

#include "brio/ir/graph.h"

namespace brio {

// The first `walked` inputs of the graph, and every output, have an axis of one size in front: the rows. The graph
// with `rows` in its place; none where a row's results are not a function of that row and of what is the same for
// all.
std::optional<Graph> for_some_rows(const Graph& graph, size_t walked, int64_t rows);

}  // namespace brio
