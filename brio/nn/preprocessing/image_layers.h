// Layers that prepare pictures, with Keras' defaults. Random… layers change pictures unless they are called with
// training = false, as in Keras. They take (batch, height, width, channels), or channels first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"
#include "brio/ops/image/image.h"
#include "brio/ops/network/window.h"

namespace brio::nn {

struct ResizingOptions {
  std::string interpolation = "bilinear";  // see image::Interpolation
  bool crop_to_aspect_ratio = false;       // cut instead of distorting
  bool pad_to_aspect_ratio = false;        // or add to it
  double fill_value = 0;
  bool antialias = false;
  DataFormat data_format = DataFormat::channels_last;
  Policy dtype = {};
  std::string name = {};
};
class Resizing : public Layer {
 public:
  Resizing(int64_t height, int64_t width, ResizingOptions options = {});
  static Layer from_config(Fields& fields);
};

struct ImageOptions {
  DataFormat data_format = DataFormat::channels_last;
  Policy dtype = {};
  std::string name = {};
};
// Cuts out the middle; a smaller picture is enlarged first.
class CenterCrop : public Layer {
 public:
  CenterCrop(int64_t height, int64_t width, ImageOptions options = {});
  static Layer from_config(Fields& fields);
};

struct RandomImageOptions {
  std::optional<uint64_t> seed = {};  // for a generator of its own; default: random::generator()
  DataFormat data_format = DataFormat::channels_last;
  Policy dtype = {};
  std::string name = {};
};
// While training, a different part for each batch, as in Keras. A picture that is not larger is resized, then cut.
class RandomCrop : public Layer {
 public:
  RandomCrop(int64_t height, int64_t width, RandomImageOptions options = {});
  static Layer from_config(Fields& fields);
};
class RandomFlip : public Layer {
 public:
  // "horizontal", "vertical" or "horizontal_and_vertical"; each picture, with a chance of one half.
  explicit RandomFlip(std::string mode = "horizontal_and_vertical", RandomImageOptions options = {});
  static Layer from_config(Fields& fields);
};

// A number f means the range from -f to f.
using Factor = std::vector<double>;

struct RandomTransformOptions {
  std::string fill_mode = "reflect";  // see image::Fill
  std::string interpolation = "bilinear";
  double fill_value = 0;
  std::optional<uint64_t> seed = {};
  DataFormat data_format = DataFormat::channels_last;
  Policy dtype = {};
  std::string name = {};
};
class RandomRotation : public Layer {  // in full turns: 0.25 is 90°
 public:
  explicit RandomRotation(const Factor& factor, RandomTransformOptions options = {});
  static Layer from_config(Fields& fields);
};
class RandomZoom : public Layer {  // above 0 is away: the picture becomes smaller. No width_factor: as the height's
 public:
  explicit RandomZoom(const Factor& height_factor, const Factor& width_factor = {},
                      RandomTransformOptions options = {});
  static Layer from_config(Fields& fields);
};
class RandomTranslation : public Layer {  // in shares of the size; above 0 is down and to the right
 public:
  RandomTranslation(const Factor& height_factor, const Factor& width_factor, RandomTransformOptions options = {});
  static Layer from_config(Fields& fields);
};

struct RandomColorOptions {
  std::vector<double> value_range = {0, 255};  // of pixels: results are cut to it
  std::optional<uint64_t> seed = {};
  DataFormat data_format = DataFormat::channels_last;
  Policy dtype = {};
  std::string name = {};
};
class RandomBrightness : public Layer {  // adds up to `factor` of the range
 public:
  explicit RandomBrightness(const Factor& factor, RandomColorOptions options = {});
  static Layer from_config(Fields& fields);
};
// Multiplies the distance from the mean by 1 - lower … 1 + upper; a number f is the range (0, f), as in Keras.
class RandomContrast : public Layer {
 public:
  explicit RandomContrast(const Factor& factor, RandomColorOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
