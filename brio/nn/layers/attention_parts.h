// Shared by the attention layers.
#pragma once

#include <optional>

#include "brio/ir/tensor.h"
#include "brio/ops/random/random.h"

namespace brio::nn {

// (queries, keys) of bool: query i sees the keys up to i.
Tensor causal_mask(Size queries, Size keys);
Tensor both(const Tensor& a, const Tensor& b);  // logical_and of masks; either may be undefined

// Drops a share `rate` of attention weights and scales the others up; 1 drops all.
Tensor drop_weights(const Tensor& weights, double rate, std::optional<Generator>& generator);
// throws InvalidArgument
void check_dropout(const std::string& layer, double rate);
// Two or three inputs, or `most`; at least `rank` axes each. Throws InvalidArgument.
void check_inputs(const std::string& layer, const std::vector<Shape>& inputs, size_t most, int rank);

}  // namespace brio::nn
