// Dropout: while training, sets a share of the elements to 0 and scales the others so that their sum keeps its mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "brio/nn/module.h"

namespace brio::nn {

struct DropoutOptions {
  std::optional<uint64_t> seed = {};  // of a generator of its own; otherwise random::generator()
  std::string name = {};
};

class Dropout : public Layer {
 public:
  explicit Dropout(double rate, DropoutOptions options = {});
};

}  // namespace brio::nn
