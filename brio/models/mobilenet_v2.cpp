#include "brio/models/models.h"
#include "brio/nn/activation.h"
#include "brio/nn/layers/convolution.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/merging.h"
#include "brio/nn/layers/normalization.h"
#include "brio/nn/layers/pooling.h"

namespace brio::models {
namespace {

using nn::Symbol;

Symbol norm(const Symbol& x) { return nn::BatchNormalization({.momentum = 0.999})(x); }
Symbol relu6(const Symbol& x) { return nn::Activation("relu6")(x); }
Symbol pointwise(const Symbol& x, int64_t filters) { return norm(nn::Conv2D(filters, {1}, {.use_bias = false})(x)); }

// Widen, filter each channel by itself, narrow again; what came in is added where the shapes agree.
Symbol inverted_residual(const Symbol& x, int64_t expansion, int64_t filters, int64_t stride) {
  const int64_t channels = x.spec()[3];
  Symbol y = x;
  if (expansion != 1) y = relu6(pointwise(y, expansion * channels));
  y = relu6(norm(nn::DepthwiseConv2D({3}, 1, {.strides = {stride}, .padding = "same", .use_bias = false})(y)));
  y = pointwise(y, filters);
  return stride == 1 && channels == filters ? nn::add({x, y}) : y;
}

struct Stage {
  int64_t expansion, filters, blocks, stride;
};
constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                             {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

}  // namespace

nn::Model mobilenet_v2(ImageNetOptions o) {
  const Symbol picture = nn::Input(o.input);
  Symbol x = relu6(norm(nn::Conv2D(32, {3}, {.strides = {2}, .padding = "same", .use_bias = false})(picture)));
  for (const Stage& stage : kStages)
    for (int64_t i = 0; i < stage.blocks; ++i)
      x = inverted_residual(x, stage.expansion, stage.filters, i == 0 ? stage.stride : 1);
  x = nn::GlobalAveragePooling2D()(relu6(pointwise(x, 1280)));
  return {picture, nn::Dense(o.classes, {.activation = "softmax"})(x), "mobilenet_v2"};
}

}  // namespace brio::models
