#include "brio/formats/jpeg.h"

#include <gtest/gtest.h>

#include <random>

#include "brio/formats/file.h"
#include "tests/formats/picture_golden.h"

namespace brio::formats {
namespace {

std::vector<uint8_t> decode(JpegDecoder& decoder, std::string_view bytes, const DecodeOptions& options = {}) {
  decoder.open(bytes, {"a.jpg"}, options);
  std::vector<uint8_t> pixels(static_cast<size_t>(decoder.size().elements()));
  decoder.decode(pixels.data(), static_cast<size_t>(decoder.size().width * decoder.size().channels));
  return pixels;
}

TEST(Jpeg, DecodesAsTensorFlow) {
  JpegDecoder decoder;
  size_t compared = 0, refused = 0;
  for (const char* stem : {"pictures_jpeg", "pictures_jpeg_options"}) {
    for (const golden::Case& c : golden_cases(stem)) {
      SCOPED_TRACE(c.name);
      const std::string& file = golden_file(c.text("file"));
      // TensorFlow makes no grey of four inks; we do (GreyOfInks).
      if (c.has("refused") && c.name.find("/cmyk") != std::string::npos && c.number("channels", 0) == 1) continue;
      if (c.has("refused")) {
        EXPECT_THROW(decode(decoder, file, jpeg_options(c)), DataError);
        ++refused;
      } else {
        const std::vector<uint8_t> pixels = decode(decoder, file, jpeg_options(c));
        expect_pixels(c, decoder.size(), pixels);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 80U);
  EXPECT_GT(refused, 10U);
}

TEST(Jpeg, DecodesPhotosAsTensorFlow) {
  if (!std::filesystem::exists(data_path("clothing"))) GTEST_SKIP() << data_path("clothing") << " is not there";
  JpegDecoder decoder;
  for (const golden::Case& c : golden_cases("pictures_photos")) {
    const std::vector<uint8_t> pixels = decode(decoder, read_file(data_path(c.text("path"))), jpeg_options(c));
    expect_pixels(c, decoder.size(), pixels);
  }
}

TEST(Jpeg, EncodesAsTensorFlow) {
  for (const golden::Case& c : golden_cases("pictures_encode")) {
    if (c.text("kind") != "jpeg") continue;
    const golden::Array& image = c.input("image");
    const std::vector<uint8_t> pixels(image.data.begin(), image.data.end());
    JpegEncodeOptions options;
    options.quality = static_cast<int>(c.number("quality", 95));
    options.progressive = c.number("progressive", 0) != 0;
    options.optimize_size = c.number("optimize_size", 0) != 0;
    options.chroma_downsampling = c.number("chroma_downsampling", 1) != 0;
    options.density_unit = c.has("density_unit") ? 2 : 1;
    options.x_density = static_cast<int>(c.number("x_density", 300));
    options.y_density = static_cast<int>(c.number("y_density", 300));
    const PictureSize size{image.shape[0], image.shape[1], static_cast<int>(image.shape[2])};
    EXPECT_EQ(encode_jpeg(pixels.data(), static_cast<size_t>(size.width * size.channels), size, options),
              from_hex(c.text("file")))
        << c.name;
  }
}

std::vector<uint8_t> scene(const PictureSize& size) {
  std::mt19937 random(7);
  std::vector<uint8_t> pixels(static_cast<size_t>(size.elements()));
  for (size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<uint8_t>(90 + 60 * ((i / 40) % 3) + random() % 40);
  return pixels;
}

std::string encoded(const PictureSize& size, const JpegEncodeOptions& options = {}) {
  return encode_jpeg(scene(size).data(), static_cast<size_t>(size.width * size.channels), size, options);
}

// A file with an EXIF block of one entry.
std::string with_orientation(const std::string& jpeg, int orientation) {
  using namespace std::string_literals;
  const std::string exif = "\xff\xe1\x00\x22"s + "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s +
                           static_cast<char>(orientation) + "\0\0\0\0\0\0"s;
  return jpeg.substr(0, 2) + exif + jpeg.substr(2);
}

std::vector<std::string> kinds() {
  std::vector<std::string> files = {encoded({61, 83, 3}), encoded({61, 83, 3}, {.chroma_downsampling = false}),
                                    encoded({50, 47, 1}), encoded({61, 83, 3}, {.progressive = true})};
  for (const char* name : {"422", "420_large", "cmyk", "rgb", "restart"})
    files.push_back(golden_file(std::string("jpeg/") + name));
  return files;
}

// The shown pixel (r, c) of a stored picture, by the definition of the tag.
std::vector<uint8_t> turned(const std::vector<uint8_t>& stored, const PictureSize& size, int orientation) {
  const int64_t h = size.height, w = size.width;
  const bool swap = orientation >= 5;
  std::vector<uint8_t> shown;
  for (int64_t r = 0; r < (swap ? w : h); ++r)
    for (int64_t c = 0; c < (swap ? h : w); ++c) {
      int64_t y = r, x = c;
      switch (orientation) {
        case 2: x = w - 1 - c; break;
        case 3: y = h - 1 - r, x = w - 1 - c; break;
        case 4: y = h - 1 - r; break;
        case 5: y = c, x = r; break;
        case 6: y = h - 1 - c, x = r; break;
        case 7: y = h - 1 - c, x = w - 1 - r; break;
        case 8: y = c, x = w - 1 - r; break;
        default: break;
      }
      for (int k = 0; k < size.channels; ++k)
        shown.push_back(stored[static_cast<size_t>((y * w + x) * size.channels + k)]);
    }
  return shown;
}

TEST(Jpeg, AWindowHasThePixelsOfTheWholePicture) {
  std::mt19937 random(1);
  JpegDecoder decoder;
  size_t windows = 0;
  for (const std::string& file : kinds()) {
    for (const int ratio : {1, 2, 4, 8}) {
      for (int i = 0; i < 24; ++i) {
        const int orientation = i % 3 == 0 ? 1 + i / 3 : 1;
        const std::string turned_file = with_orientation(file, orientation);
        DecodeOptions options{.channels = i % 5 == 0 ? 1 : 0, .apply_orientation = true, .ratio = ratio};
        options.fancy_upscaling = i % 4 != 1;
        const std::vector<uint8_t> whole = decode(decoder, turned_file, options);
        const PictureSize size = decoder.size();
        Window w;
        w.top = static_cast<int64_t>(random()) % size.height;
        w.left = static_cast<int64_t>(random()) % size.width;
        w.height = 1 + static_cast<int64_t>(random()) % (size.height - w.top);
        w.width = i % 7 == 6 ? size.width - w.left : 1 + static_cast<int64_t>(random()) % (size.width - w.left);
        if (i % 8 == 7) w.left = 0, w.width = size.width;
        const auto row = static_cast<size_t>(w.width * size.channels), stride = row + 5;
        std::vector<uint8_t> part(static_cast<size_t>(w.height) * stride, 77);
        decoder.open(turned_file, {}, options);
        decoder.decode(part.data(), stride, w);
        for (int64_t r = 0; r < w.height; ++r) {
          const uint8_t* got = part.data() + static_cast<size_t>(r) * stride;
          const uint8_t* want =
              whole.data() + static_cast<size_t>(((w.top + r) * size.width + w.left) * size.channels);
          ASSERT_EQ(0, std::memcmp(got, want, row)) << "ratio " << ratio << " row " << r << " of the window " << w.top
                                                    << " " << w.left << " " << w.height << " " << w.width;
          ASSERT_EQ(got[row], 77) << "it wrote beyond a row";
        }
        ++windows;
      }
    }
  }
  EXPECT_EQ(windows, 9U * 4 * 24);
}

TEST(Jpeg, TurnsAsExifSays) {
  JpegDecoder decoder;
  for (const std::string& file : kinds()) {
    const std::vector<uint8_t> stored = decode(decoder, file);
    const PictureSize size = decoder.size();
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const std::string turned_file = with_orientation(file, orientation);
      EXPECT_EQ(decode(decoder, turned_file), stored) << "turned without being asked";
      EXPECT_EQ(decode(decoder, turned_file, {.apply_orientation = true}), turned(stored, size, orientation))
          << orientation;
      EXPECT_EQ(decoder.size().height, orientation >= 5 ? size.width : size.height);
    }
    EXPECT_EQ(decode(decoder, with_orientation(file, 9), {.apply_orientation = true}), stored);
    EXPECT_EQ(decode(decoder, with_orientation(file, 0), {.apply_orientation = true}), stored);
  }
  EXPECT_EQ(decoder.open(golden_file("jpeg/exif"), {}, {.apply_orientation = true}).orientation, 6);
}

TEST(Jpeg, GreyOfInks) {
  JpegDecoder decoder;
  for (const char* name : {"jpeg/cmyk", "jpeg/cmyk_without_adobe"}) {
    const std::vector<uint8_t> rgb = decode(decoder, golden_file(name));
    const std::vector<uint8_t> grey = decode(decoder, golden_file(name), {.channels = 1});
    ASSERT_EQ(grey.size() * 3, rgb.size());
    for (size_t i = 0; i < grey.size(); ++i)
      ASSERT_NEAR(grey[i], 0.299 * rgb[3 * i] + 0.587 * rgb[3 * i + 1] + 0.114 * rgb[3 * i + 2], 0.501);
  }
}

TEST(Jpeg, TheRatioNeverFallsBelowWhatIsWanted) {
  EXPECT_EQ(jpeg_ratio_for(400, 400, 224, 224), 1);
  EXPECT_EQ(jpeg_ratio_for(448, 448, 224, 224), 2);
  EXPECT_EQ(jpeg_ratio_for(447, 447, 224, 224), 2);  // rounded up, as libjpeg does
  EXPECT_EQ(jpeg_ratio_for(446, 2000, 224, 224), 1);
  EXPECT_EQ(jpeg_ratio_for(5000, 5000, 224, 224), 8);
  EXPECT_EQ(jpeg_ratio_for(900, 1000, 224, 224), 4);
  EXPECT_EQ(jpeg_ratio_for(10, 10, 224, 224), 1);
  JpegDecoder decoder;
  decoder.open(encoded({447, 449, 1}), {}, {.ratio = 2});
  EXPECT_EQ(decoder.size(), (PictureSize{224, 225, 1}));
}

std::string jpeg_refusal(std::string_view bytes, const DecodeOptions& options = {}) {
  JpegDecoder decoder;
  try {
    decode(decoder, bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Jpeg, SaysWhatIsBroken) {
  const std::string good = encoded({40, 40, 3});
  EXPECT_EQ(jpeg_refusal(""), "a.jpg: at byte 0: the JPEG ends too early; the file is truncated");
  EXPECT_EQ(jpeg_refusal("no picture"), "a.jpg: at byte 0: not a good JPEG: Not a JPEG file: starts with 0x6e 0x6f");
  const std::string cut = good.substr(0, good.size() - 2);
  EXPECT_EQ(jpeg_refusal(cut),
            cat("a.jpg: at byte ", cut.size(), ": the JPEG ends too early; the file is truncated"));
  EXPECT_EQ(jpeg_refusal(cut, {.try_recover_truncated = true}), "no error");
  EXPECT_EQ(jpeg_refusal("\xff", {.try_recover_truncated = true}).substr(0, 20), "a.jpg: at byte 0: no");
  // A segment that claims to be longer than the file.
  std::string lying = good;
  lying[4] = '\x7f';
  EXPECT_EQ(jpeg_refusal(lying),
            cat("a.jpg: at byte ", good.size(), ": the JPEG ends too early; the file is truncated"));
  EXPECT_EQ(jpeg_refusal(lying, {.try_recover_truncated = true}).substr(0, 15), "a.jpg: at byte ");
  EXPECT_EQ(jpeg_refusal(good, {.channels = 2}), "[decode_jpeg] channels is 2; a JPEG is decoded to 0, 1 or 3");
  EXPECT_EQ(jpeg_refusal(good, {.channels = 4}), "[decode_jpeg] channels is 4; a JPEG is decoded to 0, 1 or 3");
  EXPECT_EQ(jpeg_refusal(good, {.dtype = u16}), "[decode_jpeg] dtype is uint16; a JPEG is decoded to uint8");
  EXPECT_EQ(jpeg_refusal(good, {.ratio = 3}), "[decode_jpeg] ratio is 3; it is 1, 2, 4 or 8");
}

size_t frame_of(const std::string& jpeg) {
  const size_t at = std::min(jpeg.find("\xff\xc0"), jpeg.find("\xff\xc2"));
  EXPECT_NE(at, std::string::npos);
  return at;
}

TEST(Jpeg, RefusesWhatClaimsTooMuch) {
  std::string bomb = encoded({40, 40, 3});
  const size_t frame = frame_of(bomb);
  bomb.replace(frame + 5, 4, "\xff\x00\xff\x00", 4);
  EXPECT_EQ(jpeg_refusal(bomb),
            "a.jpg: at byte 0: the JPEG claims 65280 x 65280 pixels, more than the limit of 268435456; "
            "raise PictureLimits::max_pixels to admit it");
  bomb.replace(frame + 5, 4, "\x40\x00\x40\x00", 4);
  EXPECT_EQ(jpeg_refusal(bomb),
            cat("a.jpg: at byte 0: the JPEG claims 16384 x 16384 pixels, more than 1000 bytes for each of "
                "the file's ",
                bomb.size(), "; raise PictureLimits::max_ratio to admit it"));
  EXPECT_EQ(jpeg_refusal(encoded({40, 40, 3}), {.limits = {.max_pixels = 1599}}),
            "a.jpg: at byte 0: the JPEG claims 40 x 40 pixels, more than the limit of 1599; raise "
            "PictureLimits::max_pixels to admit it");
  EXPECT_EQ(jpeg_refusal(encoded({40, 40, 3}), {.limits = {.max_pixels = 1600}}), "no error");
  bomb.replace(frame + 5, 4, std::string(4, '\0'));
  EXPECT_EQ(jpeg_refusal(bomb).find("a.jpg: at byte "), 0U);
}

TEST(Jpeg, RefusesEndlessScans) {
  // The last scan of a progressive file, a thousand times.
  std::string file = encoded({16, 16, 1}, {.progressive = true});
  const size_t scan = file.rfind("\xff\xda");
  const std::string again = file.substr(scan, file.size() - 2 - scan);
  file.resize(file.size() - 2);
  for (int i = 0; i < 1000; ++i) file += again;
  file += "\xff\xd9";
  EXPECT_NE(jpeg_refusal(file).find("not a good JPEG: Invalid progressive parameters"), std::string::npos)
      << jpeg_refusal(file);
}

TEST(Jpeg, RefusesTwoChannels) {
  // A grey file whose frame and scan say two components.
  std::string file = encoded({8, 8, 1});
  const size_t frame = frame_of(file);
  file[frame + 3] = '\x0e';  // length
  file[frame + 9] = '\x02';
  file.insert(frame + 13, "\x02\x11\x00", 3);
  const size_t scan = file.find("\xff\xda");
  file[scan + 3] = '\x0a';
  file[scan + 4] = '\x02';
  file.insert(scan + 7, "\x02\x00", 2);
  EXPECT_NE(jpeg_refusal(file).find("the JPEG has 2 channels, which stand for no known colours"), std::string::npos)
      << jpeg_refusal(file);
}

TEST(Jpeg, TellsOfCorruptDataItWentOnAfter) {
  std::string file = encoded({64, 64, 3});
  file.insert(file.size() - 2, "\x12\x34\x56");  // behind the last block, in part taken for its bits
  JpegDecoder decoder;
  const std::vector<uint8_t> pixels = decode(decoder, file);
  EXPECT_EQ(pixels, decode(decoder, encoded({64, 64, 3})));
  EXPECT_EQ(decoder.warnings(), 0);
  decode(decoder, file);
  EXPECT_EQ(decoder.warnings(), 1);
  EXPECT_EQ(decoder.first_warning(), "Corrupt JPEG data: 1 extraneous bytes before marker 0xd9");
  EXPECT_NE(jpeg_refusal(file, {.warnings_are_errors = true}).find("1 extraneous bytes"), std::string::npos);
}

TEST(Jpeg, ADecoderIsOpenOnceAndSurvivesErrors) {
  JpegDecoder decoder;
  uint8_t pixel[3];
  const auto message = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string closed = "[decode_jpeg] no picture is open; call open() before each decode()";
  EXPECT_EQ(message([&] { decoder.decode(pixel, 3); }), closed);
  const std::string& one = golden_file("jpeg/one_pixel");
  decode(decoder, one);
  EXPECT_EQ(message([&] { decoder.decode(pixel, 3); }), closed);
  EXPECT_THROW(decode(decoder, one.substr(0, 100)), DataError);
  EXPECT_EQ(message([&] { decoder.decode(pixel, 3); }), closed);
  decoder.open(one);
  JpegDecoder moved = std::move(decoder);
  for (const Window& w : {Window{0, 0, 2, 1}, Window{0, 1, 1, 1}, Window{-1, 0, 1, 1}, Window{0, 0, 0, 1}})
    EXPECT_EQ(message([&] { moved.decode(pixel, 3, w); }),
              cat("[decode_jpeg] a window of ", w.height, " x ", w.width, " at (", w.top, ", ", w.left,
                  ") does not lie in the picture of 1 x 1; windows are given in decoded pixels"));
  moved.decode(pixel, 3);
  decoder = std::move(moved);
  decode(decoder, one);
}

TEST(Jpeg, EncodingRefusesWhatAJpegCannotHold) {
  const uint8_t pixels[12] = {};
  const auto message = [&](const PictureSize& size, const JpegEncodeOptions& options) -> std::string {
    try {
      encode_jpeg(pixels, 3, size, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({1, 1, 4}, {}), "[encode_jpeg] the picture has 4 channels; a JPEG holds 1 or 3");
  EXPECT_EQ(message({0, 1, 3}, {}), "[encode_jpeg] the picture is 0 x 1; a side of a JPEG has 1 to 65500 pixels");
  EXPECT_EQ(message({1, 70000, 3}, {}),
            "[encode_jpeg] the picture is 1 x 70000; a side of a JPEG has 1 to 65500 pixels");
  EXPECT_EQ(message({1, 1, 3}, {.quality = 101}), "[encode_jpeg] quality is 101; it is 0 to 100");
  EXPECT_EQ(message({1, 1, 3}, {.density_unit = 3}), "[encode_jpeg] density_unit is 3; it is 0, 1 or 2");
  EXPECT_EQ(message({1, 1, 3}, {.x_density = 65536}), "[encode_jpeg] the density is 65536 x 300; it is 0 to 65535");
  // Larger than the first block that is written to, and in rows that are apart.
  const PictureSize large{300, 400, 3};
  std::vector<uint8_t> rows(300 * 1300);
  const std::vector<uint8_t> image = scene(large);
  for (size_t r = 0; r < 300; ++r) std::memcpy(rows.data() + r * 1300, image.data() + r * 1200, 1200);
  EXPECT_EQ(encode_jpeg(rows.data(), 1300, large), encoded(large));
  EXPECT_GT(encoded(large).size(), 65536U);
}

}  // namespace
}  // namespace brio::formats
