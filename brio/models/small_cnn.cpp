#include "brio/models/models.h"
#include "brio/nn/layers/convolution.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/dropout.h"
#include "brio/nn/layers/flatten.h"
#include "brio/nn/layers/pooling.h"

namespace brio::models {

nn::Model small_cnn(int64_t classes) {
  return nn::Sequential({nn::InputLayer({28, 28, 1}), nn::Conv2D(32, {3}, {.activation = "relu"}), nn::MaxPooling2D(),
                         nn::Conv2D(64, {3}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                         nn::Dropout(0.5), nn::Dense(classes, {.activation = "softmax"})},
                        {.name = "small_cnn"});
}

}  // namespace brio::models
