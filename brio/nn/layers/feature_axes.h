// The axes that a normalisation works over, and the shapes of the weights that belong to them.
#pragma once

#include <string>
#include <vector>

#include "brio/ops/control/variable.h"
#include "brio/ops/network/row_norm.h"

namespace brio::nn {

// An axis as users write it, among those of a shape. Throws InvalidArgument in the layer's name, as the others do.
int feature_axis(const std::string& layer, int64_t axis, const Shape& shape);
// The axes as users write them, among those of a shape, in order.
std::vector<int> sorted_axes(const std::string& layer, const std::vector<int>& axes, const Shape& shape);
// The sizes at these axes: the shape of a weight.
Shape sizes_at(const std::vector<int>& axes, const Shape& input);
// The same with 1 at the other axes: to this a weight is reshaped, so that it lies along its own axes.
Shape aligned(const std::vector<int>& axes, const Shape& input);
// Refuses where a weight was made for other sizes.
void check_built_for(const std::string& layer, const Variable& weight, const Shape& sizes, const Shape& input);

// Are these the last axes, all of them? Then x is rows of them.
bool are_last(const std::vector<int>& axes, const Shape& shape);
// x as rows of its last axes, normalised (ops/row_norm.h) and in its own shape again. A weight that is none leaves
// its part out.
Tensor normalised_rows(const Tensor& x, const std::vector<int>& axes, const Variable& scale, const Variable& offset,
                       RowNormOptions options);

}  // namespace brio::nn
