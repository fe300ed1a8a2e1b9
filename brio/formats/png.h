// PNG files through libpng, with the pixels of tf.io.decode_png bit for bit: all colour types and depths, interlaced.
#pragma once

#include <memory>
#include <string>

#include "brio/formats/picture.h"

namespace brio::formats {

// Used as JpegDecoder. Writes uint8, or uint16 where options.dtype says so.
class PngDecoder {
 public:
  PngDecoder();
  PngDecoder(PngDecoder&&) noexcept;
  PngDecoder& operator=(PngDecoder&&) noexcept;
  ~PngDecoder();

  const PictureInfo& open(std::string_view bytes, const Origin& origin = {}, const DecodeOptions& options = {});
  PictureSize size() const;
  void decode(void* rows, size_t stride);
  // Rows above the window must be read all the same; those below it are not.
  void decode(void* rows, size_t stride, const Window& window);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// As tf.io.encode_png: uint8 or uint16 pixels of 1 to 4 channels in rows `stride` bytes apart. `compression`: zlib's
// 0 to 9, or -1 for its default.
std::string encode_png(const void* rows, size_t stride, const PictureSize& size, DType dtype = u8,
                       int compression = -1);

}  // namespace brio::formats
