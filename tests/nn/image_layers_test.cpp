// Layers that prepare pictures: what is drawn, and what they refuse. Values are compared in layer_golden_test.cpp.
#include "brio/nn/preprocessing/image_layers.h"

#include <set>

#include "brio/nn/functional.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

// Pixel (y, x) of every picture is 10 y + x.
Tensor numbered(int64_t batch, int64_t height, int64_t width) {
  std::vector<float> pixels;
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) pixels.push_back(static_cast<float>(10 * y + x));
  return Tensor::from(pixels, {batch, height, width, 1});
}

TEST(RandomFlip, FlipsAboutHalf) {
  const Tensor x = numbered(400, 2, 3);
  const std::vector<float> straight = {0, 1, 2, 10, 11, 12};
  auto flipped = [&](const nn::Layer& layer, const std::vector<float>& expected) {
    const std::vector<float> y = layer(x, true).to_vector<float>();
    int count = 0;
    for (size_t n = 0; n < 400; ++n) {
      const std::vector<float> one(y.begin() + static_cast<std::ptrdiff_t>(6 * n),
                                   y.begin() + static_cast<std::ptrdiff_t>(6 * n + 6));
      EXPECT_TRUE(one == straight || one == expected);
      count += one == expected;
    }
    EXPECT_NEAR(count, 200, 60);
  };
  flipped(nn::RandomFlip("horizontal", {.seed = 1}), {2, 1, 0, 12, 11, 10});
  flipped(nn::RandomFlip("vertical", {.seed = 1}), {10, 11, 12, 0, 1, 2});
  flipped(nn::RandomFlip("horizontal_and_vertical", {.seed = 1}), {12, 11, 10, 2, 1, 0});
}

TEST(RandomCrop, TakesAPieceOfThePicture) {
  const nn::RandomCrop crop(2, 3, {.seed = 4});
  std::set<std::pair<int, int>> corners;
  for (int i = 0; i < 60; ++i) {
    const Tensor y = crop(numbered(1, 4, 5), true);
    ASSERT_EQ(y.shape(), Shape({1, 2, 3, 1}));
    const std::vector<float> p = y.to_vector<float>();
    const int top = static_cast<int>(p[0]) / 10, left = static_cast<int>(p[0]) % 10;
    corners.emplace(top, left);
    EXPECT_EQ(p, (std::vector<float>{p[0], p[0] + 1, p[0] + 2, p[0] + 10, p[0] + 11, p[0] + 12}));
  }
  EXPECT_EQ(corners.size(), 9u);  // three rows and three columns to begin at
}

TEST(RandomContrast, KeepsTheMean) {
  const Tensor x = random::uniform({8, 4, 4, 2}, {.low = 100, .high = 150, .seed = 1});
  const Tensor y = nn::RandomContrast({0.5}, {.seed = 2})(x, true);
  const auto before = mean(x, {1, 2}).to_vector<float>(), after = mean(y, {1, 2}).to_vector<float>();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-3);
  const auto narrow = (max(x, {1, 2, 3}) - min(x, {1, 2, 3})).to_vector<float>();
  const auto wide = (max(y, {1, 2, 3}) - min(y, {1, 2, 3})).to_vector<float>();
  for (size_t i = 0; i < narrow.size(); ++i) EXPECT_GE(wide[i], narrow[i] * 0.999f);  // Keras draws from 1 to 1.5
}

TEST(ImageLayers, DrawBySeedAndAnewEachTime) {
  const Tensor x = numbered(3, 6, 6);
  auto draw = [&](uint64_t seed) {
    const nn::Sequential model({nn::RandomRotation({0.2}, {.seed = seed}), nn::RandomZoom({0.2}, {}, {.seed = seed}),
                                nn::RandomTranslation({0.2}, {0.2}, {.seed = seed}),
                                nn::RandomBrightness({0.1}, {.seed = seed})});
    auto traced = function([&](const Tensor& t) { return model(t, true); });
    return std::vector{traced(x).to_vector<float>(), traced(x).to_vector<float>()};
  };
  const auto one = draw(1), again = draw(1), other = draw(2);
  EXPECT_EQ(one, again);
  EXPECT_NE(one[0], one[1]);
  EXPECT_NE(one[0], other[0]);
}

TEST(ImageLayers, TakeChannelsFirstAndIntegers) {
  const Tensor last = cast(numbered(1, 4, 4), u8), first = transpose(last, {0, 3, 1, 2});
  const Tensor a = nn::Resizing(2, 3)(last);
  const Tensor b = nn::Resizing(2, 3, {.data_format = DataFormat::channels_first})(first);
  EXPECT_EQ(a.dtype(), f32);
  EXPECT_EQ(transpose(b, {0, 2, 3, 1}).to_vector<float>(), a.to_vector<float>());
  EXPECT_EQ(nn::Resizing(9, 9)(nn::Input({nn::kUnknown, nn::kUnknown, 3})).spec().str(), "(None, 9, 9, 3)");
}

TEST(ImageLayers, SayWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Resizing(0, 2); }), "the size is 0 × 2");
  EXPECT_SAYS(invalid([] { nn::Resizing(2, 2, {.interpolation = "cubic"}); }), "there is no interpolation 'cubic'");
  EXPECT_SAYS(invalid([] { nn::Resizing(2, 2, {.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}); }),
              "choose one");
  EXPECT_EQ(nn::Resizing(101, 102)(zeros({3, 3, 1})).shape(), Shape({101, 102, 1}));  // one picture
  EXPECT_SAYS(invalid([] { nn::Resizing(2, 2)(zeros({3, 3})); }), "takes a picture or a batch of them");
  EXPECT_SAYS(invalid([] { nn::RandomFlip("sideways"); }), "the mode is 'sideways'");
  EXPECT_SAYS(invalid([] { nn::RandomRotation({2}); }), "factor goes from -1 to 2; it lies in [-1, 1]");
  EXPECT_SAYS(invalid([] { nn::RandomRotation({}); }), "factor has 0 numbers");
  EXPECT_SAYS(invalid([] { nn::RandomRotation({0.1}, {.fill_mode = "mirror"}); }), "there is no fill mode 'mirror'");
  EXPECT_SAYS(invalid([] { nn::RandomRotation({0.1}, {.interpolation = "area"}); }), "nearest or bilinear, not area");
  EXPECT_SAYS(invalid([] { nn::RandomZoom({-1, 0}); }), "leaves nothing to see");
  EXPECT_SAYS(invalid([] { nn::RandomContrast({-0.5, 0.5}); }), "it lies in [0, 1]");
  EXPECT_SAYS(invalid([] {
                nn::RandomBrightness({0.1}, {.value_range = {1, 0}});
              }),
              "value_range must be two numbers");
}

}  // namespace
}  // namespace brio
