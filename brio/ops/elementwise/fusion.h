// The ops that the planner makes of elementwise chains and reductions, of a concat of slices, and of many casts.
#pragma once

#include "brio/ir/op.h"

namespace brio {

namespace op {
// Its body holds elementwise ops, broadcasts and reductions over one iteration space; reductions are results only.
// spread_rows of two inputs may stand in it: the loop reads the rows where they are.
// Or it holds views and, last, one concat, which is its result: every part is copied once.
extern const OpDef fused;
// Many tensors of one dtype in another: weights before a step, gradients behind it.
extern const OpDef cast_many;
}  // namespace op

// Are its results elements of its input at fixed strides: slice, transpose, broadcast_to?
bool is_view(const OpDef& op);
// Of a body of `fused`: is it a concat, of views or not?
bool is_concat(const Graph& body);

}  // namespace brio
