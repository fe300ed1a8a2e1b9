// Attention over several heads, each with its own projections, of {query, value}, {query, value, key} or {query,
// value, key, attention_mask}. The mask is bool, (batch, T, S) or with an axis of heads. Masks of the inputs and
// CallOptions.use_causal_mask also apply. CallOptions.return_attention_scores returns the weights as a second result,
// (batch, heads, T, S).
//
//   nn::MultiHeadAttention(8, 64)({x, x}, {.use_causal_mask = true})
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "brio/nn/initializer.h"
#include "brio/nn/module.h"

namespace brio::nn {

struct MultiHeadAttentionOptions {
  std::optional<int64_t> value_dim = {};  // default: key_dim
  double dropout = 0;
  bool use_bias = true;
  std::vector<int64_t> output_shape = {};      // of the last axes; default: the query's features
  std::vector<int64_t> attention_axes = {};    // of the inputs; default: all but batch and features
  std::optional<int64_t> sliding_window = {};  // a query sees keys less than this many positions away
  std::optional<bool> flash_attention = {};    // accepted as in Keras: the same kernel runs in any case
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  bool use_gate = false;  // multiplies the heads' results by a sigmoid of the query
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
class MultiHeadAttention : public Layer {
 public:
  MultiHeadAttention(int64_t num_heads, int64_t key_dim, MultiHeadAttentionOptions options = {});
  static Layer from_config(Fields& fields);
};

struct GroupQueryAttentionOptions {
  double dropout = 0;
  bool use_bias = true;
  std::optional<int64_t> sliding_window = {};
  std::optional<bool> flash_attention = {};
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  bool use_gate = false;
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// Groups of query heads share one head of keys and values.
class GroupQueryAttention : public Layer {
 public:
  GroupQueryAttention(int64_t head_dim, int64_t num_query_heads, int64_t num_key_value_heads,
                      GroupQueryAttentionOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
