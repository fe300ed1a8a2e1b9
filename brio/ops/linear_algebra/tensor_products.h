// Products of tensors over chosen axes, composed of matmul and elementwise ops.
#pragma once

#include <span>
#include <vector>

#include "brio/ir/tensor.h"

namespace brio {

// Sums over the last `axes` axes of a with the first of b; or over the listed axes, the i-th of a with the i-th of b.
Tensor tensordot(const Tensor& a, const Tensor& b, int axes = 2);
Tensor tensordot(const Tensor& a, const Tensor& b, const std::vector<int>& a_axes, const std::vector<int>& b_axes);
// Sum of products along one axis; the others broadcast.
Tensor vecdot(const Tensor& a, const Tensor& b, int axis = -1);
// Sum of products of all elements, whatever the shapes; they have as many.
Tensor vdot(const Tensor& a, const Tensor& b);
// Over the last axes of both: a.shape[:-1] + b.shape[:-1]. A scalar multiplies.
Tensor inner(const Tensor& a, const Tensor& b);
// Every element of a times every element of b, both seen as flat: [size of a, size of b].
Tensor outer(const Tensor& a, const Tensor& b);
// Of vectors of length 3 along the last axis; the others broadcast.
Tensor cross(const Tensor& a, const Tensor& b);
// Every element of a times all of b, as blocks. The shorter shape is filled with 1 in front.
Tensor kron(const Tensor& a, const Tensor& b);
// The product of matrices (the first and last may be vectors) in the order that multiplies least.
Tensor multi_dot(std::span<const Tensor> matrices);
Tensor multi_dot(std::initializer_list<Tensor> matrices);

}  // namespace brio
