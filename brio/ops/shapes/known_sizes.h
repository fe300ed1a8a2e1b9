// Sizes that a tensor of integers holds, while a function is traced: tf.shape(x), and what is computed of it, can be
// given where a shape is asked for.
//
//   reshape(y, *known_sizes(sizes_tensor(x.shape().dims(), i32) * 2))
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "brio/ir/tensor.h"

namespace brio {

// Of a tensor of a few integers, each a number or an expression; none where a value is not known before the run.
std::optional<std::vector<Size>> known_sizes(const Tensor& x);

// The vector of these sizes. Those that are not known will be, when it is computed.
Tensor sizes_tensor(std::span<const Size> sizes, DType dtype);

}  // namespace brio
