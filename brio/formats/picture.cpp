#include "brio/formats/picture.h"

namespace brio::formats {

std::string_view name_of(PictureFormat format) {
  constexpr std::string_view names[] = {"unknown", "JPEG", "PNG", "BMP", "GIF", "WebP"};
  return names[static_cast<int>(format)];
}

PictureFormat sniff_picture(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return PictureFormat::jpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return PictureFormat::png;
  if (bytes.starts_with("GIF8")) return PictureFormat::gif;
  if (bytes.starts_with("BM")) return PictureFormat::bmp;
  if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") return PictureFormat::webp;
  return PictureFormat::unknown;
}

void check_limits(const PictureInfo& info, size_t file_bytes, int64_t decoded, const PictureLimits& limits,
                  const Origin& origin) {
  const auto fail = [&](std::string_view why) {
    throw DataError(origin, 0,
                    cat("the ", name_of(info.format), " claims ", info.width, " x ", info.height, " pixels, ", why));
  };
  // No format has more than 2^31 pixels a side, so the product fits.
  const int64_t pixels = info.height * info.width;
  if (info.height <= 0 || info.width <= 0) fail("which is no picture");
  if (pixels > limits.max_pixels)
    fail(cat("more than the limit of ", limits.max_pixels, "; raise PictureLimits::max_pixels to admit it"));
  const auto bytes = static_cast<double>(pixels) * static_cast<double>(decoded);
  if (bytes > static_cast<double>(limits.always) && bytes > limits.max_ratio * static_cast<double>(file_bytes))
    fail(cat("more than ", limits.max_ratio, " bytes for each of the file's ", file_bytes,
             "; raise PictureLimits::max_ratio to admit it"));
}

void check_window(const Window& w, const PictureSize& size, std::string_view who) {
  const auto inside = [](int64_t begin, int64_t count, int64_t all) {
    return begin >= 0 && count > 0 && count <= all && begin <= all - count;
  };
  if (!inside(w.top, w.height, size.height) || !inside(w.left, w.width, size.width))
    throw InvalidArgument(cat("[", who, "] a window of ", w.height, " x ", w.width, " at (", w.top, ", ", w.left,
                              ") does not lie in the picture of ", size.height, " x ", size.width,
                              "; windows are given in decoded pixels"));
}

}  // namespace brio::formats
