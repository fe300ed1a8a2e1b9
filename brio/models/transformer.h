// The block that vision transformers and GPT-2 are made of, and the weights that say where in a sequence a token is.
#pragma once

#include "brio/nn/functional.h"

namespace brio::models {

struct BlockOptions {
  int64_t heads;
  double epsilon;  // of the normalisations
  double dropout = 0;
  bool causal = false;
};
// x + attention(norm(x)), then the same with two dense layers, the first of four times the width.
nn::Symbol transformer_block(const nn::Symbol& x, const BlockOptions& options);

// Adds a weight for each place: (batch, time, width), where time is at most `places`. With a class token, that comes
// first in the sequence.
nn::Layer positions(int64_t places, bool class_token = false);

}  // namespace brio::models
