#include "brio/cli/demo_pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "brio/base/error.h"
#include "brio/formats/jpeg.h"
#include "brio/formats/png.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;

class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  double from(double low, double high) { return low + (high - low) * static_cast<double>(engine_()) * 0x1p-32; }

 private:
  std::mt19937 engine_;  // the same numbers everywhere, which distributions of the standard library do not promise
};

struct Colour {
  double rgb[3];
  Colour(Dice& dice, double least, double most) {
    for (double& channel : rgb) channel = dice.from(least, most);
  }
};

// Of a shape as large as the unit circle.
bool is_inside(size_t shape, double x, double y) {
  switch (shape) {
    case 0: return x * x + y * y < 0.8;
    case 1: return std::max(std::abs(x), std::abs(y)) < 1 && std::min(std::abs(x), std::abs(y)) < 0.3;
    case 2: return std::max(std::abs(x), std::abs(y)) < 0.75;
    default: return y > -0.5 && y + std::numbers::sqrt3 * std::abs(x) < 1;
  }
}

}  // namespace

std::vector<uint8_t> demo_picture(size_t shape, uint32_t number) {
  Dice dice(number * 4 + static_cast<uint32_t>(shape) + 1);
  const Colour above(dice, 0, 110), below(dice, 0, 110), own(dice, 130, 255);
  constexpr auto side = static_cast<double>(kDemoSide);
  const double radius = dice.from(0.25, 0.4) * side, angle = dice.from(-0.4, 0.4);
  const double at_x = dice.from(radius, side - radius), at_y = dice.from(radius, side - radius);
  const double cosine = std::cos(angle) / radius, sine = std::sin(angle) / radius;
  std::vector<uint8_t> rgb;
  for (int64_t row = 0; row < kDemoSide; ++row)
    for (int64_t column = 0; column < kDemoSide; ++column) {
      double covered = 0;  // of four points of the pixel
      for (const double dy : {0.25, 0.75})
        for (const double dx : {0.25, 0.75}) {
          const double x = static_cast<double>(column) + dx - at_x, y = static_cast<double>(row) + dy - at_y;
          covered += is_inside(shape, cosine * x + sine * y, cosine * y - sine * x) ? 0.25 : 0;
        }
      const double down = static_cast<double>(row) / side;
      for (int c = 0; c < 3; ++c) {
        const double ground = above.rgb[c] * (1 - down) + below.rgb[c] * down;
        const double value = ground * (1 - covered) + own.rgb[c] * covered + dice.from(-15, 15);
        rgb.push_back(static_cast<uint8_t>(std::clamp(value, 0.0, 255.0)));
      }
    }
  return rgb;
}

void make_demo_pictures(const std::string& folder, uint32_t of_each) {
  const formats::PictureSize size{kDemoSide, kDemoSide, 3};
  constexpr size_t stride = kDemoSide * 3;
  for (size_t shape = 0; shape < std::size(kDemoShapes); ++shape) {
    const fs::path own = fs::path(folder) / kDemoShapes[shape];
    fs::create_directories(own);
    for (uint32_t i = 0; i < of_each; ++i) {
      const std::vector<uint8_t> rgb = demo_picture(shape, i);
      const bool jpeg = i % 2 == 0;
      char name[32];
      std::snprintf(name, sizeof name, "%04u.%s", i, jpeg ? "jpg" : "png");
      std::ofstream file(own / name, std::ios::binary);  // nobody would miss it: it need not be synced
      file << (jpeg ? formats::encode_jpeg(rgb.data(), stride, size) : formats::encode_png(rgb.data(), stride, size));
      if (!file.flush()) throw ResourceError(cat((own / name).string(), " cannot be written"));
    }
  }
}

}  // namespace brio::cli
