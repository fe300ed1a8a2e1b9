#include "brio/base/error.h"
#include "brio/models/models.h"
#include "brio/models/transformer.h"
#include "brio/nn/layers/dropout.h"
#include "brio/nn/layers/embedding.h"
#include "brio/nn/layers/normalization.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::models {

nn::Model gpt2(GptOptions o) {
  if (o.heads <= 0 || o.width % o.heads != 0)
    throw InvalidArgument(cat("[gpt2] ", o.heads, " heads must share a width of ", o.width, " evenly"));
  const nn::Symbol tokens = nn::Input({nn::kUnknown}, {.dtype = i32});
  const nn::Embedding embedding(o.vocabulary, o.width,
                                {.embeddings_initializer = nn::random_normal({.stddev = 0.02})});
  nn::Symbol x = positions(o.context)(embedding(tokens));
  if (o.dropout > 0) x = nn::Dropout(o.dropout)(x);
  for (int64_t i = 0; i < o.depth; ++i)
    x = transformer_block(x, {.heads = o.heads, .epsilon = 1e-5, .dropout = o.dropout, .causal = true});
  x = nn::LayerNormalization({.epsilon = 1e-5})(x);
  const nn::Lambda logits([embedding](const Tensor& h) {
    const Shape& shape = h.shape();
    const Tensor table = embedding.embeddings();
    const Tensor rows = matmul(reshape(h, {-1, shape[2]}), table, {.transpose_b = true});
    return reshape(rows, {shape[0], shape[1], table.shape()[0]});
  });
  return {tokens, logits(x), "gpt2"};
}

}  // namespace brio::models
