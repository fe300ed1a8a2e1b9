// Attention and its gradient without the matrix of all weights: one block of queries at a time.
//
// Work is cut into units by the shape alone: one batch and key head, and a part of the blocks of queries that look at
// it. A unit packs its keys and values once, in f32 (f64 for f64), which all of its blocks then read.
// docs/decisions/attention.md says why it is cut this way.
#pragma once

#include "brio/backends/cpu/tiles/tile_ops.h"
#include "brio/base/philox.h"
#include "brio/ops/network/attention.h"

namespace brio::cpu {

struct AttentionTask {
  AttentionForm form;
  DType dtype;
  int64_t mask_strides[4] = {}, bias_strides[4] = {};  // over (B, H, T, S); 0 where they repeat
  TileFn widen = nullptr, narrow = nullptr;            // between the dtype and f32; null: it is what is computed in
  int64_t parts = 1;                                   // that the blocks of one batch and key head are cut into
};

struct AttentionPointers {
  const void *query, *key, *value;
  const bool* mask;  // these where the form has them
  const void* bias;
  RandomStream stream;
  const void* cotangent;  // of the gradient
  void* out;              // or query's gradient
  void *key_gradient, *value_gradient;
};

struct AttentionFns {
  int64_t (*blocks)(const AttentionForm& form);  // of queries that look at one key head
  // Elements of the computed dtype: what one unit needs while it runs, and (gradient) what it leaves.
  int64_t (*forward_scratch)(const AttentionForm& form);
  int64_t (*gradient_scratch)(const AttentionForm& form);
  int64_t (*sums)(const AttentionForm& form);
  void (*forward)(const AttentionTask& task, const AttentionPointers& p, int64_t unit, void* scratch);
  // Query's gradient, and into `sums` what this unit adds to those of its keys and values.
  void (*gradient)(const AttentionTask& task, const AttentionPointers& p, int64_t unit, void* sums, void* scratch);
  // The gradients of the keys and values of one batch and head, from the sums of its parts. Changes the first.
  void (*finish)(const AttentionTask& task, const AttentionPointers& p, int64_t batch_and_head, void* sums);
};
AttentionFns find_attention_fns(DType dtype);

}  // namespace brio::cpu
