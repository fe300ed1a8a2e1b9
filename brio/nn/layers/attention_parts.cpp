#include "brio/nn/layers/attention_parts.h"

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {

Tensor causal_mask(Size queries, Size keys) { return less_equal(iota(keys), expand_dims(iota(queries), -1)); }

Tensor both(const Tensor& a, const Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? logical_and(a, b) : a;
}

Tensor drop_weights(const Tensor& weights, double rate, std::optional<Generator>& generator) {
  if (rate == 0) return weights;
  if (rate == 1) return zeros_like(weights);
  const Tensor unit =
      random::uniform(weights.shape(), {.dtype = f32, .generator = generator ? &*generator : nullptr});
  return select(greater_equal(unit, constant(rate, f32)), weights * constant(1 / (1 - rate), weights.dtype()),
                constant(0, weights.dtype()));
}

void check_dropout(const std::string& layer, double rate) {
  if (!(rate >= 0 && rate <= 1))
    throw InvalidArgument(cat("[", layer, "] dropout is ", rate, "; it is the share to drop, from 0 to 1"));
}

void check_inputs(const std::string& layer, const std::vector<Shape>& inputs, size_t most, int rank) {
  if (inputs.size() < 2 || inputs.size() > most)
    throw InvalidArgument(cat("[", layer, "] takes {query, value} or {query, value, key}",
                              most > 3 ? ", or {query, value, key, attention_mask}" : "", ", but got ", inputs.size(),
                              inputs.size() == 1 ? " input" : " inputs"));
  for (size_t i = 0; i < std::min<size_t>(3, inputs.size()); ++i)
    if (inputs[i].rank() < rank)
      throw InvalidArgument(cat("[", layer, "] takes inputs of rank ", rank,
                                " or more, (batch, length, features), but ", "input ", i, " has shape ", inputs[i],
                                "; add an axis with expand_dims"));
  const Shape &value = inputs[1], &key = inputs[inputs.size() > 2 ? 2 : 1];
  bool same = value.rank() == key.rank();
  for (int i = 0; same && i + 1 < value.rank(); ++i) same = value[i] == key[i];
  if (!same)
    throw InvalidArgument(
        cat("[", layer, "] value and key must agree but for the last axis, but have shapes ", value, " and ", key));
}

}  // namespace brio::nn
