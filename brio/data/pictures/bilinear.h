// Resizing pictures as tf.image.resize does by default: bilinear, centres of pixels at halves, no antialias. From
// uint8 rows to float32 in one pass, two source rows for each row of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace brio::data {

// Of one thread: tables for the last sizes, and the row that is being blended, are kept.
class Bilinear {
 public:
  // `from`: rows of width × channels bytes, `stride` bytes apart. `to`: to_height × to_width × channels floats.
  void operator()(const uint8_t* from, size_t stride, int64_t height, int64_t width, int64_t channels, float* to,
                  int64_t to_height, int64_t to_width);
  // The same row by row, in any order; `from` must live meanwhile. Mirrored: with left and right exchanged.
  void begin(const uint8_t* from, size_t stride, int64_t height, int64_t width, int64_t channels, int64_t to_height,
             int64_t to_width, bool mirrored = false);
  void row(int64_t y, float* to);  // to_width × channels floats

 private:
  void prepare(int64_t width, int64_t to_width, int64_t channels, bool mirrored);

  const uint8_t* from_ = nullptr;
  size_t stride_ = 0;
  int64_t height_ = 0, to_height_ = 0;
  int64_t width_ = -1, to_width_ = -1, channels_ = -1;  // that the tables are for
  bool mirrored_ = false;
  std::vector<int32_t> left_, right_;  // of each pixel of a row of the result: the two that it lies between
  std::vector<float> share_;           // of the right one
  std::vector<float> row_;
};

}  // namespace brio::data
