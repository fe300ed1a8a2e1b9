#include "brio/formats/orientation.h"

#include <cstring>

#include "brio/formats/byte_order.h"

namespace brio::formats {

namespace {

uint32_t short_at(std::string_view bytes, size_t at, bool big) {
  return big ? load_big<uint16_t>(bytes.data() + at) : load_little<uint16_t>(bytes.data() + at);
}
uint32_t long_at(std::string_view bytes, size_t at, bool big) {
  return big ? load_big<uint32_t>(bytes.data() + at) : load_little<uint32_t>(bytes.data() + at);
}

}  // namespace

int exif_orientation(std::string_view tiff) {
  constexpr uint32_t kOrientation = 0x0112, kShort = 3;
  if (!tiff.starts_with(std::string_view("II*\0", 4)) && !tiff.starts_with(std::string_view("MM\0*", 4))) return 1;
  const bool big = tiff[0] == 'M';
  if (tiff.size() < 8) return 1;
  const size_t directory = long_at(tiff, 4, big);
  if (directory > tiff.size() || tiff.size() - directory < 2) return 1;
  const size_t entries = short_at(tiff, directory, big);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (tiff.size() < entry + 12) return 1;
    if (short_at(tiff, entry, big) != kOrientation) continue;
    const uint32_t value = short_at(tiff, entry + 8, big);
    const bool good = short_at(tiff, entry + 2, big) == kShort && value >= 1 && value <= 8;
    return good ? static_cast<int>(value) : 1;
  }
  return 1;
}

int jpeg_orientation(std::string_view jpeg) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  size_t at = 2;  // behind SOI
  while (jpeg.size() >= at + 4 && static_cast<unsigned char>(jpeg[at]) == 0xff) {
    const auto marker = static_cast<unsigned char>(jpeg[at + 1]);
    if (marker == 0xff) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == 0xda || marker == 0xd9) return 1;  // the picture begins
    const size_t length = short_at(jpeg, at + 2, true);
    if (length < 2 || jpeg.size() - at - 2 < length) return 1;
    const std::string_view content = jpeg.substr(at + 4, length - 2);
    if (marker == 0xe1 && content.starts_with(kExif)) return exif_orientation(content.substr(kExif.size()));
    at += 2 + length;
  }
  return 1;
}

template <int pixel>
void RowPlacer::put_pixels(const RowPlacer& self, int64_t row, const uint8_t* pixels) {
  uint8_t* to = self.place_of(row);
  if (self.column_step_ == pixel) {
    std::memcpy(to, pixels, static_cast<size_t>(self.from_.width) * pixel);
    return;
  }
  for (int64_t i = 0; i < self.from_.width; ++i) std::memcpy(to + i * self.column_step_, pixels + i * pixel, pixel);
}

RowPlacer::RowPlacer(int orientation, const PictureSize& stored, const Window& window, int pixel, void* rows,
                     size_t stride)
    : transpose_(transposes(orientation)),
      flip_rows_(orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7),
      flip_columns_(orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8),
      from_(window) {
  if (transpose_) from_ = {window.left, window.top, window.width, window.height};
  if (flip_rows_) from_.top = stored.height - from_.top - from_.height;
  if (flip_columns_) from_.left = stored.width - from_.left - from_.width;
  row_step_ = transpose_ ? pixel : static_cast<ptrdiff_t>(stride);
  column_step_ = transpose_ ? static_cast<ptrdiff_t>(stride) : pixel;
  first_ = static_cast<uint8_t*>(rows);
  if (flip_rows_) {
    first_ += (from_.height - 1) * row_step_;
    row_step_ = -row_step_;
  }
  if (flip_columns_) {
    first_ += (from_.width - 1) * column_step_;
    column_step_ = -column_step_;
  }
  switch (pixel) {
    case 1: put_ = put_pixels<1>; break;
    case 2: put_ = put_pixels<2>; break;
    case 3: put_ = put_pixels<3>; break;
    case 4: put_ = put_pixels<4>; break;
    case 6: put_ = put_pixels<6>; break;
    default: BRIO_CHECK(pixel == 8, "pixels have 1 to 4 channels of 1 or 2 bytes"); put_ = put_pixels<8>;
  }
}

}  // namespace brio::formats
