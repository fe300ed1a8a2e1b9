#include "brio/formats/plain_jpeg.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "brio/formats/jpeg.h"

namespace brio::formats {
namespace {

std::string encoded(int channels, const JpegEncodeOptions& options = {}) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 20 * 30 * channels; ++i) pixels.push_back(static_cast<uint8_t>(i * 13 % 256));
  return encode_jpeg(pixels.data(), static_cast<size_t>(30 * channels), {20, 30, channels}, options);
}

TEST(PlainJpeg, SaysSizeAndSampling) {
  const auto usual = plain_jpeg(encoded(3));
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->height, 20);
  EXPECT_EQ(usual->width, 30);
  EXPECT_EQ(usual->across, 1);
  EXPECT_EQ(usual->down, 1);
  const auto full = plain_jpeg(encoded(3, {.chroma_downsampling = false}));
  ASSERT_TRUE(full);
  EXPECT_EQ(full->across + full->down, 0);
}

TEST(PlainJpeg, OthersAreNone) {
  EXPECT_FALSE(plain_jpeg(encoded(1)));
  EXPECT_FALSE(plain_jpeg(encoded(3, {.progressive = true})));
  EXPECT_FALSE(plain_jpeg(""));
  EXPECT_FALSE(plain_jpeg("\x89PNG\r\n\x1a\n"));
  std::string sampling = encoded(3);
  const size_t frame = sampling.find(std::string("\xff\xc0", 2));
  ASSERT_NE(frame, std::string::npos);
  sampling[frame + 11] = 0x41;  // 4:1:1
  EXPECT_FALSE(plain_jpeg(sampling));
  std::string rgb = encoded(3);
  // Adobe's marker, with a transform of 0: the samples are RGB.
  rgb.insert(2, std::string("\xff\xee\x00\x0e"
                            "Adobe\x00\x64\x00\x00\x00\x00\x00",
                            16));
  EXPECT_FALSE(plain_jpeg(rgb));
}

// Whatever is cut off, wherever: no picture that is not whole.
TEST(PlainJpeg, WholeFilesAlone) {
  const std::string file = encoded(3);
  for (size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(plain_jpeg(file.substr(0, size))) << size;
  EXPECT_TRUE(plain_jpeg(file + "behind its end"));
}

// No bytes make it read what is not there (the sanitizers watch).
TEST(PlainJpeg, ChangedBytesDoNoHarm) {
  const std::string file = encoded(3);
  for (size_t at = 0; at < std::min<size_t>(file.size(), 700); ++at)
    for (const int to : {0, 1, 0x7f, 0xff, 0xd9, 0xda}) {
      std::string changed = file;
      changed[at] = static_cast<char>(to);
      (void)plain_jpeg(changed);
    }
}

}  // namespace
}  // namespace brio::formats
