#include "brio/models/models.h"
#include "brio/nn/layers/convolution.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/flatten.h"
#include "brio/nn/layers/pooling.h"

namespace brio::models {

nn::Model separable_cnn(SeparableCnnOptions o) {
  return nn::Sequential({nn::InputLayer(o.input), nn::Conv2D(32, {3}, {.padding = "same", .activation = "relu"}),
                         nn::MaxPooling2D(), nn::DepthwiseConv2D({3}, 1, {.padding = "same", .activation = "relu"}),
                         nn::Conv2D(64, {1}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                         nn::Dense(o.classes, {.activation = "softmax"})},
                        {.name = "separable_cnn"});
}

}  // namespace brio::models
