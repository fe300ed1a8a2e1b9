// The ops that the planner makes from elementwise chains and reductions, a concat of slices, and many casts.
#pragma once

#include "brio/ir/op.h"

namespace brio {

namespace op {
// The body holds elementwise ops, broadcasts and reductions over one iteration space; reductions are results only.
// It may hold a spread_rows of two inputs: the loop reads the rows where they are.
// Or it holds views and, last, one concat, which is its result: every part is copied once.
extern const OpDef fused;
// Casts many tensors of one dtype to another: weights before a step, gradients after it.
extern const OpDef cast_many;
}  // namespace op

// Whether its results are elements of its input at fixed strides: slice, transpose, broadcast_to.
bool is_view(const OpDef& op);
// Whether a body of `fused` is a concat, of views or not.
bool is_concat(const Graph& body);

}  // namespace brio
