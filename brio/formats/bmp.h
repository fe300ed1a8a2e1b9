// BMP files as tf.io.decode_bmp reads them (8-bit grey, 24 and 32 bits, either row order), and beyond it those with a
// palette of colours, of 1, 4 or 8 bits.
#pragma once

#include <array>

#include "brio/formats/picture.h"

namespace brio::formats {

// Used as JpegDecoder.
class BmpDecoder {
 public:
  const PictureInfo& open(std::string_view bytes, const Origin& origin = {}, const DecodeOptions& options = {});
  PictureSize size() const { return size_; }
  void decode(void* rows, size_t stride);
  void decode(void* rows, size_t stride, const Window& window);

 private:
  struct Header;
  void read_palette(const Header& header);
  void convert(const uint8_t* from, const Window& window, uint8_t* to) const;

  std::string_view bytes_;
  Origin origin_;
  PictureInfo info_;
  PictureSize size_;
  bool is_open_ = false, top_down_ = false;
  size_t pixels_ = 0, row_bytes_ = 0;  // where they begin in the file, and bytes of a stored row
  size_t colours_ = 0;                 // of the palette; 0: the samples are what is shown
  std::array<std::array<uint8_t, 3>, 256> palette_{};
};

}  // namespace brio::formats
