// Which JPEG files a device may decode: those whose pixels follow from baseline blocks in one scan, YCbCr in one of
// the four usual samplings, and whose bytes are all there. Anything else is for libjpeg (jpeg.h), and so is saying
// what is wrong with a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace brio::formats {

struct PlainJpeg {
  int64_t height = 0, width = 0;
  int across = 0, down = 0;  // how often chroma is halved: 4:4:4 (0, 0), 4:2:2 (1, 0), 4:4:0 (0, 1), 4:2:0 (1, 1)
};

// None: it is another kind of JPEG, or none at all. Walks over all markers, allocates nothing, throws nothing.
std::optional<PlainJpeg> plain_jpeg(std::string_view bytes);

}  // namespace brio::formats
