// Scaled dot-product attention as one op. If a backend has a kernel, it never makes the matrix of all weights.
//
//   scaled_dot_product_attention(query, key, value, {.causal = true})
//
// For each batch b and head h: softmax(query · keyᵀ · scale + bias) · value, over the keys s that query t may see.
// Other keys have a logit of -0.7 · 3.38953e38, as in Keras, so a query that may see nothing weighs all keys
// alike.
#pragma once

#include <optional>
#include <vector>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

class Generator;

namespace op {
// Inputs: query, key, value, then those that the attributes announce: mask, bias, seed and counter of the dropout.
// The gradient takes the cotangent last and returns those of query, key and value.
extern const OpDef scaled_dot_product_attention, scaled_dot_product_attention_grad;
// Without mask, bias and dropout, if the gradient is needed too: attention_with_sums returns the result and, for each
// query, the logarithm of the sum of exp(logit), (B, H, T). attention_grad_from_sums takes query, key, value, these
// two and the cotangent, so nothing is computed twice.
extern const OpDef attention_with_sums, attention_grad_from_sums;
}  // namespace op

struct AttentionOptions {
  Tensor mask = {};                  // bool, broadcast to (B, H, T, S): true where a query may see a key
  Tensor bias = {};                  // of query's dtype, broadcast to (B, H, T, S)
  bool causal = false;               // query t sees the keys 0 … t
  std::optional<double> scale = {};  // default: 1 / √D
  double dropout = 0;                // the share of weights that become 0; the others grow by 1 / (1 - dropout)
  std::optional<uint64_t> seed = {};
  Generator* generator = nullptr;  // where no seed is given; default: the global one
};
// query (B, T, H, D), key (B, S, Hk, D), value (B, S, Hk, E) → (B, T, H, E). Hk divides H: heads h · H/Hk … share a
// key. f16 and bf16 compute in float; a GPU's fused kernels round the weights before the product with the values.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    AttentionOptions options = {});

inline constexpr double kMaskedLogit = -0.7 * 3.38953e38;

// The form of the op, from attributes and shapes. Kernels get numbers as sizes.
template <typename N>
struct AttentionFormOf {
  bool has_mask, has_bias, causal;
  double scale, dropout;
  int64_t offset;                         // of the dropout's stream
  size_t mask = 0, bias = 0, random = 0;  // positions among the inputs, where there is one; random: the seed's
  size_t inputs;                          // of the forward op: the gradient's cotangent comes after them
  N batch = 0, queries = 0, keys = 0, heads = 0, key_heads = 0, depth = 0, value_depth = 0;

  explicit AttentionFormOf(Attrs attrs);
  AttentionFormOf(Attrs attrs, const Shape& query, const Shape& key, const Shape& value);
  Shape weights() const { return {batch, heads, queries, keys}; }
  N group() const { return key_heads == 0 ? N(0) : heads / key_heads; }
};
using AttentionForm = AttentionFormOf<int64_t>;
using OpenAttentionForm = AttentionFormOf<Size>;
// Converts the attributes of attention_with_sums and its gradient to those of the ops with masks, and back if there
// are none.
std::vector<int64_t> attention_attributes(Attrs of_sums);
std::optional<std::vector<int64_t>> attributes_of_sums(Attrs attention);

}  // namespace brio
