// Reading and writing at positions that integers give.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef gather, scatter_add, one_hot;
}

// The slices of `params` at `indices` (int32 or int64) along an axis: params[:axis] + indices.shape +
// params[axis+1:]. An index outside of [0, size) is an error during the run: negative ones do not count from the end,
// as in TensorFlow.
Tensor gather(const Tensor& params, const Tensor& indices, int axis = 0);
// `base` with `updates` (of gather's shape) added at the indices; repeated indices are added in their order.
Tensor scatter_add(const Tensor& base, const Tensor& indices, const Tensor& updates, int axis = 0);
// A new axis of size `depth` with 1 at the index and 0 elsewhere; an index outside of it gives only zeros.
Tensor one_hot(const Tensor& indices, int64_t depth, DType dtype = f32, int axis = -1);

// For kernels: throws InvalidArgument for the first index outside of the axis.
void check_indices(const OpDef& op, const Shape& params, int64_t axis, DType index_dtype, const void* indices,
                   int64_t count);
[[noreturn]] void throw_bad_index(const OpDef& op, const Shape& params, int64_t axis, int64_t index,
                                  int64_t position);
inline int64_t one_hot_axis(Attrs attrs) { return attrs[2]; }

}  // namespace brio
