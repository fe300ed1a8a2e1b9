// The body of a loop for some rows of its batch. It is not part of the pipeline: with it, each thread of a scan walks
// along the sequence with its own rows. An op has a rule only if no row's result depends on the others.
#pragma once

#include <optional>

#include "brio/ir/graph.h"

namespace brio {

// The first `walked` inputs of the graph, and every output, have the rows as first axis. Returns the graph for
// `rows` rows; none if a row's results do not depend only on that row and on values that are the same for all
// rows.
std::optional<Graph> for_some_rows(const Graph& graph, size_t walked, int64_t rows);

}  // namespace brio
