// Functions of pictures. tests/nn/layer_golden_test.cpp compares resize and affine_transform with Keras.
#include "brio/ops/image/image.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

Tensor picture() { return Tensor::from(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3, 1}); }

TEST(Image, OneOrABatch) {
  const Tensor one = picture(), batch = concat({expand_dims(one, 0), expand_dims(one * 2.f, 0)}, 0);
  const auto alone = image::resize(one, 3, 5).to_vector<float>();
  const Tensor both = image::resize(batch, 3, 5);
  ASSERT_EQ(both.shape(), Shape({2, 3, 5, 1}));
  const auto all = both.to_vector<float>();
  for (size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(all[i], alone[i]);
    EXPECT_NEAR(all[alone.size() + i], 2 * alone[i], 1e-6);
  }
}

TEST(Image, ResizeKeepsWhatItCan) {
  const Tensor x = picture();
  EXPECT_EQ(image::resize(x, 2, 3).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(image::resize(cast(x, u8), 4, 6, {.interpolation = image::Interpolation::nearest}).dtype(), u8);
  EXPECT_EQ(image::resize(cast(x, u8), 4, 6).dtype(), f32);
  // A flat picture stays flat, whichever way.
  for (const char* name : {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"})
    for (const bool antialias : {false, true})
      for (const float v :
           image::resize(ones({7, 5, 2}), 3, 9, {image::interpolation_named(name), antialias}).to_vector<float>())
        EXPECT_NEAR(v, 1, 1e-5) << name;
  // The area of each new pixel: 3 old ones, in halves.
  const auto halves = image::resize(picture(), 1, 2, {image::Interpolation::area}).to_vector<float>();
  EXPECT_NEAR(halves[0], (0 + 3 + 0.5 * (1 + 4)) / 3, 1e-6);
  EXPECT_NEAR(halves[1], (2 + 5 + 0.5 * (1 + 4)) / 3, 1e-6);
}

TEST(Image, ManyTapsAreAProduct) {
  // Shrinking by 8 with antialias reads 16 pixels for each; by 2 it reads 4. Both are means of a ramp.
  std::vector<float> ramp(64);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i);
  const Tensor x = Tensor::from(ramp, {64, 1, 1});
  for (const int64_t to : {8, 32}) {
    const auto y = image::resize(x, to, 1, {.antialias = true}).to_vector<float>();
    for (int64_t i = 2; i + 2 < to; ++i)
      EXPECT_NEAR(y[static_cast<size_t>(i)], (static_cast<double>(i) + 0.5) * 64 / static_cast<double>(to) - 0.5,
                  1e-4);
  }
}

TEST(Image, IdentityAndShift) {
  const Tensor x = picture();
  EXPECT_EQ(image::affine_transform(x, Tensor({1, 0, 0, 0, 1, 0, 0, 0})).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(image::affine_transform(x, Tensor({1, 0, 1, 0, 1, 0, 0, 0}), {.fill_value = 9}).to_vector<float>(),
            (std::vector<float>{1, 2, 9, 4, 5, 9}));
  EXPECT_EQ(
      image::affine_transform(cast(x, i32), Tensor({1, 0, 1, 0, 1, 0, 0, 0}), {.fill = image::Fill::wrap}).dtype(),
      i32);
}

TEST(Image, SmallOnes) {
  const Tensor x = picture();
  EXPECT_EQ(image::flip_left_right(x).to_vector<float>(), (std::vector<float>{2, 1, 0, 5, 4, 3}));
  EXPECT_EQ(image::flip_up_down(x).to_vector<float>(), (std::vector<float>{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(image::crop_to_bounding_box(x, 1, 1, 1, 2).to_vector<float>(), (std::vector<float>{4, 5}));
  EXPECT_EQ(image::adjust_brightness(x, Tensor(1)).to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(image::adjust_contrast(x, Tensor(2)).to_vector<float>(),
            (std::vector<float>{-2.5, -0.5, 1.5, 3.5, 5.5, 7.5}));
  EXPECT_NEAR(image::rgb_to_grayscale(Tensor({{{1, 1, 1}}})).item<float>(), 0.9999, 1e-6);
  EXPECT_EQ(image::rgb_to_grayscale(Tensor({{{100, 100, 100}}}, u8)).item<uint8_t>(), 100);
}

TEST(Image, SaysWhatIsWrong) {
  const Tensor x = picture();
  EXPECT_SAYS(invalid([&] { image::resize(Tensor(), 1, 1); }), "the pictures are none");
  EXPECT_SAYS(invalid([&] { image::interpolation_named("cubic"); }),
              "there is no interpolation 'cubic'; known: nearest");
  EXPECT_SAYS(invalid([&] { image::fill_named("mirror"); }), "there is no fill mode 'mirror'; known: constant");
  EXPECT_SAYS(invalid([&] { image::resize(ones({3}), 1, 1); }), "takes (height, width, channels)");
  EXPECT_SAYS(invalid([&] { image::resize(x, 0, 1); }), "the new size is 0 × 1");
  EXPECT_SAYS(invalid([&] { image::resize(zeros({0, 2, 1}), 1, 1); }), "has no pixels");
  EXPECT_SAYS(invalid([&] { image::crop_to_bounding_box(x, 1, 0, 2, 1); }), "do not lie in a picture of 2 × 3");
  EXPECT_SAYS(invalid([&] { image::rgb_to_grayscale(x); }), "takes three channels");
  EXPECT_SAYS(invalid([&] { image::affine_transform(x, Tensor()); }), "the numbers of the transform are none");
  EXPECT_SAYS(invalid([&] { image::affine_transform(x, ones({7})); }),
              "the numbers of the transform are (8,) or (1, 8)");
  EXPECT_SAYS(invalid([&] { image::affine_transform(x, ones({8}), {.interpolation = image::Interpolation::area}); }),
              "nearest or bilinear, not area");
  EXPECT_EQ(image::affine_transform(zeros({0, 2, 1}), ones({8})).shape(), Shape({0, 2, 1}));
}

}  // namespace
}  // namespace brio
