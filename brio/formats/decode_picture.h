// Pictures of any format, as tf.io.decode_image: what the bytes are is told by how they begin.
#pragma once

#include "brio/formats/bmp.h"
#include "brio/formats/jpeg.h"
#include "brio/formats/png.h"
#include "brio/tensor/aval.h"

namespace brio::formats {

// Used as JpegDecoder; one for each thread. Keeps the memory of each format it has met.
class PictureDecoder {
 public:
  // `ratio` is for JPEG: other formats are decoded at their size, which size() tells.
  const PictureInfo& open(std::string_view bytes, const Origin& origin = {}, const DecodeOptions& options = {});
  PictureSize size() const;
  void decode(void* rows, size_t stride);
  void decode(void* rows, size_t stride, const Window& window);

 private:
  JpegDecoder jpeg_;
  PngDecoder png_;
  BmpDecoder bmp_;
  PictureFormat open_ = PictureFormat::unknown;
};

// The whole picture, (height, width, channels). dtype uint8, or uint16: JPEG's and BMP's samples times 256 then, as
// in tf.io.decode_image.
Array decode_picture(std::string_view bytes, const Origin& origin = {}, const DecodeOptions& options = {});
// What the header says, nothing more; the orientation too.
PictureInfo picture_info(std::string_view bytes, const Origin& origin = {}, const PictureLimits& limits = {});

}  // namespace brio::formats
