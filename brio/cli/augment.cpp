#include "brio/cli/augment.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace brio::cli {
namespace {

constexpr float kMostTurned = 10 * std::numbers::pi_v<float> / 180, kLeastSide = 0.85f, kMostLight = 0.1f * 255;

struct Change {
  bool flip;
  float turn, light;
  float height, width;  // shares of the sides that are cut out
  float top, left;      // where its centre lies: shares of the sides, from the picture's centre
};

Change draw(const RandomStream& random) {
  const auto between = [&](uint64_t i, float low, float high) { return low + (high - low) * random.uniform_f32(i); };
  Change change{};
  change.flip = random.uniform_f32(0) < 0.5f;
  change.turn = between(1, -kMostTurned, kMostTurned);
  change.light = between(2, -kMostLight, kMostLight);
  change.height = between(3, kLeastSide, 1);
  change.width = between(4, kLeastSide, 1);
  change.top = (1 - change.height) * between(5, -0.5f, 0.5f);
  change.left = (1 - change.width) * between(6, -0.5f, 0.5f);
  return change;
}

// The pixels before and behind a place, which is mirrored where it lies outside.
struct Neighbours {
  int64_t low, high;
  float share;  // of the high one

  Neighbours(float at, int64_t size) {
    const auto end = static_cast<float>(size);
    if (at < -0.5f) at = -1 - at;
    if (at > end - 0.5f) at = 2 * end - 1 - at;
    at = std::clamp(at, 0.f, end - 1);
    low = static_cast<int64_t>(at);
    high = std::min(low + 1, size - 1);
    share = at - static_cast<float>(low);
  }
};

}  // namespace

void augment_rgb(Pixels& pixels, int64_t height, int64_t width, const RandomStream& random) {
  const Change change = draw(random);
  const auto from_height = static_cast<float>(pixels.height), from_width = static_cast<float>(pixels.width);
  const float cosine = std::cos(change.turn), sine = std::sin(change.turn);
  static thread_local std::vector<uint8_t> result;
  result.resize(static_cast<size_t>(height * width * 3));
  uint8_t* to = result.data();
  for (int64_t row = 0; row < height; ++row) {
    const float v = (static_cast<float>(row) + 0.5f) / static_cast<float>(height) - 0.5f;
    const float y = (change.top + change.height * v) * from_height;
    for (int64_t column = 0; column < width; ++column, to += 3) {
      float u = (static_cast<float>(column) + 0.5f) / static_cast<float>(width) - 0.5f;
      if (change.flip) u = -u;
      const float x = (change.left + change.width * u) * from_width;
      const Neighbours across(cosine * x - sine * y + from_width / 2 - 0.5f, pixels.width);
      const Neighbours down(sine * x + cosine * y + from_height / 2 - 0.5f, pixels.height);
      const uint8_t* top = pixels.rgb.data() + down.low * pixels.width * 3;
      const uint8_t* bottom = pixels.rgb.data() + down.high * pixels.width * 3;
      for (int64_t c = 0; c < 3; ++c) {
        const auto blend = [&](const uint8_t* line) {
          const auto low = static_cast<float>(line[across.low * 3 + c]);
          return low + (static_cast<float>(line[across.high * 3 + c]) - low) * across.share;
        };
        const float upper = blend(top), value = upper + (blend(bottom) - upper) * down.share + change.light;
        to[c] = static_cast<uint8_t>(std::lround(std::clamp(value, 0.f, 255.f)));
      }
    }
  }
  pixels.rgb.swap(result);
  pixels.height = height;
  pixels.width = width;
}

}  // namespace brio::cli
