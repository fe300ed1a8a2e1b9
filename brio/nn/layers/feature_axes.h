// The axes of a normalisation, and the shapes of its weights.
#pragma once

#include <string>
#include <vector>

#include "brio/ops/control/variable.h"
#include "brio/ops/network/row_norm.h"

namespace brio::nn {

// An axis as users write it, for this shape. Throws InvalidArgument with the layer's name, as the others do.
int feature_axis(const std::string& layer, int64_t axis, const Shape& shape);
// The axes as users write them, for this shape, in order.
std::vector<int> sorted_axes(const std::string& layer, const std::vector<int>& axes, const Shape& shape);
// The sizes at these axes: the shape of a weight.
Shape sizes_at(const std::vector<int>& axes, const Shape& input);
// The same with 1 at the other axes: a weight is reshaped to this, so that it broadcasts along its own axes.
Shape aligned(const std::vector<int>& axes, const Shape& input);
// Throws if a weight was made for other sizes.
void check_built_for(const std::string& layer, const Variable& weight, const Shape& sizes, const Shape& input);

// Whether these are the last axes. Then x consists of rows of them.
bool are_last(const std::vector<int>& axes, const Shape& shape);
// Normalises x as rows of its last axes (ops/network/row_norm.h); keeps its shape. An undefined weight leaves
// its part out.
Tensor normalised_rows(const Tensor& x, const std::vector<int>& axes, const Variable& scale, const Variable& offset,
                       RowNormOptions options);

}  // namespace brio::nn
