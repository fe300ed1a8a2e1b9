#include "brio/base/error.h"
#include "brio/models/models.h"
#include "brio/models/transformer.h"
#include "brio/nn/layers/convolution.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/dropout.h"
#include "brio/nn/layers/normalization.h"
#include "brio/nn/layers/reshaping.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::models {

nn::Model vit(VitOptions o) {
  if (o.patch <= 0 || o.image % o.patch != 0 || o.heads <= 0 || o.width % o.heads != 0)
    throw InvalidArgument(cat("[vit] patches of ", o.patch, " must tile a picture of ", o.image, ", and ", o.heads,
                              " heads share a width of ", o.width, " evenly"));
  const int64_t side = o.image / o.patch, patches = side * side;
  const nn::Symbol picture = nn::Input({o.image, o.image, o.channels});
  nn::Symbol x = nn::Conv2D(o.width, {o.patch}, {.strides = {o.patch}})(picture);  // each patch becomes a token
  x = positions(patches + 1, true)(nn::Reshape({static_cast<int>(patches), static_cast<int>(o.width)})(x));
  if (o.dropout > 0) x = nn::Dropout(o.dropout)(x);
  for (int64_t i = 0; i < o.depth; ++i)
    x = transformer_block(x, {.heads = o.heads, .epsilon = 1e-6, .dropout = o.dropout});
  x = nn::LayerNormalization({.epsilon = 1e-6})(x);
  const nn::Lambda first([](const Tensor& tokens) {
    const Shape& shape = tokens.shape();
    return squeeze(slice(tokens, {{0, shape[0]}, {0, 1}, {0, shape[2]}}), {1});
  });
  return {picture, nn::Dense(o.classes, {.activation = "softmax"})(first(x)), "vit"};
}

}  // namespace brio::models
