// Layers that give the elements another shape, leave some out, or repeat them. Sizes are those of one sample.
//
//   nn::Reshape({4, -1});  nn::ZeroPadding2D(1);  nn::Cropping2D({{1, 0}, {2, 2}});  nn::UpSampling2D({2, 3})
#pragma once

#include <string>
#include <vector>

#include "brio/nn/module.h"
#include "brio/ops/network/window.h"

namespace brio::nn {

class Reshape : public Layer {
 public:
  explicit Reshape(std::vector<int> target_shape, LayerOptions options = {});  // one may be -1: the rest
  static Layer from_config(Fields& fields);
};
// dims: the input's axes in their new order, counted from 1; the batch stays.
class Permute : public Layer {
 public:
  explicit Permute(std::vector<int> dims, LayerOptions options = {});
  static Layer from_config(Fields& fields);
};
// (batch, features) → (batch, n, features)
class RepeatVector : public Layer {
 public:
  explicit RepeatVector(int64_t n, LayerOptions options = {});
  static Layer from_config(Fields& fields);
};

struct SpatialOptions {
  DataFormat data_format = DataFormat::channels_last;
  Policy dtype = {};
  std::string name = {};
};

// The number of elements to remove, or zeros to add, at both ends of every spatial axis: {low, high} for each axis,
// or one number for all ends.
#define BRIO_EDGES(Name, ...)                                                             \
  class Name : public Layer {                                                             \
   public:                                                                                \
    explicit Name(std::vector<Padding> edges = __VA_ARGS__, SpatialOptions options = {}); \
    explicit Name(int64_t edge, SpatialOptions options = {});                             \
    static Layer from_config(Fields& fields);                                             \
  };
BRIO_EDGES(Cropping1D, {{1, 1}})  // of (batch, steps, features) alone
BRIO_EDGES(Cropping2D, {{0, 0}, {0, 0}})
BRIO_EDGES(Cropping3D, {{1, 1}, {1, 1}, {1, 1}})
BRIO_EDGES(ZeroPadding1D, {{1, 1}})
BRIO_EDGES(ZeroPadding2D, {{1, 1}, {1, 1}})
BRIO_EDGES(ZeroPadding3D, {{1, 1}, {1, 1}, {1, 1}})
#undef BRIO_EDGES

struct UpSamplingOptions {
  DataFormat data_format = DataFormat::channels_last;
  std::string interpolation = "nearest";  // of UpSampling2D also "bilinear"
  Policy dtype = {};
  std::string name = {};
};
// Every spatial axis becomes this many times as long; one number applies to all.
#define BRIO_UP_SAMPLING(Name)                                                             \
  class Name : public Layer {                                                              \
   public:                                                                                 \
    explicit Name(const std::vector<int64_t>& size = {2}, UpSamplingOptions options = {}); \
    static Layer from_config(Fields& fields);                                              \
  };
BRIO_UP_SAMPLING(UpSampling1D)  // of (batch, steps, features) alone
BRIO_UP_SAMPLING(UpSampling2D)
BRIO_UP_SAMPLING(UpSampling3D)
#undef BRIO_UP_SAMPLING

}  // namespace brio::nn
