// Tensors repeated, turned, cut and put together: composed of reshape, transpose, slice, concat and broadcast_to.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "brio/ir/tensor.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {

// The whole tensor `multiples[i]` times along axis i.
Tensor tile(const Tensor& x, std::span<const Size> multiples);
Tensor tile(const Tensor& x, std::span<const int64_t> multiples);
Tensor tile(const Tensor& x, std::initializer_list<Size> multiples);
// Every element along an axis so many times; without an axis, of the flat tensor.
Tensor repeat(const Tensor& x, Size times, std::optional<int> axis = {});
Tensor repeat(const Tensor& x, const std::vector<int64_t>& times, std::optional<int> axis = {});
Tensor repeat(const Tensor& x, const Tensor& times, std::optional<int> axis = {});  // reads `times` now

Tensor reverse(const Tensor& x, const std::vector<int>& axes);
Tensor flip(const Tensor& x, const std::vector<int>& axes = {});  // default: all of them
// Elements move up by shifts[i] along axes[i]; those that leave come in again at the other end.
Tensor roll(const Tensor& x, const std::vector<int64_t>& shifts, const std::vector<int>& axes);
Tensor rot90(const Tensor& x, int k = 1, int first = 0, int second = 1);  // from the first axis towards the second
Tensor swapaxes(const Tensor& x, int a, int b);
Tensor moveaxis(const Tensor& x, int source, int destination);

// Padding with what lies inside, mirrored at the edge: without (reflect) or with (symmetric) the edge itself.
enum class Mirror : uint8_t { reflect, symmetric };
Tensor pad(const Tensor& x, std::span<const Padding> paddings, Mirror mirror);
Tensor pad(const Tensor& x, std::initializer_list<Padding> paddings, Mirror mirror);

std::vector<Tensor> split(const Tensor& x, int64_t parts, int axis = 0);
std::vector<Tensor> split(const Tensor& x, std::span<const Size> sizes, int axis = 0);  // one may be -1
std::vector<Tensor> split(const Tensor& x, const std::vector<int64_t>& sizes, int axis = 0);
Tensor stack(std::span<const Tensor> parts, int axis = 0);
Tensor stack(std::initializer_list<Tensor> parts, int axis = 0);
std::vector<Tensor> unstack(const Tensor& x, int axis = 0);

// Blocks of block × block pixels of images [batch, height, width, channels] become channels, and back.
Tensor space_to_depth(const Tensor& x, int64_t block);
Tensor depth_to_space(const Tensor& x, int64_t block);
// Blocks of the axes behind the first, padded or cropped, become batches, and back.
Tensor space_to_batch(const Tensor& x, const std::vector<int64_t>& block, const std::vector<Padding>& paddings);
Tensor batch_to_space(const Tensor& x, const std::vector<int64_t>& block, const std::vector<Padding>& crops);

Shape broadcast_static_shape(const Shape& a, const Shape& b);  // throws InvalidArgument

}  // namespace brio
