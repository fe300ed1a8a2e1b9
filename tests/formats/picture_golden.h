// The golden pictures of tests/golden/pictures_*.json: files by name, and pixels compared with a case.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

#include "brio/formats/picture.h"
#include "tests/formats/hex.h"
#include "tests/golden/golden.h"
#include "tests/source_dir.h"

namespace brio::formats {

// All cases of the files STEM_1.json, STEM_2.json, …
inline std::vector<golden::Case> golden_cases(const std::string& stem) {
  std::vector<golden::Case> all;
  for (int i = 1;; ++i) {
    const std::string file = stem + "_" + std::to_string(i) + ".json";
    if (i > 1 && !std::filesystem::exists(test::source_dir() + "/tests/golden/" + file)) break;
    for (golden::Case& c : golden::load(file)) all.push_back(std::move(c));
  }
  return all;
}

inline const std::string& golden_file(const std::string& name) {
  static const std::map<std::string, std::string> files = [] {
    std::map<std::string, std::string> all;
    for (const golden::Case& c : golden_cases("pictures_files")) all[c.name] = from_hex(c.text("hex"));
    return all;
  }();
  return files.at(name);
}

inline uint32_t crc_of(const void* data, size_t bytes) {
  return static_cast<uint32_t>(crc32(0, static_cast<const Bytef*>(data), static_cast<uInt>(bytes)));
}

// The pixels, which lie one behind the other, are those of the case.
template <typename T>
void expect_pixels(const golden::Case& c, const PictureSize& size, const std::vector<T>& pixels) {
  const bool whole = c.outputs.count("pixels") != 0;
  const std::vector<int64_t> shape = {size.height, size.width, size.channels};
  if (whole) {
    EXPECT_EQ(c.output("pixels").shape, shape) << c.name;
    const std::vector<double> got(pixels.begin(), pixels.end());
    EXPECT_EQ(c.output("pixels").data, got) << c.name;
  } else {
    const std::vector<double>& expected = c.input("shape").data;
    EXPECT_EQ(std::vector<int64_t>(expected.begin(), expected.end()), shape) << c.name;
    EXPECT_EQ(crc_of(pixels.data(), pixels.size() * sizeof(T)), static_cast<uint32_t>(c.number("crc"))) << c.name;
  }
}

inline DecodeOptions jpeg_options(const golden::Case& c) {
  DecodeOptions options;
  options.channels = static_cast<int>(c.number("channels", 0));
  options.ratio = static_cast<int>(c.number("ratio", 1));
  options.fancy_upscaling = c.number("fancy_upscaling", 1) != 0;
  options.accurate_dct = c.has("dct_method") && c.text("dct_method") == "INTEGER_ACCURATE";
  options.try_recover_truncated = c.number("try_recover_truncated", 0) != 0;
  return options;
}

// Where the real data lie: $BRIO_DATA, or ../shared/data beside the repository.
inline std::string data_path(const std::string& name) {
  const char* folder = std::getenv("BRIO_DATA");
  return (folder ? std::string(folder) : test::source_dir() + "/../shared/data") + "/" + name;
}

}  // namespace brio::formats
