// Order along an axis: positions of the largest, sorting, searching. Sorting treats NaN as the largest number; argmax
// and argmin ignore it.
#pragma once

#include <utility>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef argmax, argmin, top_k, searchsorted;
}

// Position (int32 or int64) of the first of the largest or smallest elements.
Tensor argmax(const Tensor& x, int axis = 0, DType dtype = i64);
Tensor argmin(const Tensor& x, int axis = 0, DType dtype = i64);

enum class Direction : uint8_t { ascending, descending };
// Of equal elements the one with the lower index comes first, in either direction.
Tensor sort(const Tensor& x, int axis = -1, Direction direction = Direction::ascending);
Tensor argsort(const Tensor& x, int axis = -1, Direction direction = Direction::ascending);  // int32
struct TopK {
  Tensor values, indices;  // indices are int32
};
// The k largest of the last axis, largest first.
TopK top_k(const Tensor& x, int64_t k = 1);

enum class Side : uint8_t { left, right };
// The position at which each value would be inserted in the last axis, which is sorted: before (left) or behind
// (right) equal elements. The other axes of both are the same.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, Side side = Side::left, DType dtype = i32);

// For each row of predictions: whether fewer than k are larger than that at the target. False for a target out of
// range, or a row that is not finite.
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);

// For kernels: whether a comes before b. NaN is the largest.
template <typename T>
bool sorts_before(T a, T b, bool ascending) {
  const bool a_nan = a != a, b_nan = b != b;
  if (a_nan || b_nan) return ascending ? !a_nan && b_nan : a_nan && !b_nan;
  return ascending ? a < b : a > b;
}
// Attributes, for kernels.
inline bool top_k_ascending(Attrs attrs) { return attrs[0] != 0; }
inline bool searches_right(Attrs attrs) { return attrs[0] != 0; }

}  // namespace brio
