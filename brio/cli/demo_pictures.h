// The pictures of `brio demo`: bright shapes before a dark, noisy ground, of many sizes, places and
// colours, a folder for each kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brio/tensor/aval.h"

namespace brio::cli {

inline constexpr const char* kDemoShapes[] = {"circle", "cross", "square", "triangle"};
inline constexpr int64_t kDemoSide = 32;

// RGB, row by row. The same number gives the same picture.
std::vector<uint8_t> demo_picture(size_t shape, uint32_t number);

// FOLDER/circle/0000.jpg, FOLDER/circle/0001.png, …: as many of each kind; half of them are JPEG files.
void make_demo_pictures(const std::string& folder, uint32_t of_each);

}  // namespace brio::cli
