#include "brio/formats/bmp.h"

#include <gtest/gtest.h>

#include "tests/formats/picture_golden.h"

namespace brio::formats {
namespace {

std::vector<uint8_t> decode(std::string_view bytes, const DecodeOptions& options = {}) {
  BmpDecoder decoder;
  decoder.open(bytes, {"a.bmp"}, options);
  std::vector<uint8_t> pixels(static_cast<size_t>(decoder.size().elements()));
  decoder.decode(pixels.data(), static_cast<size_t>(decoder.size().width * decoder.size().channels));
  return pixels;
}

TEST(Bmp, DecodesAsTensorFlow) {
  for (const golden::Case& c : golden_cases("pictures_bmp")) {
    const DecodeOptions options{.channels = static_cast<int>(c.number("channels"))};
    BmpDecoder decoder;
    decoder.open(golden_file(c.text("file")), {}, options);
    expect_pixels(c, decoder.size(), decode(golden_file(c.text("file")), options));
  }
}

std::string number(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(value >> 8 * i) : '\0';
  return text;
}

std::string bmp(int width, int height, int bits, const std::string& palette, uint32_t colours,
                const std::string& pixels, int compression = 0) {
  return "BM" + number(0, 8) + number(54 + palette.size(), 4) + number(40, 4) +
         number(static_cast<uint32_t>(width), 4) + number(static_cast<uint32_t>(height), 4) + number(1, 2) +
         number(static_cast<uint32_t>(bits), 2) + number(static_cast<uint32_t>(compression), 4) + number(0, 12) +
         number(colours, 4) + number(0, 4) + palette + pixels;
}

const std::string kPalette("\x01\x02\x03\x00\x11\x12\x13\x00", 8);  // blue, green, red, nothing

TEST(Bmp, PalettesOfColours) {
  const std::vector<uint8_t> two = {3, 2, 1, 0x13, 0x12, 0x11, 0x13, 0x12, 0x11};  // 0 1 1
  EXPECT_EQ(decode(bmp(3, -1, 1, kPalette, 0, std::string("\x60\x00\x00\x00", 4))), two);
  EXPECT_EQ(decode(bmp(3, -1, 4, kPalette, 2, std::string("\x01\x10\x00\x00", 4))), two);
  EXPECT_EQ(decode(bmp(3, -1, 8, kPalette, 2, std::string("\x00\x01\x01\x00", 4))), two);
  EXPECT_EQ(decode(bmp(3, -1, 8, kPalette, 2, std::string("\x00\x01\x01\x00", 4)), {.channels = 1}),
            (std::vector<uint8_t>{luma(3, 2, 1), luma(0x13, 0x12, 0x11), luma(0x13, 0x12, 0x11)}));
  // Without a palette, 8 bits are grey.
  EXPECT_EQ(decode(bmp(3, -1, 8, "", 0, std::string("\x00\x01\x09\x00", 4))), (std::vector<uint8_t>{0, 1, 9}));
}

TEST(Bmp, AWindowHasThePixelsOfTheWholePicture) {
  for (const char* name : {"bmp/rgb", "bmp/rgb_top_down"}) {
    const std::vector<uint8_t> whole = decode(golden_file(name));
    BmpDecoder decoder;
    decoder.open(golden_file(name));
    std::vector<uint8_t> part(2 * 12);
    decoder.decode(part.data(), 12, {1, 2, 2, 4});
    for (size_t r = 0; r < 2; ++r) EXPECT_EQ(0, std::memcmp(&part[r * 12], &whole[((1 + r) * 7 + 2) * 3], 12));
  }
}

std::string bmp_refusal(std::string_view bytes, const DecodeOptions& options = {}) {
  try {
    decode(bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Bmp, SaysWhatIsBroken) {
  const std::string good = golden_file("bmp/rgb");
  EXPECT_EQ(bmp_refusal(good), "no error");
  EXPECT_EQ(bmp_refusal(good + "xx"), "no error");
  EXPECT_EQ(bmp_refusal("x"), "a.bmp: at byte 0: not a BMP: it does not begin with BM");
  EXPECT_EQ(bmp_refusal("BM"), "a.bmp: at byte 2: the BMP ends within its header; the file is truncated");
  EXPECT_EQ(bmp_refusal(good.substr(0, good.size() - 1)),
            cat("a.bmp: at byte ", good.size() - 1,
                ": the BMP ends before its 5 rows of 24 bytes from byte 54 on; the file is truncated"));
  const auto changed = [&](size_t at, const std::string& with) {
    return std::string(good).replace(at, with.size(), with);
  };
  EXPECT_EQ(bmp_refusal(changed(14, number(12, 4))),
            "a.bmp: at byte 14: the BMP has a header of 12 bytes, which is of OS/2 or corrupt");
  EXPECT_EQ(bmp_refusal(changed(28, number(16, 2))),
            "a.bmp: at byte 28: the BMP has 16 bits a pixel; 1, 4, 8, 24 and 32 can be read");
  EXPECT_EQ(bmp_refusal(changed(30, number(1, 4))),
            "a.bmp: at byte 30: the BMP is compressed (method 1), which is not supported");
  EXPECT_NE(bmp_refusal(changed(10, number(0xffffffff, 4))).find("the file is truncated"), std::string::npos);
  EXPECT_EQ(bmp_refusal(changed(18, number(0, 4))),
            "a.bmp: at byte 0: the BMP claims 0 x 5 pixels, which is no picture");
  EXPECT_EQ(bmp_refusal(changed(18, number(0x80000000, 4))),
            "a.bmp: at byte 0: the BMP claims -2147483648 x 5 pixels, which is no picture");
  EXPECT_NE(bmp_refusal(changed(22, number(0x80000000, 4))).find("more than the limit"), std::string::npos);
  EXPECT_EQ(bmp_refusal(bmp(3, 1, 8, kPalette, 300, "")),
            "a.bmp: at byte 46: the BMP's palette of 300 colours does not lie in the file");
  EXPECT_EQ(bmp_refusal(bmp(3, 1, 4, kPalette, 0, "1234")),
            "a.bmp: at byte 46: the BMP's palette of 16 colours does not lie in the file");
  EXPECT_EQ(bmp_refusal(bmp(3, 1, 8, kPalette, 2, std::string("\0\x01\x02\0", 4))),
            "a.bmp: at byte 64: the BMP's palette has 2 colours, and a pixel has number 2");
  EXPECT_EQ(bmp_refusal(good, {.channels = 2}), "[decode_bmp] channels is 2; a BMP is decoded to 0, 1, 3 or 4");
  EXPECT_EQ(bmp_refusal(good, {.dtype = u16}), "[decode_bmp] dtype is uint16; a BMP is decoded to uint8");
  EXPECT_EQ(bmp_refusal(good, {.ratio = 2}), "[decode_bmp] ratio is 2; a BMP has only 1");
  BmpDecoder decoder;
  EXPECT_THROW(decoder.decode(nullptr, 0), InvalidArgument);
  decoder.open(good);
  EXPECT_THROW(decoder.decode(nullptr, 0, {0, 0, 6, 1}), InvalidArgument);
}

TEST(Bmp, PlacesOfColoursThatAreTold) {
  const std::string masks = number(0xff0000, 4) + number(0xff00, 4) + number(0xff, 4);
  EXPECT_EQ(decode(bmp(1, 1, 32, masks, 0, "abcd", 3)), (std::vector<uint8_t>{'c', 'b', 'a', 'd'}));
  const std::string others = number(0xff, 4) + number(0xff00, 4) + number(0xff0000, 4);
  EXPECT_EQ(bmp_refusal(bmp(1, 1, 32, others, 0, "abcd", 3)),
            "a.bmp: at byte 30: the BMP is compressed (method 3), which is not supported");
}

}  // namespace
}  // namespace brio::formats
