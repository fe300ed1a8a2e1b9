// Flatten: (batch, a, b, …) → (batch, a · b · …).
#pragma once

#include "brio/nn/activation.h"
#include "brio/nn/module.h"

namespace brio::nn {

class Flatten : public Layer {
 public:
  explicit Flatten(LayerOptions options = {});
};

}  // namespace brio::nn
