#include "brio/nn/layers/feature_axes.h"

#include <algorithm>
#include <utility>

#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {

int feature_axis(const std::string& layer, int64_t axis, const Shape& shape) {
  if (!std::in_range<int>(axis)) throw_invalid(layer, cat("axis ", axis, " is out of range for shape ", shape));
  return positive_axis(layer, static_cast<int>(axis), shape.rank());
}

std::vector<int> sorted_axes(const std::string& layer, const std::vector<int>& axes, const Shape& shape) {
  if (axes.empty()) throw_invalid(layer, "axis is an empty list; name the axes to normalise over");
  std::vector<int> sorted;
  for (const int axis : axes) sorted.push_back(positive_axis(layer, axis, shape.rank()));
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw_invalid(layer, cat("axis ", *twice, " of the input of shape ", shape, " is listed twice"));
  return sorted;
}

Shape sizes_at(const std::vector<int>& axes, const Shape& input) {
  Shape sizes;
  for (const int axis : axes) sizes.push_back(input[axis]);
  return sizes;
}

Shape aligned(const std::vector<int>& axes, const Shape& input) {
  Shape shape;
  for (int i = 0; i < input.rank(); ++i) shape.push_back(std::ranges::count(axes, i) ? input[i] : Size(1));
  return shape;
}

void check_built_for(const std::string& layer, const Variable& weight, const Shape& sizes, const Shape& input) {
  if (weight.impl() && !(weight.shape() == sizes))
    throw_invalid(layer, cat("was built for features of shape ", weight.shape(), ", but the input of shape ", input,
                             " has ", sizes));
}

bool are_last(const std::vector<int>& axes, const Shape& shape) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != shape.rank() - static_cast<int>(axes.size()) + static_cast<int>(i)) return false;
  return !axes.empty();
}

Tensor normalised_rows(const Tensor& x, const std::vector<int>& axes, const Variable& scale, const Variable& offset,
                       RowNormOptions options) {
  const auto first = static_cast<size_t>(axes.front());
  const Shape row{Shape(x.shape().dims().subspan(first)).elements()};
  std::vector<Size> dims(x.shape().begin(), x.shape().begin() + axes.front());
  dims.push_back(row[0]);
  const auto weight = [&](const Variable& variable, double otherwise) {
    return variable.impl() ? reshape(cast(variable, x.dtype()), row)
                           : broadcast_to(constant(otherwise, x.dtype()), row);
  };
  return reshape(row_norm(reshape(x, Shape(dims)), weight(scale, 1), weight(offset, 0), options), x.shape());
}

}  // namespace brio::nn
