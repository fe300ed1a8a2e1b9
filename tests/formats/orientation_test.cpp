#include "brio/formats/orientation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>
#include <vector>

namespace brio::formats {
namespace {

using namespace std::string_literals;

const std::string kMotorola = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"s;
const std::string kIntel = "II*\0\x08\0\0\0\x02\0\x0f\x01\x02\0\x01\0\0\0\0\0\0\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0"s;

TEST(Orientation, OfATiffBlock) {
  EXPECT_EQ(exif_orientation(kMotorola), 6);
  EXPECT_EQ(exif_orientation(kIntel), 8);
  for (size_t cut = 0; cut < kIntel.size(); ++cut) EXPECT_EQ(exif_orientation(kIntel.substr(0, cut)), 1) << cut;
  EXPECT_EQ(exif_orientation("MM\0*\xff\xff\xff\xff"s), 1);  // the directory is not there
  EXPECT_EQ(exif_orientation("MM\0*\0\0\0\x08\0\0"s), 1);    // it is empty
  std::string other = kMotorola;
  other[13] = 4;  // a long, not a short
  EXPECT_EQ(exif_orientation(other), 1);
  other = kMotorola;
  other[19] = 9;
  EXPECT_EQ(exif_orientation(other), 1);
}

TEST(Orientation, OfAJpeg) {
  const std::string exif = "\xff\xe1\0\x1e"s + "Exif\0\0"s + kMotorola;
  EXPECT_EQ(jpeg_orientation("\xff\xd8"s + exif), 6);
  EXPECT_EQ(jpeg_orientation("\xff\xd8\xff\xe0\0\x04"
                             "xy\xff\xff"s +
                             exif),
            6);                                                          // behind another segment and a fill byte
  EXPECT_EQ(jpeg_orientation("\xff\xd8\xff\xe1\0\x06http"s + exif), 6);  // behind another APP1
  EXPECT_EQ(jpeg_orientation("\xff\xd8\xff\xda\0\x02"s + exif), 1);      // the picture has begun
  EXPECT_EQ(jpeg_orientation("\xff\xd8\xff\xe0\0\x01"s + exif), 1);      // a length that cannot be
  EXPECT_EQ(jpeg_orientation("\xff\xd8\xff\xe0\xff\xff"s + exif), 1);
  EXPECT_EQ(jpeg_orientation("\xff\xd8nothing"), 1);
  EXPECT_EQ(jpeg_orientation(""), 1);
}

TEST(Orientation, PixelsOfEverySize) {
  for (const int pixel : {1, 2, 3, 4, 6, 8}) {
    const PictureSize stored{3, 4, 1};
    const auto size = static_cast<size_t>(pixel);
    std::vector<uint8_t> from(12 * size);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i + 1);
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const bool turned = RowPlacer::transposes(orientation);
      const int64_t height = turned ? 4 : 3, width = turned ? 3 : 4;
      std::vector<uint8_t> to(12 * size);
      const RowPlacer placer(orientation, stored, {0, 0, height, width}, pixel, to.data(),
                             static_cast<size_t>(width) * size);
      for (int64_t row = 0; row < 3; ++row) placer.put(row, from.data() + static_cast<size_t>(row) * 4 * size);
      // The stored pixel (1, 2), by the definition of the tag.
      const int64_t at[][2] = {{1, 2}, {1, 1}, {1, 1}, {1, 2}, {2, 1}, {2, 1}, {1, 1}, {1, 1}};
      const auto* shown = at[orientation - 1];
      const size_t place = static_cast<size_t>(shown[0] * width + shown[1]) * size;
      EXPECT_EQ(std::vector<uint8_t>(to.begin() + static_cast<ptrdiff_t>(place),
                                     to.begin() + static_cast<ptrdiff_t>(place + size)),
                std::vector<uint8_t>(from.begin() + static_cast<ptrdiff_t>(6 * size),
                                     from.begin() + static_cast<ptrdiff_t>(7 * size)))
          << pixel << " " << orientation;
      std::sort(to.begin(), to.end());
      EXPECT_EQ(to, from);  // each pixel is somewhere
    }
  }
}

}  // namespace
}  // namespace brio::formats
