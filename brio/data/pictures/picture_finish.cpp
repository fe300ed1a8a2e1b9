#include "brio/data/pictures/picture_finish.h"

#include <algorithm>
#include <bit>

#include "brio/base/error.h"
#include "brio/base/hashes.h"
#include "brio/data/engine/seeds.h"
#include "brio/data/pictures/picture_rows.h"

namespace brio::data {

PictureFinish PictureFinish::then(const PictureFinish& next) const {
  PictureFinish both = *this;
  both.flips.insert(both.flips.end(), next.flips.begin(), next.flips.end());
  both.arithmetic.insert(both.arithmetic.end(), next.arithmetic.begin(), next.arithmetic.end());
  return both;
}

std::string PictureFinish::names() const {
  std::string text;
  for (size_t i = 0; i < flips.size(); ++i) text += "+flip";
  for (const Arithmetic& step : arithmetic) text += step.normalizes ? "+normalize" : "+rescale";
  return text;
}

std::string PictureFinish::describe() const {
  std::string text;
  for (const Flip& flip : flips) text += cat(" + flip(", flip.horizontal ? "h" : "", flip.vertical ? "v" : "", ")");
  for (const Arithmetic& step : arithmetic) {
    text += step.normalizes ? " + normalize(" : " + rescale(";
    for (const auto* list : {&step.a, &step.b})
      for (const float number : *list) text += cat(number, list == &step.b && &number == &list->back() ? ")" : ", ");
  }
  return text;
}

PictureFinish::Turn PictureFinish::turn_of(const Ticket& ticket) const {
  Turn turn;
  for (const Flip& flip : flips) {
    const uint64_t bits = stream_of(flip.seed, ticket).u64(0);
    turn.horizontal ^= flip.horizontal && (bits & 1);
    turn.vertical ^= flip.vertical && (bits >> 1 & 1);
  }
  return turn;
}

void PictureFinish::save(StateWriter& state) const {
  for (const Flip& flip : flips) state.number(flip.seed);
}

void PictureFinish::restore(StateReader& state) {
  for (Flip& flip : flips) flip.seed = state.number();
}

void PictureFinisher::begin(const PictureFinish& finish, const Shape& shape, DType from, PictureFinish::Turn turn,
                            void* to) {
  finish_ = &finish;
  height_ = shape[0];
  width_ = shape[1];
  channels_ = shape[2];
  numbers_ = static_cast<size_t>(width_ * channels_);
  from_ = from;
  result_ = finish.result(from);
  turn_ = turn;
  to_ = static_cast<char*>(to);
  if (result_ == u8) row_.resize(numbers_);
  if (width_ == pattern_width_ && channels_ == pattern_channels_) return;
  pattern_width_ = -1;
  patterns_.clear();
  for (const PictureFinish::Arithmetic& step : finish.arithmetic) {
    auto spread = [&](const std::vector<float>& numbers) {
      if (numbers.size() != 1 && static_cast<int64_t>(numbers.size()) != channels_)
        throw InvalidArgument(cat("[normalize] there are numbers for ", numbers.size(),
                                  " channels, but a picture has ", channels_, "; give one for each, or one for all"));
      std::vector<float> row(numbers_);
      for (size_t i = 0; i < numbers_; ++i) row[i] = numbers[i % numbers.size()];
      return row;
    };
    patterns_.push_back({spread(step.a), spread(step.b)});
  }
  pattern_width_ = width_;
  pattern_channels_ = channels_;
}

char* PictureFinisher::place(int64_t y) const {
  return to_ + static_cast<size_t>(turn_.vertical ? height_ - 1 - y : y) * numbers_ * size_of(result_);
}

float* PictureFinisher::row(int64_t y) { return result_ == u8 ? row_.data() : reinterpret_cast<float*>(place(y)); }

void PictureFinisher::reverse(char* row) const {
  auto exchange = [&](auto pixel) {
    for (char *first = row, *last = row + static_cast<size_t>(width_ - 1) * pixel; first < last;
         first += pixel, last -= pixel)
      std::swap_ranges(first, first + pixel, last);
  };
  switch (const size_t pixel = static_cast<size_t>(channels_) * size_of(result_)) {  // known sizes are one move each
    case 3: return exchange(std::integral_constant<size_t, 3>());
    case 4: return exchange(std::integral_constant<size_t, 4>());
    case 12: return exchange(std::integral_constant<size_t, 12>());
    case 16: return exchange(std::integral_constant<size_t, 16>());
    default: return exchange(pixel);
  }
}

void PictureFinisher::finish_row(int64_t y) {
  char* to = place(y);
  float* numbers = row(y);
  if (from_ == u8) round_row(numbers, numbers_);
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const bool normalizes = finish_->arithmetic[i].normalizes;
    if (i == 0 && normalizes && from_ == u8) scale_row(numbers, 1.f / 255, numbers_);
    (normalizes ? normalize_row : multiply_add_row)(numbers, patterns_[i].a.data(), patterns_[i].b.data(), numbers_);
  }
  if (result_ == u8) bytes_of_row(numbers, reinterpret_cast<uint8_t*>(to), numbers_);
  if (turn_.horizontal) reverse(to);
}

void PictureFinisher::finish_row(int64_t y, const uint8_t* bytes) {
  if (result_ == u8) {
    std::copy_n(bytes, numbers_, place(y));
    if (turn_.horizontal) reverse(place(y));
    return;
  }
  floats_of_row(bytes, row(y), numbers_);
  finish_row(y);
}

}  // namespace brio::data
