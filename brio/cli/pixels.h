// Pictures in the tools: RGB pixels out of a file's bytes, resized as training would (bilinear, as tf.image.resize).
#pragma once

#include <string_view>
#include <vector>

#include "brio/formats/picture.h"

namespace brio::cli {

struct Pixels {
  int64_t height = 0, width = 0;
  std::vector<uint8_t> rgb;
};

// `strict`: also what libjpeg would repair is an error.
void decode_rgb(std::string_view bytes, const formats::Origin& origin, Pixels& to, bool strict = false);
void resize_rgb(Pixels& pixels, int64_t height, int64_t width);

}  // namespace brio::cli
