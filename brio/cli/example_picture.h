// The picture that an Example holds in the usual features: image/encoded, or the pixels in `image`.
#pragma once

#include <string_view>

#include "brio/cli/pixels.h"
#include "brio/formats/data_error.h"

namespace brio::cli {

struct ExamplePicture {
  std::string_view encoded, raw;
  int64_t height = 0, width = 0, channels = 3;
  bool there = false;
};
ExamplePicture picture_in(std::string_view example, const formats::Origin& origin);

// False: there is none. Throws DataError where it is broken.
bool decode_picture_in(std::string_view example, const formats::Origin& origin, Pixels& to, bool strict = false);

}  // namespace brio::cli
