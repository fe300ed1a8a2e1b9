#include "brio/nn/preprocessing/category_modes.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {

void check_category_mode(const Module& module, std::string_view mode, std::initializer_list<std::string_view> modes) {
  if (std::ranges::find(modes, mode) != modes.end()) return;
  std::string known;
  for (const std::string_view one : modes) known += cat(known.empty() ? "" : ", ", one);
  throw InvalidArgument(cat("[", module.name(), "] output_mode is '", mode, "'; it is one of ", known));
}

Tensor encoded_categories(const Tensor& numbers, std::string_view mode, int64_t depth, DType dtype,
                          const Tensor& weights) {
  if (mode == "one_hot") {
    const int rank = numbers.rank();
    return one_hot(rank > 1 && numbers.shape()[rank - 1] == 1 ? squeeze(numbers, {-1}) : numbers, depth, dtype);
  }
  const Tensor rows = one_hot(numbers, depth, dtype);
  const int axis = numbers.rank() > 1 ? 1 : 0;
  if (mode == "multi_hot") return max(rows, axis);
  return sum(weights.defined() ? rows * expand_dims(cast(weights, dtype), -1) : rows, axis);
}

}  // namespace brio::nn
