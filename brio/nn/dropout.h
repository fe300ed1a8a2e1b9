// Dropout: while training, sets a share of the elements to 0 and scales the others so that their sum keeps its mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

struct DropoutOptions {
  std::vector<int64_t> noise_shape = {};  // what is drawn, broadcast to the input; kUnknown or none: the input's size
  std::optional<uint64_t> seed = {};      // of a generator of its own; otherwise random::generator()
  Policy dtype = {};
  std::string name = {};
};

class Dropout : public Layer {
 public:
  explicit Dropout(double rate, DropoutOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
