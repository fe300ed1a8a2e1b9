// What all picture formats share: what a header says, what is asked for, and how much a file may claim.
#pragma once

#include <cstdint>
#include <string_view>

#include "brio/formats/data_error.h"
#include "brio/tensor/dtype.h"

namespace brio::formats {

enum class PictureFormat : uint8_t { unknown, jpeg, png, bmp, gif, webp };
std::string_view name_of(PictureFormat format);  // "JPEG"
PictureFormat sniff_picture(std::string_view bytes);

// What a picture's header says.
struct PictureInfo {
  PictureFormat format = PictureFormat::unknown;
  int64_t height = 0, width = 0;  // as stored, before `orientation` turns them
  int channels = 0;               // that decoding gives where no number is asked for
  int bit_depth = 8;              // of a stored channel, or of a palette's index
  int orientation = 1;            // EXIF's, 1 to 8
};

// What a header may claim; more is refused before anything of that size is allocated.
struct PictureLimits {
  int64_t max_pixels = int64_t{1} << 28;
  // Decoded bytes for each byte of the file. Pictures of at most `always` decoded bytes are not asked.
  double max_ratio = 1000;
  int64_t always = int64_t{64} << 20;
};

struct DecodeOptions {
  int channels = 0;                // 0: as stored; 1 grey, 2 grey and alpha (PNG), 3 RGB, 4 RGB and alpha (PNG, BMP)
  DType dtype = u8;                // or u16, of PNG
  bool apply_orientation = false;  // turn the picture as its EXIF orientation says
  PictureLimits limits = {};

  // Of JPEG, with the names, meanings and defaults of tf.io.decode_jpeg.
  int ratio = 1;  // 1, 2, 4 or 8: how much smaller it is decoded
  bool fancy_upscaling = true;
  bool accurate_dct = false;           // dct_method INTEGER_ACCURATE in place of INTEGER_FAST
  bool try_recover_truncated = false;  // what is missing is made up; otherwise a truncated file is an error
  // libjpeg goes on after corrupt data with a warning, and so does TensorFlow. Here it may be an error.
  bool warnings_are_errors = false;
};

// A rectangle of the picture that is asked for, in its pixels: after `ratio` and after the orientation.
struct Window {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

struct PictureSize {
  int64_t height = 0, width = 0;
  int channels = 0;

  int64_t elements() const { return height * width * channels; }
  bool operator==(const PictureSize&) const = default;
};

// Grey of a colour, with the weights of JPEG's own luma.
inline uint8_t luma(int red, int green, int blue) {
  return static_cast<uint8_t>((19595 * red + 38470 * green + 7471 * blue + 32768) >> 16);
}

// Throws DataError where the picture is larger than the limits admit. `decoded`: bytes of a decoded pixel.
void check_limits(const PictureInfo& info, size_t file_bytes, int64_t decoded, const PictureLimits& limits,
                  const Origin& origin);
// Throws InvalidArgument where the window does not lie in the picture.
void check_window(const Window& window, const PictureSize& size, std::string_view who);

}  // namespace brio::formats
