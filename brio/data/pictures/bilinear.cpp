#include "brio/data/pictures/bilinear.h"

#include <algorithm>
#include <cmath>

#include "brio/base/isa.h"
#include "brio/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/data/pictures/bilinear.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::data::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// to = a + (b - a) · share, over n bytes of two rows.
void blend_rows(const uint8_t* HWY_RESTRICT a, const uint8_t* HWY_RESTRICT b, float share, size_t n,
                float* HWY_RESTRICT to) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<float> df;
  const hn::Rebind<int32_t, decltype(df)> di;
  const hn::Rebind<uint8_t, decltype(df)> du;
  const size_t lanes = hn::Lanes(df);
  const auto s = hn::Set(df, share);
  for (; i + lanes <= n; i += lanes) {
    const auto top = hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(du, a + i)));
    const auto bottom = hn::ConvertTo(df, hn::PromoteTo(di, hn::LoadU(du, b + i)));
    hn::StoreU(hn::Add(top, hn::Mul(hn::Sub(bottom, top), s)), df, to + i);
  }
#endif
  for (; i < n; ++i) {
    const auto top = static_cast<float>(a[i]), bottom = static_cast<float>(b[i]);
    to[i] = top + (bottom - top) * share;
  }
}

// Pixel x of the result lies between pixels left[x] and right[x] of the row, given by their first number.
void pick(const float* HWY_RESTRICT row, const int32_t* HWY_RESTRICT left, const int32_t* HWY_RESTRICT right,
          const float* HWY_RESTRICT share, size_t pixels, size_t channels, float* HWY_RESTRICT to) {
  size_t x = 0;
#if HWY_TARGET != HWY_SCALAR
  // Four numbers at a time, whether the pixel has them or not: the next one overwrites what is too much. Gathering
  // 16 numbers from anywhere takes 1.6 to 1.9 times as long.
  if (channels == 3 || channels == 4) {
    const hn::CappedTag<float, 4> d4;
    for (; (x + 1) * channels + 4 <= pixels * channels; ++x) {
      const auto l = hn::LoadU(d4, row + left[x]), r = hn::LoadU(d4, row + right[x]);
      hn::StoreU(hn::Add(l, hn::Mul(hn::Sub(r, l), hn::Set(d4, share[x]))), d4, to + x * channels);
    }
  }
#endif
  for (; x < pixels; ++x)
    for (size_t c = 0; c < channels; ++c) {
      const float l = row[static_cast<size_t>(left[x]) + c], r = row[static_cast<size_t>(right[x]) + c];
      to[x * channels + c] = l + (r - l) * share[x];
    }
}

}  // namespace brio::data::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::data {

HWY_EXPORT(blend_rows);
HWY_EXPORT(pick);

namespace {

struct Between {
  int64_t low, high;
  float share;
};

// Where pixel i of `to` lies among `from`.
Between between(int64_t i, int64_t from, int64_t to) {
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  const float at = (static_cast<float>(i) + 0.5f) * scale - 0.5f;
  const float floor = std::floor(at);
  return {std::max<int64_t>(static_cast<int64_t>(floor), 0), std::min(static_cast<int64_t>(std::ceil(at)), from - 1),
          at - floor};
}

}  // namespace

void Bilinear::prepare(int64_t width, int64_t to_width, int64_t channels, bool mirrored) {
  row_.resize(static_cast<size_t>(width * channels) + 4);  // pixels are read four numbers at a time
  if (width == width_ && to_width == to_width_ && channels == channels_ && mirrored == mirrored_) return;
  left_.clear();
  right_.clear();
  share_.clear();
  for (int64_t x = 0; x < to_width; ++x) {
    const Between at = between(mirrored ? to_width - 1 - x : x, width, to_width);
    left_.push_back(static_cast<int32_t>(at.low * channels));
    right_.push_back(static_cast<int32_t>(at.high * channels));
    share_.push_back(at.share);
  }
  width_ = width;
  to_width_ = to_width;
  channels_ = channels;
  mirrored_ = mirrored;
}

void Bilinear::begin(const uint8_t* from, size_t stride, int64_t height, int64_t width, int64_t channels,
                     int64_t to_height, int64_t to_width, bool mirrored) {
  apply_isa_cap();
  prepare(width, to_width, channels, mirrored);
  from_ = from;
  stride_ = stride;
  height_ = height;
  to_height_ = to_height;
}

void Bilinear::row(int64_t y, float* to) {
  const Between at = between(y, height_, to_height_);
  const uint8_t* top = from_ + static_cast<size_t>(at.low) * stride_;
  const uint8_t* bottom = from_ + static_cast<size_t>(at.high) * stride_;
  HWY_DYNAMIC_DISPATCH(blend_rows)(top, bottom, at.share, static_cast<size_t>(width_ * channels_), row_.data());
  HWY_DYNAMIC_DISPATCH(pick)
  (row_.data(), left_.data(), right_.data(), share_.data(), static_cast<size_t>(to_width_),
   static_cast<size_t>(channels_), to);
}

void Bilinear::operator()(const uint8_t* from, size_t stride, int64_t height, int64_t width, int64_t channels,
                          float* to, int64_t to_height, int64_t to_width) {
  begin(from, stride, height, width, channels, to_height, to_width);
  for (int64_t y = 0; y < to_height; ++y) row(y, to + y * to_width * channels);
}

}  // namespace brio::data
#endif  // HWY_ONCE
