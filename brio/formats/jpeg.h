// JPEG files through libjpeg-turbo, with the pixels of tf.io.decode_jpeg bit for bit (docs/decisions/pictures.md).
//
//   JpegDecoder decoder;                                    // one for each thread; keeps its memory
//   decoder.open(bytes, {path}, {.channels = 3});           // header and limits
//   PictureSize size = decoder.size();
//   decoder.decode(rows, stride);                           // into the caller's memory
#pragma once

#include <memory>
#include <string>

#include "brio/formats/picture.h"

namespace brio::formats {

class JpegDecoder {
 public:
  JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;
  ~JpegDecoder();

  // Reads the header and checks it. `bytes` and the name in `origin` must live until decode() returns.
  const PictureInfo& open(std::string_view bytes, const Origin& origin = {}, const DecodeOptions& options = {});
  PictureSize size() const;  // of what decode() writes: after ratio and orientation

  // Writes rows of uint8 pixels that are `stride` bytes apart; once for each open(). After an error the content of
  // the rows is undefined.
  void decode(void* rows, size_t stride);
  // Decodes only a window, with the pixels that the whole picture has there. The rest is not decoded if the file
  // allows that, so a file that is truncated behind the window is accepted.
  void decode(void* rows, size_t stride, const Window& window);

  // For the last picture: how often libjpeg met corrupt data and continued, and its first message.
  int64_t warnings() const;
  std::string_view first_warning() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The largest ratio of {1, 2, 4, 8} at which a picture of (height, width) is not smaller than the wanted size.
int jpeg_ratio_for(int64_t height, int64_t width, int64_t wanted_height, int64_t wanted_width);

// As tf.io.encode_jpeg.
struct JpegEncodeOptions {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  int density_unit = 1;  // 0 none, 1 an inch, 2 a centimetre
  int x_density = 300, y_density = 300;
};
// uint8 pixels of 1 (grey) or 3 (RGB) channels in rows `stride` bytes apart.
std::string encode_jpeg(const void* rows, size_t stride, const PictureSize& size,
                        const JpegEncodeOptions& options = {});

}  // namespace brio::formats
