// The op that the planner makes of elementwise chains and reductions.
#pragma once

#include "brio/ir/op.h"

namespace brio::op {

// Its body holds elementwise ops, broadcasts and reductions over one iteration space; reductions are results only.
extern const OpDef fused;

}  // namespace brio::op
