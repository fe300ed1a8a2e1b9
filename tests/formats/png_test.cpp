#include "brio/formats/png.h"

#include <gtest/gtest.h>

#include "tests/formats/picture_golden.h"

namespace brio::formats {
namespace {

template <typename T>
std::vector<T> decode(PngDecoder& decoder, std::string_view bytes, DecodeOptions options = {}) {
  options.dtype = dtype_of<T>;
  decoder.open(bytes, {"a.png"}, options);
  const PictureSize size = decoder.size();
  std::vector<T> pixels(static_cast<size_t>(size.elements()));
  decoder.decode(pixels.data(), static_cast<size_t>(size.width * size.channels) * sizeof(T));
  return pixels;
}

template <typename T>
void compare(const std::string& stem) {
  PngDecoder decoder;
  size_t cases = 0;
  for (const golden::Case& c : golden_cases(stem)) {
    SCOPED_TRACE(c.name);
    const DecodeOptions options{.channels = static_cast<int>(c.number("channels"))};
    ASSERT_FALSE(c.has("refused"));
    const std::vector<T> pixels = decode<T>(decoder, golden_file(c.text("file")), options);
    expect_pixels(c, decoder.size(), pixels);
    ++cases;
  }
  EXPECT_GT(cases, 100U);
}

TEST(Png, DecodesAsTensorFlow) { compare<uint8_t>("pictures_png"); }
TEST(Png, DecodesToSixteenBitsAsTensorFlow) { compare<uint16_t>("pictures_png16"); }

TEST(Png, EncodesAsTensorFlow) {
  PngDecoder decoder;
  for (const golden::Case& c : golden_cases("pictures_encode")) {
    if (c.text("kind") != "png") continue;
    SCOPED_TRACE(c.name);
    const golden::Array& image = c.input("image");
    const PictureSize size{image.shape[0], image.shape[1], static_cast<int>(image.shape[2])};
    const int level = static_cast<int>(c.number("compression"));
    const auto same = [&](auto one) {
      using T = decltype(one);
      const std::vector<T> pixels(image.data.begin(), image.data.end());
      const std::string file = encode_png(pixels.data(), static_cast<size_t>(size.width * size.channels) * sizeof(T),
                                          size, dtype_of<T>, level);
      EXPECT_EQ(decode<T>(decoder, file), pixels);
      EXPECT_EQ(decode<T>(decoder, from_hex(c.text("file"))), pixels);
      // How deflate packs is its version's affair; what is not packed has the same bytes.
      if (level == 0) {
        EXPECT_EQ(file.substr(0, 41), from_hex(c.text("file")).substr(0, 41));
      }
    };
    if (c.number("bits") == 8) same(uint8_t{});
    else same(uint16_t{});
  }
}

TEST(Png, TwoChannelsAreGreyAndAlpha) {
  PngDecoder decoder;
  const std::vector<uint8_t> grey = decode<uint8_t>(decoder, golden_file("png/rgba8"), {.channels = 1});
  const std::vector<uint8_t> rgba = decode<uint8_t>(decoder, golden_file("png/rgba8"));
  const std::vector<uint8_t> both = decode<uint8_t>(decoder, golden_file("png/rgba8"), {.channels = 2});
  ASSERT_EQ(both.size(), 2 * grey.size());
  for (size_t i = 0; i < grey.size(); ++i) {
    EXPECT_EQ(both[2 * i], grey[i]);
    EXPECT_EQ(both[2 * i + 1], rgba[4 * i + 3]);
  }
}

TEST(Png, AWindowHasThePixelsOfTheWholePicture) {
  PngDecoder decoder;
  for (const char* name : {"png/rgb8", "png/rgb16", "png/rgb8_interlaced", "png/grey1", "png/grey1_interlaced"}) {
    const std::vector<uint16_t> whole = decode<uint16_t>(decoder, golden_file(name));
    const PictureSize size = decoder.size();
    for (const Window& w : {Window{0, 0, 5, 6}, Window{1, 2, 3, 4}, Window{4, 0, 1, 6}, Window{0, 5, 2, 1}}) {
      const auto row = static_cast<size_t>(w.width * size.channels), stride = row + 3;
      std::vector<uint16_t> part(static_cast<size_t>(w.height) * stride, 777);
      decoder.open(golden_file(name), {}, {.dtype = u16});
      decoder.decode(part.data(), stride * 2, w);
      for (int64_t r = 0; r < w.height; ++r) {
        const uint16_t* got = part.data() + static_cast<size_t>(r) * stride;
        const uint16_t* want = whole.data() + ((w.top + r) * size.width + w.left) * size.channels;
        ASSERT_EQ(0, std::memcmp(got, want, row * 2)) << name;
        ASSERT_EQ(got[row], 777);
      }
    }
  }
}

std::string chunk(const std::string& kind, const std::string& content) {
  const auto big = [](uint32_t v) {
    return std::string{static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
                       static_cast<char>(v)};
  };
  const std::string body = kind + content;
  return big(static_cast<uint32_t>(content.size())) + body + big(crc_of(body.data(), body.size()));
}
constexpr size_t kBehindHeader = 33;  // signature and IHDR

TEST(Png, TurnsAsExifSays) {
  using namespace std::string_literals;
  PngDecoder decoder;
  const std::string& file = golden_file("png/rgb8");
  const std::vector<uint8_t> stored = decode<uint8_t>(decoder, file);
  const PictureSize size = decoder.size();
  std::string turned = file;
  turned.insert(kBehindHeader, chunk("eXIf", "II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"s));
  EXPECT_EQ(decode<uint8_t>(decoder, turned), stored);
  const std::vector<uint8_t> shown = decode<uint8_t>(decoder, turned, {.apply_orientation = true});
  EXPECT_EQ(decoder.size(), (PictureSize{size.width, size.height, 3}));
  for (int64_t r = 0; r < size.width; ++r)
    for (int64_t c = 0; c < size.height; ++c)
      ASSERT_EQ(shown[static_cast<size_t>(3 * (r * size.height + c))],
                stored[static_cast<size_t>(3 * ((size.height - 1 - c) * size.width + r))]);
}

std::string png_refusal(std::string_view bytes, const DecodeOptions& options = {}) {
  PngDecoder decoder;
  try {
    decoder.open(bytes, {"a.png"}, options);
    std::vector<uint8_t> pixels(static_cast<size_t>(decoder.size().elements()));
    decoder.decode(pixels.data(), static_cast<size_t>(decoder.size().width * decoder.size().channels));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Png, SaysWhatIsBroken) {
  const std::string& good = golden_file("png/rgb8");
  EXPECT_EQ(png_refusal(good), "no error");
  EXPECT_EQ(png_refusal(""), "a.png: at byte 0: the PNG ends too early; the file is truncated");
  EXPECT_EQ(png_refusal("not a picture"), "a.png: at byte 8: not a good PNG: Not a PNG file");
  for (const size_t cut : {good.size() - 1, good.size() - 12, good.size() - 20, size_t{40}})
    EXPECT_EQ(png_refusal(good.substr(0, cut)),
              cat("a.png: at byte ", cut, ": the PNG ends too early; the file is truncated"));
  std::string corrupt = good;
  corrupt[50] ^= 1;  // within IDAT
  EXPECT_NE(png_refusal(corrupt).find("not a good PNG: "), std::string::npos);
  std::string bad_header = good;
  bad_header[20] ^= 1;
  EXPECT_NE(png_refusal(bad_header).find("not a good PNG: IHDR: CRC error"), std::string::npos)
      << png_refusal(bad_header);
  EXPECT_EQ(png_refusal(good, {.channels = 5}), "[decode_png] channels is 5; a PNG is decoded to 0, 1, 2, 3 or 4");
  EXPECT_EQ(png_refusal(good, {.dtype = f32}), "[decode_png] dtype is float32; a PNG is decoded to uint8 or uint16");
  EXPECT_EQ(png_refusal(good, {.ratio = 2}), "[decode_png] ratio is 2; a PNG has only 1");
  PngDecoder decoder;
  uint8_t pixel[4];
  EXPECT_THROW(decoder.decode(pixel, 4), InvalidArgument);
  decoder.open(good);
  EXPECT_THROW(decoder.decode(pixel, 4, {0, 0, 99, 99}), InvalidArgument);
  PngDecoder other = std::move(decoder);
  decoder = std::move(other);
  EXPECT_EQ(decode<uint8_t>(decoder, good).size(), 90U);
}

TEST(Png, RefusesWhatClaimsTooMuch) {
  const std::string& good = golden_file("png/rgb8");
  const auto claims = [&](const char* sides) {
    const std::string header = std::string(sides, 8) + good.substr(24, 5);
    return good.substr(0, 8) + chunk("IHDR", header) + good.substr(kBehindHeader);
  };
  EXPECT_EQ(
      png_refusal(claims("\x7f\xff\xff\xff\x7f\xff\xff\xff")),
      "a.png: at byte 0: the PNG claims 2147483647 x 2147483647 pixels, more than the limit of 268435456; raise "
      "PictureLimits::max_pixels to admit it");
  EXPECT_NE(
      png_refusal(claims("\x00\x00\x40\x00\x00\x00\x40\x00")).find("16384 x 16384 pixels, more than 1000 bytes"),
      std::string::npos);
  EXPECT_NE(png_refusal(claims("\x00\x00\x00\x00\x00\x00\x40\x00")).find("at byte 33: not a good PNG"),
            std::string::npos);
  EXPECT_EQ(png_refusal(good, {.limits = {.max_pixels = 30}}), "no error");
  EXPECT_NE(png_refusal(good, {.limits = {.max_pixels = 29}}), "no error");
  EXPECT_NE(png_refusal(good, {.limits = {.max_ratio = 0.1, .always = 10}}), "no error");
}

TEST(Png, EncodingRefusesWhatAPngCannotHold) {
  const uint8_t pixels[16] = {};
  const auto message = [&](const PictureSize& size, DType dtype, int compression) -> std::string {
    try {
      encode_png(pixels, 4, size, dtype, compression);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({1, 1, 0}, u8, -1), "[encode_png] the picture has 0 channels; a PNG holds 1 to 4");
  EXPECT_EQ(message({1, 0, 1}, u8, -1),
            "[encode_png] the picture is 1 x 0; a side of a PNG has 1 to 134217728 pixels");
  EXPECT_EQ(message({1, 1, 1}, f32, -1), "[encode_png] the pixels are float32; a PNG holds uint8 or uint16");
  EXPECT_EQ(message({1, 1, 1}, u8, 10), "[encode_png] compression is 10; it is -1 to 9");
  EXPECT_EQ(message({2, 2, 2}, u8, 9), "no error");
}

}  // namespace
}  // namespace brio::formats
