// Attention layers of {query, value} or {query, value, key}, of shapes (batch, Tq, dim), (batch, Tv, dim) and (batch,
// Tv, dim). The inputs, or CallOptions.masks, carry the masks of query and value. CallOptions.use_causal_mask and
// return_attention_scores apply.
//
//   nn::Attention()({query, value}, {.use_causal_mask = true})
#pragma once

#include <optional>
#include <string>

#include "brio/nn/module.h"

namespace brio::nn {

struct AttentionLayerOptions {
  bool use_scale = false;          // a trained factor of the scores
  std::string score_mode = "dot";  // or "concat": the sum of tanh(query + key)
  double dropout = 0;
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// Luong's: softmax(query · keyᵀ) · value.
class Attention : public Layer {
 public:
  explicit Attention(AttentionLayerOptions options = {});
  static Layer from_config(Fields& fields);
};

struct AdditiveAttentionOptions {
  bool use_scale = true;  // a trained scale for each feature
  double dropout = 0;
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// Bahdanau's: scores are the sum of scale · tanh(query + key).
class AdditiveAttention : public Layer {
 public:
  explicit AdditiveAttention(AdditiveAttentionOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
