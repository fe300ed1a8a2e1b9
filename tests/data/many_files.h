// A directory of very many small pictures in two classes, quickly: names for a few files.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "brio/base/error.h"
#include "brio/formats/file.h"
#include "brio/formats/png.h"

namespace brio::data {

inline void make_many_pictures(const std::string& directory, int64_t n) {
  const uint8_t pixels[2 * 2 * 3] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
  const std::string png = formats::encode_png(pixels, 6, {2, 2, 3});
  for (const char* name : {"a", "b"}) std::filesystem::create_directories(directory + "/" + name);
  constexpr int64_t kNames = 30'000;  // that one file may have; ext4 allows 65,000
  std::string file;
  for (int64_t i = 0; i < n; ++i) {
    const std::string path = cat(directory, i % 2 ? "/b/" : "/a/", i, ".png");
    if (i % kNames != 0 && ::link(file.c_str(), path.c_str()) == 0) continue;
    formats::write_file(path, png);
    file = path;
  }
}

}  // namespace brio::data
