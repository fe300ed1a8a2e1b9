// Well-known networks, each a short file to read and to copy from. All are built but not trained. ViT and GPT-2 have
// steps that are functions, so they have no config.
//
//   nn::Model model = models::resnet50({.classes = 10, .input = {64, 64, 3}});
//   model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
#pragma once

#include <cstdint>
#include <vector>

#include "brio/train/model.h"

namespace brio::models {

nn::Model lenet5(int64_t classes = 10);     // LeCun et al. 1998, with relu and max pooling: (32, 32, 1)
nn::Model small_cnn(int64_t classes = 10);  // two convolutions for MNIST: (28, 28, 1)

struct SeparableCnnOptions {
  std::vector<int64_t> input = {224, 224, 3};
  int64_t classes = 10;
};
// A convolution, then a depthwise and a pointwise convolution in place of a second one.
nn::Model separable_cnn(SeparableCnnOptions options = {});

struct ImageNetOptions {
  std::vector<int64_t> input = {224, 224, 3};
  int64_t classes = 1000;
};
nn::Model resnet18(ImageNetOptions options = {});      // He et al. 2015
nn::Model resnet50(ImageNetOptions options = {});      // with the stride in the 3 × 3 convolution, as is usual now
nn::Model mobilenet_v2(ImageNetOptions options = {});  // Sandler et al. 2018, width 1

struct LstmForecasterOptions {
  int64_t steps = 120, features = 7, units = 32, outputs = 1;
};
nn::Model lstm_forecaster(LstmForecasterOptions options = {});

struct VitOptions {
  int64_t image = 224, patch = 16, channels = 3, classes = 1000;
  int64_t width = 192, depth = 12, heads = 3;  // ViT-Tiny
  double dropout = 0;
};
nn::Model vit(VitOptions options = {});  // Dosovitskiy et al. 2020

struct GptOptions {
  int64_t vocabulary = 50257, context = 1024, width = 768, depth = 12, heads = 12;  // GPT-2 small
  double dropout = 0.1;
};
// Token numbers (batch, time) → logits (batch, time, vocabulary); the last product shares the embedding's weights.
nn::Model gpt2(GptOptions options = {});

}  // namespace brio::models
