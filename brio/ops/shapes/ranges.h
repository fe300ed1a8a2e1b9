// Tensors made of positions: ranges, grids, masks.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef iota, size;
}

// 0, 1, …, size - 1. A narrow dtype wraps or rounds.
Tensor iota(Size size, DType dtype = i64);
// For counting up to size: int32, which is faster, where it can.
inline DType counter_dtype(Size size) { return surely_less(size, int64_t{1} << 31) ? i32 : i64; }
// start, start + delta, … before limit. Of integers int32 and of others float32, unless a dtype is given.
Tensor range(Scalar start, Scalar limit, Scalar delta = 1, std::optional<DType> dtype = {});
Tensor range(Scalar limit);
// `num` numbers from start to stop, both included, along a new axis.
Tensor linspace(const Tensor& start, const Tensor& stop, int64_t num, int axis = 0);
Tensor linspace(Scalar start, Scalar stop, int64_t num, DType dtype = f32);
// Each of the vectors (or scalars) along an axis of its own, repeated along the others. Indexing is "xy" (the first
// two axes swapped) or "ij".
std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, std::string_view indexing = "xy");
Tensor eye(Size rows, Size columns = -1, DType dtype = f32, const Shape& batch = {});
// A new last axis of size maxlen: true at positions below the length. Without maxlen it is the largest length, which
// is read now.
Tensor sequence_mask(const Tensor& lengths, std::optional<int64_t> maxlen = {}, DType dtype = boolean);
// 1 at the index along a new axis, as one_hot, with other numbers than 1 and 0.
Tensor one_hot(const Tensor& indices, int64_t depth, Scalar on_value, Scalar off_value, DType dtype = f32,
               int axis = -1);

}  // namespace brio
