// Pictures made for tests: a folder of two classes, each picture with colours of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "brio/base/error.h"
#include "brio/formats/file.h"
#include "brio/formats/jpeg.h"
#include "brio/formats/png.h"

namespace brio::cli {

inline std::vector<uint8_t> made_pixels(int64_t height, int64_t width, int number) {
  std::vector<uint8_t> rgb;
  for (int64_t i = 0; i < height * width * 3; ++i)
    rgb.push_back(static_cast<uint8_t>(number * 20 + i % 3 * 5 + i / 100));
  return rgb;
}

// Files a/0.png, b/1.jpg, a/2.png, …
inline void make_folder(const std::string& path, int pictures, int64_t height = 10, int64_t width = 14) {
  for (const char* name : {"a", "b"}) std::filesystem::create_directories(cat(path, "/", name));
  for (int i = 0; i < pictures; ++i) {
    const std::vector<uint8_t> rgb = made_pixels(height, width, i);
    const formats::PictureSize size{height, width, 3};
    const auto stride = static_cast<size_t>(width) * 3;
    if (i % 2 == 0) formats::write_file(cat(path, "/a/", i, ".png"), formats::encode_png(rgb.data(), stride, size));
    else formats::write_file(cat(path, "/b/", i, ".jpg"), formats::encode_jpeg(rgb.data(), stride, size));
  }
}

}  // namespace brio::cli
