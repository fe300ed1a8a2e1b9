// Ops that give the same elements another shape, order or neighbourhood.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef identity, stop_gradient, read_variable, custom_gradient, reshape, broadcast_to, transpose, slice,
    concat, pad;
}

Tensor identity(const Tensor& x);
Tensor stop_gradient(const Tensor& x);
// One dimension may be -1: what is left.
Tensor reshape(const Tensor& x, std::span<const Size> dims);
Tensor reshape(const Tensor& x, std::span<const int64_t> dims);
Tensor reshape(const Tensor& x, std::initializer_list<Size> dims);
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor expand_dims(const Tensor& x, int axis);
Tensor squeeze(const Tensor& x, const std::vector<int>& axes = {});
Tensor broadcast_to(const Tensor& x, const Shape& shape);
Tensor transpose(const Tensor& x, std::vector<int> permutation = {});  // default: reversed
// Elements begin, begin + stride, … before end, per axis; Python's rules for negatives and for what lies outside.
struct Range {
  std::optional<Size> begin = {}, end = {};
  int64_t stride = 1;
};
Tensor slice(const Tensor& x, std::span<const Range> ranges);
Tensor slice(const Tensor& x, std::initializer_list<Range> ranges);
Tensor concat(std::span<const Tensor> parts, int axis);
Tensor concat(std::initializer_list<Tensor> parts, int axis);
struct Padding {
  Size low = 0, high = 0;
};
Tensor pad(const Tensor& x, std::span<const Padding> paddings, Scalar value = 0);
Tensor pad(const Tensor& x, std::initializer_list<Padding> paddings, Scalar value = 0);

Tensor zeros(const Shape& shape, DType dtype = f32);
Tensor ones(const Shape& shape, DType dtype = f32);
Tensor full(const Shape& shape, Scalar value, DType dtype = f32);
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor or_zeros(const Tensor& gradient, const Tensor& value);  // zeros like the value, where there is no gradient

}  // namespace brio
