// tf.io.encode_png.
#include <zlib.h>

#include <new>

#include "brio/formats/png.h"
#include "brio/formats/png_errors.h"

namespace brio::formats {

namespace {

struct PngEncoder {
  PngErrors errors;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string out;

  PngEncoder() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &errors, PngErrors::fail, PngErrors::ignore);
    info = png ? png_create_info_struct(png) : nullptr;
    if (!info) throw ResourceError("libpng: there is no memory for its state");
  }
  PngEncoder(const PngEncoder&) = delete;
  PngEncoder& operator=(const PngEncoder&) = delete;
  ~PngEncoder() { png_destroy_write_struct(&png, &info); }

  static void append(png_structp png, png_bytep bytes, size_t count) {
    bool stored = true;
    try {  // an exception must not pass libpng
      static_cast<PngEncoder*>(png_get_io_ptr(png))->out.append(reinterpret_cast<const char*>(bytes), count);
    } catch (const std::bad_alloc&) {
      stored = false;
    }
    if (!stored) png_error(png, "there is no memory for the file");
  }

  void encode(const void* rows, size_t stride, const PictureSize& size, DType dtype, int compression) {
    constexpr int kColours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    png_set_write_fn(png, this, append, nullptr);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, compression);
    png_set_compression_mem_level(png, MAX_MEM_LEVEL);
    png_set_IHDR(png, info, static_cast<png_uint_32>(size.width), static_cast<png_uint_32>(size.height),
                 8 * static_cast<int>(size_of(dtype)), kColours[size.channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (dtype == u16) png_set_swap(png);
    for (int64_t row = 0; row < size.height; ++row)
      png_write_row(png, static_cast<png_const_bytep>(rows) + static_cast<size_t>(row) * stride);
    png_write_end(png, nullptr);
  }
};

}  // namespace

std::string encode_png(const void* rows, size_t stride, const PictureSize& size, DType dtype, int compression) {
  const auto refuse = [](const std::string& why) { throw InvalidArgument("[encode_png] " + why); };
  if (size.channels < 1 || size.channels > 4)
    refuse(cat("the picture has ", size.channels, " channels; a PNG holds 1 to 4"));
  // libpng counts the bytes of a row in 32 bits.
  constexpr int64_t kMost = int64_t{1} << 27;
  if (size.height < 1 || size.width < 1 || size.height > kMost || size.width > kMost)
    refuse(cat("the picture is ", size.height, " x ", size.width, "; a side of a PNG has 1 to ", kMost, " pixels"));
  if (dtype != u8 && dtype != u16) refuse(cat("the pixels are ", dtype, "; a PNG holds uint8 or uint16"));
  if (compression < -1 || compression > 9) refuse(cat("compression is ", compression, "; it is -1 to 9"));
  PngEncoder encoder;
  if (!encoder.errors.guarded([&] { encoder.encode(rows, stride, size, dtype, compression); }))
    throw ResourceError(cat("[encode_png] ", encoder.errors.message));
  return std::move(encoder.out);
}

}  // namespace brio::formats
