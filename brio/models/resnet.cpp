#include "brio/models/models.h"
#include "brio/nn/activation.h"
#include "brio/nn/layers/convolution.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/merging.h"
#include "brio/nn/layers/normalization.h"
#include "brio/nn/layers/pooling.h"
#include "brio/nn/layers/reshaping.h"

namespace brio::models {
namespace {

using nn::Symbol;

// Normalisation follows each convolution: a bias before it would be subtracted again.
Symbol conv(const Symbol& x, int64_t filters, int64_t size, int64_t stride = 1) {
  Symbol padded = x;
  if (size > 1) padded = nn::ZeroPadding2D(size / 2)(x);
  return nn::Conv2D(filters, {size},
                    {.strides = {stride}, .use_bias = false, .kernel_initializer = "he_normal"})(padded);
}
Symbol resnet_norm(const Symbol& x) { return nn::BatchNormalization({.momentum = 0.9, .epsilon = 1e-5})(x); }
Symbol relu(const Symbol& x) { return nn::Activation("relu")(x); }

// What a block adds its result to: its input, or that in the block's shape.
Symbol shortcut(const Symbol& x, int64_t filters, int64_t stride) {
  if (stride == 1 && x.spec()[3] == filters) return x;
  return resnet_norm(conv(x, filters, 1, stride));
}

Symbol basic_block(const Symbol& x, int64_t filters, int64_t stride) {
  Symbol y = relu(resnet_norm(conv(x, filters, 3, stride)));
  y = resnet_norm(conv(y, filters, 3));
  return relu(nn::add({y, shortcut(x, filters, stride)}));
}

Symbol bottleneck(const Symbol& x, int64_t filters, int64_t stride) {
  Symbol y = relu(resnet_norm(conv(x, filters, 1)));
  y = relu(resnet_norm(conv(y, filters, 3, stride)));
  y = resnet_norm(conv(y, 4 * filters, 1));
  return relu(nn::add({y, shortcut(x, 4 * filters, stride)}));
}

nn::Model resnet(const ImageNetOptions& o, Symbol (*block)(const Symbol&, int64_t, int64_t),
                 const std::vector<int>& blocks, std::string name) {
  const Symbol picture = nn::Input(o.input);
  Symbol x = relu(resnet_norm(conv(picture, 64, 7, 2)));
  x = nn::MaxPooling2D({3}, {.strides = {2}})(nn::ZeroPadding2D(1)(x));
  int64_t filters = 64;
  for (size_t stage = 0; stage < blocks.size(); ++stage, filters *= 2)
    for (int i = 0; i < blocks[stage]; ++i) x = block(x, filters, stage > 0 && i == 0 ? 2 : 1);
  x = nn::GlobalAveragePooling2D()(x);
  return {picture, nn::Dense(o.classes, {.activation = "softmax"})(x), std::move(name)};
}

}  // namespace

nn::Model resnet18(ImageNetOptions o) { return resnet(o, basic_block, {2, 2, 2, 2}, "resnet18"); }
nn::Model resnet50(ImageNetOptions o) { return resnet(o, bottleneck, {3, 4, 6, 3}, "resnet50"); }

}  // namespace brio::models
