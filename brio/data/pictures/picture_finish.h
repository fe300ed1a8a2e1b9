// What is done to the rows of a picture behind the step that makes them: flips, and arithmetic for each channel.
// Flips move numbers and arithmetic changes each alone, so that all flips of a picture are one.
#pragma once

#include <string>
#include <vector>

#include "brio/data/engine/stage.h"

namespace brio::data {

struct PictureFinish {
  struct Flip {
    bool horizontal = false, vertical = false;
    uint64_t seed = 0;
  };
  struct Arithmetic {
    bool normalizes = false;  // (x - a) / b; otherwise x * a + b
    std::vector<float> a = {}, b = {};
  };
  std::vector<Flip> flips = {};
  std::vector<Arithmetic> arithmetic = {};  // in this order

  PictureFinish then(const PictureFinish& next) const;
  DType result(DType from) const { return arithmetic.empty() ? from : f32; }
  std::string names() const;     // "+flip+normalize"
  std::string describe() const;  // with what decides their results

  struct Turn {
    bool horizontal = false, vertical = false;
  };
  Turn turn_of(const Ticket& ticket) const;

  // Seeds are part of the state.
  void save(StateWriter& state) const;
  void restore(StateReader& state);
};

// Of one thread: writes finished rows of one picture after another.
class PictureFinisher {
 public:
  // A picture of that shape, whose numbers are those of `from`: float32, or uint8, also where rows come as floats.
  // `to` takes its rows. Throws InvalidArgument where the channels are not those that the arithmetic has numbers for.
  void begin(const PictureFinish& finish, const Shape& shape, DType from, PictureFinish::Turn turn, void* to);
  // Where the numbers of row y are to be put, as floats; then finish_row().
  float* row(int64_t y);
  void finish_row(int64_t y);
  // A row of bytes that is there already.
  void finish_row(int64_t y, const uint8_t* row);

 private:
  char* place(int64_t y) const;
  void reverse(char* row) const;

  const PictureFinish* finish_ = nullptr;
  int64_t height_ = 0, width_ = 0, channels_ = 0;
  size_t numbers_ = 0;  // of a row
  DType from_ = f32, result_ = f32;
  PictureFinish::Turn turn_;
  char* to_ = nullptr;
  std::vector<float> row_;
  struct Pattern {  // the numbers of each channel over a row
    std::vector<float> a, b;
  };
  std::vector<Pattern> patterns_;
  int64_t pattern_width_ = -1, pattern_channels_ = -1;
};

}  // namespace brio::data
