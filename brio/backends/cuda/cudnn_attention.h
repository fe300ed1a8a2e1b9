// Attention as one plan of cuDNN each way, kept by what it is: the matrix of all weights is never made.
#pragma once

#include <compare>
#include <memory>

#include "brio/backends/cuda/cudnn_graph.h"

namespace brio::cuda {

struct AttentionKey {
  bool gradient, causal;
  DType dtype;
  int64_t batch, queries, keys, heads, key_heads, depth, value_depth;
  auto operator<=>(const AttentionKey&) const = default;
};

// What a plan takes, by these ids. All lie as (batch, length, heads, depth), but for what is one f32 number a query:
// (batch, heads, queries).
enum AttentionArgument : int64_t {
  kQuery = 1,
  kKey,
  kValue,
  kOut,         // forward: a result; gradient: an input
  kStatistics,  // the logarithm of the sum of exp(logit), likewise
  kScale,       // numbers of the host, f32
  kMasked,      // the logit of what a query may not see, where causal
  kOne,         // gradient only, as all below
  kCotangent,
  kQueryGrad,
  kKeyGrad,
  kValueGrad,
  kRowSums,  // room for one number a query
};

// Null where cuDNN has none.
std::shared_ptr<const CudnnPlan> attention_plan(CudaDevice& device, const AttentionKey& key);

}  // namespace brio::cuda
