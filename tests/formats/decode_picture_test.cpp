#include "brio/formats/decode_picture.h"

#include <gtest/gtest.h>

#include "tests/formats/picture_golden.h"

namespace brio::formats {
namespace {

TEST(DecodePicture, TellsFormatsApart) {
  for (const char* kind : {"jpeg/444", "png/rgb8", "bmp/rgb"}) {
    const std::string& file = golden_file(kind);
    const PictureInfo info = picture_info(file);
    EXPECT_EQ(info.channels, 3) << kind;
    EXPECT_EQ(info.bit_depth, 8) << kind;
    const Array whole = decode_picture(file);
    EXPECT_EQ(whole.aval, (Aval{{info.height, info.width, 3}, u8}));
    const Array wide = decode_picture(file, {}, {.dtype = u16});
    EXPECT_EQ(wide.aval.dtype, u16);
    const int factor = info.format == PictureFormat::png ? 257 : 256;
    for (int64_t i = 0; i < info.height * info.width * 3; ++i)
      ASSERT_EQ(wide.as<uint16_t>()[i], whole.as<uint8_t>()[i] * factor);
    // One decoder for all; the ratio is for those that have one.
    PictureDecoder decoder;
    decoder.open(file, {}, {.ratio = 2});
    const bool jpeg = info.format == PictureFormat::jpeg;
    EXPECT_EQ(decoder.size().height, jpeg ? (info.height + 1) / 2 : info.height);
    decoder.open(file);
    std::vector<uint8_t> part(6);
    decoder.decode(part.data(), 6, {3, 2, 1, 2});
    EXPECT_EQ(0, std::memcmp(part.data(), whole.as<uint8_t>() + 3 * (3 * info.width + 2), 6)) << kind;
  }
  EXPECT_EQ(picture_info(golden_file("jpeg/exif")).orientation, 6);
  EXPECT_EQ(picture_info(golden_file("jpeg/grey")).channels, 1);
  EXPECT_EQ(picture_info(golden_file("png/palette4")).bit_depth, 4);
}

TEST(DecodePicture, SaysWhatItCannotRead) {
  const auto message = [](std::string_view bytes) -> std::string {
    try {
      decode_picture(bytes, {"f"});
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("GIF89a..."), "f: at byte 0: a GIF is not supported; convert it to JPEG or PNG");
  EXPECT_EQ(message("RIFF....WEBPVP8 "), "f: at byte 0: a WebP is not supported; convert it to JPEG or PNG");
  EXPECT_EQ(message("hello"), "f: at byte 0: neither JPEG nor PNG nor BMP: it begins as none of them");
  EXPECT_EQ(message(""), "f: at byte 0: the file is empty");
  PictureDecoder decoder;
  EXPECT_THROW(decoder.decode(nullptr, 0), InvalidArgument);
  EXPECT_EQ(decoder.size(), PictureSize{});
  EXPECT_EQ(name_of(PictureFormat::unknown), "unknown");
}

}  // namespace
}  // namespace brio::formats
