// Layers that change their input at random while training, and return it unchanged otherwise. With a seed a layer has
// its own generator; otherwise it draws from random::generator().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"
#include "brio/ops/network/window.h"

namespace brio::nn {

struct DropoutOptions {
  std::vector<int64_t> noise_shape = {};  // what is drawn, broadcast to the input; kUnknown or none: the input's size
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};

// Sets a share of the elements to 0 and scales the others so that their sum keeps its mean.
class Dropout : public Layer {
 public:
  explicit Dropout(double rate, DropoutOptions options = {});
  static Layer from_config(Fields& fields);
};
// For selu: sets a share of the elements to its lower bound, and keeps mean and variance.
class AlphaDropout : public Layer {
 public:
  explicit AlphaDropout(double rate, DropoutOptions options = {});
  static Layer from_config(Fields& fields);
};

struct SpatialDropoutOptions {
  DataFormat data_format = DataFormat::channels_last;  // SpatialDropout1D only has this one
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// Dropout of whole channels.
#define BRIO_SPATIAL_DROPOUT(Name)                                  \
  class Name : public Layer {                                       \
   public:                                                          \
    explicit Name(double rate, SpatialDropoutOptions options = {}); \
    static Layer from_config(Fields& fields);                       \
  };
BRIO_SPATIAL_DROPOUT(SpatialDropout1D)
BRIO_SPATIAL_DROPOUT(SpatialDropout2D)
BRIO_SPATIAL_DROPOUT(SpatialDropout3D)
#undef BRIO_SPATIAL_DROPOUT

struct NoiseOptions {
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// Adds normal noise of mean 0.
class GaussianNoise : public Layer {
 public:
  explicit GaussianNoise(double stddev, NoiseOptions options = {});
  static Layer from_config(Fields& fields);
};
// Multiplies by normal noise of mean 1 and variance rate / (1 - rate).
class GaussianDropout : public Layer {
 public:
  explicit GaussianDropout(double rate, NoiseOptions options = {});
  static Layer from_config(Fields& fields);
};

struct ActivityRegularizationOptions {
  double l1 = 0, l2 = 0;
  Policy dtype = {};
  std::string name = {};
};
// Returns its input, and adds l1 · sum |x| + l2 · sum x² to the loss.
class ActivityRegularization : public Layer {
 public:
  explicit ActivityRegularization(ActivityRegularizationOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
