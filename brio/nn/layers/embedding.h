// Embedding: integers become learned vectors. Masking: leaves out steps that hold only one given value.
#pragma once

#include <string>

#include "brio/nn/initializer.h"
#include "brio/nn/module.h"

namespace brio::nn {

struct EmbeddingOptions {
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;  // 0 is a gap and not a word: it is masked
  Tensor weights = {};     // initial embeddings, (input_dim, output_dim); used instead of the initialiser
  Policy dtype = {};
  std::string name = {};
};
// (batch, …) of integers from 0 to input_dim - 1 → (batch, …, output_dim). Other integers are an error in the run.
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
// Steps whose features are all mask_value become 0, and the mask leaves them out.
class Masking : public Layer {
 public:
  explicit Masking(MaskingOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
