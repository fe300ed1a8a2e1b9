// Reading and writing at points: the last axis of the indices (int32 or int64) is a position in the first axes of a
// tensor, or in those after batch_dims axes that both share. A position outside is an error during the run. Writes
// happen in the order of the indices.
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef gather_nd, tensor_scatter_update, tensor_scatter_add, tensor_scatter_max, tensor_scatter_min,
    tensor_scatter_mul;
}

// The slices at the indices: indices.shape[:-1] + params.shape[depth:], where depth = indices.shape[-1]. The first
// batch_dims axes of both run together.
Tensor gather_nd(const Tensor& params, const Tensor& indices, int batch_dims = 0);
// gather (indexing.h) where the first batch_dims axes of both run together: params[:axis] + indices[batch_dims:] +
// params[axis+1:].
Tensor gather(const Tensor& params, const Tensor& indices, int axis, int batch_dims);
// out[i, …] = x[indices[i, …], …] along the axis; the other axes are broadcast. Negative indices count from the end.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis = -1);

// `tensor` with the updates, of gather_nd's shape, at the indices. Of two updates at one position the last one wins.
Tensor tensor_scatter_nd_update(const Tensor& tensor, const Tensor& indices, const Tensor& updates);
Tensor tensor_scatter_nd_add(const Tensor& tensor, const Tensor& indices, const Tensor& updates);
Tensor tensor_scatter_nd_sub(const Tensor& tensor, const Tensor& indices, const Tensor& updates);
Tensor tensor_scatter_nd_max(const Tensor& tensor, const Tensor& indices, const Tensor& updates);
Tensor tensor_scatter_nd_min(const Tensor& tensor, const Tensor& indices, const Tensor& updates);
// Zeros of this shape with the updates added.
Tensor scatter_nd(const Tensor& indices, const Tensor& updates, const Shape& shape);

// The same ops, ignoring positions with a negative index: nothing is written there, zeros are read.
Tensor scatter_where_not_negative(const OpDef& op, const Tensor& tensor, const Tensor& indices,
                                  const Tensor& updates);

// For kernels: how indices (input 1) address the tensor (input 0), seen as places of `slice` elements each.
struct NdIndices {
  NdIndices(const OpDef& op, const Aval& tensor, const Aval& indices, Attrs attrs);
  int64_t count, slice = 1;
  // The place for position i of the indices; -1: left out. Throws InvalidArgument for a position outside.
  int64_t place(const void* indices, int64_t i) const;
  // Those of positions begin … end, to places[begin] … on.
  void places(const void* indices, int64_t begin, int64_t end, int64_t* places) const;

 private:
  [[noreturn]] void refuse(const void* indices, int64_t i) const;

  const OpDef& op_;
  Shape shape_;
  DType dtype_;
  int batch_dims_, depth_;
  int64_t points_per_batch_, places_per_batch_ = 1;
  bool skips_negative_;
};

}  // namespace brio
