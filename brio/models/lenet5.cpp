#include "brio/models/models.h"
#include "brio/nn/layers/convolution.h"
#include "brio/nn/layers/dense.h"
#include "brio/nn/layers/flatten.h"
#include "brio/nn/layers/pooling.h"

namespace brio::models {

nn::Model lenet5(int64_t classes) {
  return nn::Sequential({nn::InputLayer({32, 32, 1}), nn::Conv2D(6, {5}, {.activation = "relu"}), nn::MaxPooling2D(),
                         nn::Conv2D(16, {5}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                         nn::Dense(120, {.activation = "relu"}), nn::Dense(84, {.activation = "relu"}),
                         nn::Dense(classes, {.activation = "softmax"})},
                        {.name = "lenet5"});
}

}  // namespace brio::models
