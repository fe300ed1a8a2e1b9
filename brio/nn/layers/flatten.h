// Flatten: (batch, a, b, …) → (batch, a · b · …).
#pragma once

#include <string>

#include "brio/nn/module.h"
#include "brio/ops/network/window.h"

namespace brio::nn {

struct FlattenOptions {
  DataFormat data_format = DataFormat::channels_last;  // channels_first: the channels are moved to the end first
  Policy dtype = {};
  std::string name = {};
};

class Flatten : public Layer {
 public:
  explicit Flatten(FlattenOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
