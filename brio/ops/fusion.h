// The op that the planner makes of elementwise chains and reductions.
#pragma once

#include "brio/ir/op.h"

namespace brio::op {

// Its body holds elementwise ops, broadcasts and reductions over one iteration space; reductions are results only.
// spread_rows of two inputs may stand in it: the loop reads the rows where they are.
extern const OpDef fused;

}  // namespace brio::op
