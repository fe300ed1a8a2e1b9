// Pooling as layers, with Keras' defaults: windows of 2, as far apart as they are long.
#pragma once

#include <string>
#include <vector>

#include "brio/nn/module.h"
#include "brio/ops/network/window.h"

namespace brio::nn {

struct PoolingOptions {
  std::vector<int64_t> strides = {};  // one for each spatial axis, or one for all; empty: the window's size
  WindowPadding padding = "valid";    // or "same"
  DataFormat data_format = DataFormat::channels_last;
  Policy dtype = {};
  std::string name = {};
};
struct GlobalPoolingOptions {
  DataFormat data_format = DataFormat::channels_last;
  bool keepdims = false;
  Policy dtype = {};
  std::string name = {};
};

#define BRIO_POOLING(Name)                                                                   \
  class Name : public Layer {                                                                \
   public:                                                                                   \
    explicit Name(const std::vector<int64_t>& pool_size = {2}, PoolingOptions options = {}); \
    static Layer from_config(Fields& fields);                                                \
  };
BRIO_POOLING(MaxPooling1D)
BRIO_POOLING(MaxPooling2D)
BRIO_POOLING(MaxPooling3D)
BRIO_POOLING(AveragePooling1D)
BRIO_POOLING(AveragePooling2D)
BRIO_POOLING(AveragePooling3D)
#undef BRIO_POOLING

// Over all spatial axes: (batch, channels). GlobalAveragePooling1D ignores the steps that a mask leaves
// out.
#define BRIO_GLOBAL_POOLING(Name)                     \
  class Name : public Layer {                         \
   public:                                            \
    explicit Name(GlobalPoolingOptions options = {}); \
    static Layer from_config(Fields& fields);         \
  };
BRIO_GLOBAL_POOLING(GlobalMaxPooling1D)
BRIO_GLOBAL_POOLING(GlobalMaxPooling2D)
BRIO_GLOBAL_POOLING(GlobalMaxPooling3D)
BRIO_GLOBAL_POOLING(GlobalAveragePooling1D)
BRIO_GLOBAL_POOLING(GlobalAveragePooling2D)
BRIO_GLOBAL_POOLING(GlobalAveragePooling3D)
#undef BRIO_GLOBAL_POOLING

}  // namespace brio::nn
