// The node of shuffle(), for those who bring a clock of their own.
#pragma once

#include "brio/data/dataset.h"
#include "brio/data/engine/read_costs.h"

namespace brio::data {

NodePtr shuffled(NodePtr input, int64_t buffer_size, ShuffleOptions options, ReadClock clock = steady_seconds);

}  // namespace brio::data
