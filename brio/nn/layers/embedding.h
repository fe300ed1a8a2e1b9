// Embedding: integers become vectors that are learnt. Masking: steps that hold nothing but one value are left out.
#pragma once

#include <string>

#include "brio/nn/initializer.h"
#include "brio/nn/module.h"

namespace brio::nn {

struct EmbeddingOptions {
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;  // 0 is no word but a gap: it gets a mask
  Tensor weights = {};     // what the embeddings start with, (input_dim, output_dim); goes before the initialiser
  Policy dtype = {};
  std::string name = {};
};
// (batch, …) of integers from 0 to input_dim - 1 → (batch, …, output_dim). Others are an error when it runs.
class Embedding : public Layer {
 public:
  Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options = {});
  Variable embeddings() const;  // once built
  static Layer from_config(Fields& fields);
};

struct MaskingOptions {
  double mask_value = 0;
  Policy dtype = {};
  std::string name = {};
};
// Steps whose features are all mask_value become 0 and are left out by the mask.
class Masking : public Layer {
 public:
  explicit Masking(MaskingOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
