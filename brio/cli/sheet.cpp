#include "brio/cli/sheet.h"

#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/formats/file.h"
#include "brio/formats/png.h"

namespace brio::cli {
namespace {

constexpr int64_t kSide = 96, kGap = 4, kColumns = 8;

}  // namespace

void Sheet::add(Pixels picture) {
  if (full() || picture.height < 1 || picture.width < 1) return;
  const int64_t longer = std::max(picture.height, picture.width);
  resize_rgb(picture, std::max<int64_t>(1, picture.height * kSide / longer),
             std::max<int64_t>(1, picture.width * kSide / longer));
  thumbnails_.push_back(std::move(picture));
}

void Sheet::write(const std::string& path) const {
  if (thumbnails_.empty()) throw InvalidArgument("[inspect] there are no pictures for a sheet");
  const auto count = static_cast<int64_t>(thumbnails_.size());
  const int64_t columns = std::min(kColumns, count), rows = (count + columns - 1) / columns;
  const int64_t width = columns * (kSide + kGap) + kGap, height = rows * (kSide + kGap) + kGap;
  std::vector<uint8_t> sheet(static_cast<size_t>(width * height * 3), 255);
  for (int64_t i = 0; i < count; ++i) {
    const Pixels& picture = thumbnails_[static_cast<size_t>(i)];
    const int64_t top = kGap + i / columns * (kSide + kGap) + (kSide - picture.height) / 2;
    const int64_t left = kGap + i % columns * (kSide + kGap) + (kSide - picture.width) / 2;
    for (int64_t y = 0; y < picture.height; ++y)
      std::memcpy(sheet.data() + ((top + y) * width + left) * 3, picture.rgb.data() + y * picture.width * 3,
                  static_cast<size_t>(picture.width) * 3);
  }
  formats::write_file(path, formats::encode_png(sheet.data(), static_cast<size_t>(width) * 3, {height, width, 3}));
}

}  // namespace brio::cli
