#include "brio/cli/pixels.h"

#include <algorithm>
#include <cmath>

#include "brio/data/pictures/bilinear.h"
#include "brio/formats/decode_picture.h"

namespace brio::cli {

void decode_rgb(std::string_view bytes, const formats::Origin& origin, Pixels& to, bool strict) {
  static thread_local formats::PictureDecoder decoder;
  decoder.open(bytes, origin, {.channels = 3, .warnings_are_errors = strict});
  const formats::PictureSize size = decoder.size();
  to.height = size.height;
  to.width = size.width;
  to.rgb.resize(static_cast<size_t>(size.elements()));
  decoder.decode(to.rgb.data(), static_cast<size_t>(size.width) * 3);
}

void resize_rgb(Pixels& pixels, int64_t height, int64_t width) {
  if (pixels.height == height && pixels.width == width) return;
  static thread_local data::Bilinear bilinear;
  static thread_local std::vector<float> floats;
  floats.resize(static_cast<size_t>(height * width * 3));
  bilinear(pixels.rgb.data(), static_cast<size_t>(pixels.width) * 3, pixels.height, pixels.width, 3, floats.data(),
           height, width);
  pixels.rgb.resize(floats.size());
  std::transform(floats.begin(), floats.end(), pixels.rgb.begin(),
                 [](float value) { return static_cast<uint8_t>(std::lround(std::clamp(value, 0.f, 255.f))); });
  pixels.height = height;
  pixels.width = width;
}

}  // namespace brio::cli
