// What a wrong argument of a function of pictures is answered with, and what batches of none give.
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;
using namespace image;  // NOLINT: the names of all of them

const Tensor& photo() {
  static const Tensor x = ones({4, 5, 3});
  return x;
}
const Tensor& batch() {
  static const Tensor x = ones({2, 4, 5, 3});
  return x;
}

TEST(ImageErrors, Pictures) {
  EXPECT_SAYS(invalid([] { rotate(Tensor(), 1); }), "[image::rotate] the pictures are none");
  EXPECT_SAYS(invalid([] {
                cutout(ones({3, 3}), Tensor({0, 0}), 1, 1);
              }),
              "[image::cutout] takes (height, width, channels) or a batch of such, but got shape (3, 3)");
  EXPECT_SAYS(invalid([] {
                adjust_hue(zeros({2, 2, 3}, boolean), 0.1);
              }),
              "[image::adjust_hue] pictures are floating-point or integers, not bool; cast them first");
  EXPECT_SAYS(invalid([] { adjust_hue(ones({2, 2, 4}), 0.1); }), "takes three channels, but got shape (2, 2, 4)");
  EXPECT_SAYS(invalid([] { adjust_saturation(ones({2, 2, 1}), 0.1); }), "[image::adjust_saturation] takes three");
  EXPECT_SAYS(invalid([] { grayscale_to_rgb(photo()); }), "takes one channel, but got shape (4, 5, 3); convert it");
  EXPECT_SAYS(
      invalid([] { rgb_to_hsv(cast(photo(), u8)); }),
      "[image::rgb_to_hsv] takes floating-point pictures, but got uint8; convert them with convert_image_dtype");
  EXPECT_SAYS(invalid([] { rgb_to_yuv(cast(photo(), i32)); }), "[image::rgb_to_yuv] takes floating-point pictures");
  EXPECT_SAYS(invalid([] { convert_image_dtype(Tensor(), f32); }),
              "[image::convert_image_dtype] the pictures are none");
  EXPECT_SAYS(invalid([] { convert_image_dtype(photo(), boolean); }), "not bool");
  EXPECT_SAYS(invalid([] { image_gradients(zeros({0, 3, 1})); }), "[image::image_gradients] a picture of 0 × 3");
}

TEST(ImageErrors, Sizes) {
  EXPECT_SAYS(invalid([] { resize(photo(), 5, 1 << 25); }),
              "[image::resize] the new size is 5 × 33554432; give 1 to");
  EXPECT_SAYS(invalid([] {
                resize(ones({100, 1, 1}), 4, 4, {.preserve_aspect_ratio = true});
              }),
              "a picture of 100 × 1 fits into 4 × 4 as 4 × 0 pixels only; give a larger size");
  EXPECT_SAYS(invalid([] {
                resize_with_pad(ones({100, 1, 1}), 4, 4);
              }),
              "[image::resize_with_pad] a picture of 100 × 1 fits into 4 × 4 as 4 × 0 pixels only");
  EXPECT_SAYS(invalid([] { resize_with_pad(photo(), 0, 4); }), "[image::resize_with_pad] the new size is 0 × 4");
  EXPECT_SAYS(invalid([] { resize_with_pad(zeros({2, 0, 1}), 1, 4); }), "a picture of 2 × 0 has no pixels");
  EXPECT_SAYS(invalid([] { resize_with_crop_or_pad(photo(), -1, 4); }), "the new size is -1 × 4");
  EXPECT_SAYS(invalid([] { resize_with_crop_or_pad(zeros({0, 2, 1}), 1, 4); }), "a picture of 0 × 2 has no pixels");
  EXPECT_SAYS(invalid([] { crop_to_bounding_box(photo(), -1, 0, 1, 1); }), "1 × 1 pixels from row -1 and column 0");
  EXPECT_SAYS(invalid([] { crop_to_bounding_box(photo(), 0, 4, 1, 2); }), "do not lie in a picture of 4 × 5");
  EXPECT_SAYS(invalid([] { crop_to_bounding_box(photo(), 0, 0, 0, 2); }), "the new size is 0 × 2");
  EXPECT_SAYS(invalid([] { pad_to_bounding_box(photo(), 1, 0, 4, 9); }),
              "a picture of 4 × 5 at row 1 and column 0 does not lie in a box of 4 × 9; give a larger box");
  EXPECT_SAYS(invalid([] { pad_to_bounding_box(photo(), 0, -1, 9, 9); }), "at row 0 and column -1");
  EXPECT_SAYS(invalid([] { pad_to_bounding_box(photo(), 0, 0, 0, 9); }), "the new size is 0 × 9");
  EXPECT_SAYS(invalid([] { central_crop(photo(), 0); }), "the fraction is 0; it lies in (0, 1]");
  EXPECT_SAYS(invalid([] { central_crop(photo(), 1.5); }), "the fraction is 1.5");
  EXPECT_SAYS(invalid([] { cutout(photo(), Tensor({0, 0}), 0, 1); }), "[image::cutout] the mask is 0 × 1");
  EXPECT_SAYS(invalid([] { cutout(photo(), Tensor(), 1, 1); }), "[image::cutout] the centres are none");
  EXPECT_SAYS(invalid([] {
                cutout(batch(), ones({3, 2}), 1, 1);
              }),
              "the centres are (2,) or (2, 2), but have shape (3, 2)");
  EXPECT_SAYS(invalid([] { resized_crop(photo(), ones({4}), 0, 1); }), "[image::resized_crop] the new size is 0 × 1");
  EXPECT_SAYS(invalid([] { resized_crop(photo(), ones({3}), 1, 1); }), "the boxes are (4,) or (1, 4)");
  EXPECT_SAYS(invalid([] { resized_crop(zeros({0, 3, 1}), ones({4}), 1, 1); }), "a picture of 0 × 3 has no pixels");
  EXPECT_SAYS(invalid([] { resized_crop(photo(), ones({4}), 1, 1, Interpolation::bicubic); }),
              "the interpolation is nearest or bilinear, not bicubic");
}

TEST(ImageErrors, TooManyPixels) {
  // A view of one number: nothing of that size is made.
  const Tensor huge = broadcast_to(ones({1, 1, 1, 1}), {3, 1 << 15, 1 << 15, 1});
  EXPECT_SAYS(invalid([&] { rotate(huge, 1); }),
              "[image::affine_transform] 3 pictures of 32770 × 32770 have more than 2^31 pixels; give them in "
              "smaller batches");
  EXPECT_SAYS(invalid([&] { resized_crop(huge, ones({4}), 1, 1); }),
              "[image::resized_crop] 3 pictures of 32768 × 32768 have more than");
}

TEST(ImageErrors, Amounts) {
  EXPECT_SAYS(invalid([] { adjust_brightness(photo(), Tensor()); }),
              "[image::adjust_brightness] the delta is none; give it a number or a tensor");
  EXPECT_SAYS(invalid([] { adjust_contrast(batch(), ones({3})); }),
              "the factor is one number, or one for each picture, (2,), but has shape (3,)");
  EXPECT_SAYS(invalid([] { rotate(batch(), ones({2, 1})); }), "[image::rotate] the angle is one number");
  EXPECT_SAYS(invalid([] { adjust_hue(photo(), 1.01); }),
              "[image::adjust_hue] the delta is 1.01; it lies in [-1, 1]");
  EXPECT_SAYS(invalid([] { adjust_hue(photo(), std::nan("")); }), "it lies in [-1, 1]");
  EXPECT_SAYS(invalid([] { adjust_gamma(photo(), -0.5); }), "[image::adjust_gamma] gamma is -0.5; it must be ≥ 0");
  EXPECT_SAYS(invalid([] { affine(photo(), {.scale = 0}); }), "[image::affine] the scale is 0; give one above 0");
  EXPECT_SAYS(invalid([] { affine(photo(), {.shear_x = std::atan(1), .shear_y = std::atan(1)}); }),
              "leave nothing but a line; give smaller ones");
  EXPECT_SAYS(invalid([] { zoom(photo(), 0.1, 0.1, {.interpolation = Interpolation::area}); }), "not area");
  EXPECT_SAYS(invalid([] { normalize(photo(), Tensor(), ones({3})); }), "[image::normalize] the mean is none");
  EXPECT_SAYS(invalid([] { normalize(photo(), ones({3}), ones({2})); }),
              "the deviation is one number, or one for each channel, (3,), but has shape (2,)");
}

TEST(ImageErrors, Draws) {
  EXPECT_SAYS(invalid([] { random_brightness(photo(), -0.1); }),
              "[image::random_brightness] max_delta is -0.1; it must be ≥ 0 and finite");
  EXPECT_SAYS(invalid([] { random_hue(photo(), 0.6); }),
              "[image::random_hue] max_delta is 0.6; it must be ≥ 0 and ≤ 0.5");
  EXPECT_SAYS(invalid([] { random_contrast(photo(), 0.5, 0.5); }),
              "[image::random_contrast] the factor goes from 0.5 to 0.5");
  EXPECT_SAYS(invalid([] { random_saturation(photo(), -1, 0.5); }),
              "lower must be ≥ 0, and upper above it and finite");
  EXPECT_SAYS(invalid([] { random_crop(photo(), 5, 5); }),
              "[image::random_crop] 5 × 5 pixels do not lie in a picture of 4 × 5; give a smaller size");
  EXPECT_SAYS(invalid([] { random_crop(photo(), 0, 5); }), "the new size is 0 × 5");
  EXPECT_SAYS(invalid([] { random_crop_boxes(-1, 5, 5); }), "the count is -1; give 0 or more");
  EXPECT_SAYS(invalid([] { random_crop_boxes(1, 0, 5); }), "the picture is 0 × 5");
  EXPECT_SAYS(invalid([] { random_resized_crop(photo(), 5, 5, {.scale_low = 0}); }), "scale goes from 0 to 1");
  EXPECT_SAYS(invalid([] { random_resized_crop(photo(), 5, 5, {.ratio_low = 2}); }), "ratio goes from 2 to 1.33333");
  EXPECT_SAYS(invalid([] { random_cutout(photo(), 0, 5); }), "[image::random_cutout] the mask is 0 × 5");
  EXPECT_SAYS(invalid([] { random_cutout(zeros({0, 5, 1}), 1, 5); }), "the picture is 0 × 5");
}

TEST(ImageErrors, Mixtures) {
  const Tensor labels = ones({2, 3}), order = Tensor({0, 1}, i32), weights = ones({2});
  EXPECT_SAYS(invalid([&] { mixup(photo(), labels, weights, order); }),
              "[image::mixup] mixes the pictures of a batch, but got shape (4, 5, 3)");
  EXPECT_SAYS(invalid([&] { mixup(batch(), Tensor(), weights, order); }), "the labels are none");
  EXPECT_SAYS(invalid([&] { mixup(batch(), ones({3}), weights, order); }),
              "labels are (2, …), as the pictures, but have");
  EXPECT_SAYS(invalid([&] { mixup(batch(), cast(labels, i32), weights, order); }),
              "labels that are mixed are floating-point, not int32; make class numbers one_hot, or cast them");
  EXPECT_SAYS(invalid([&] { mixup(batch(), labels, Tensor(), order); }), "the weights are none");
  EXPECT_SAYS(invalid([&] { mixup(batch(), labels, ones({3}), order); }),
              "the weights are (2,), but have shape (3,)");
  EXPECT_SAYS(invalid([&] { mixup(batch(), labels, weights, Tensor()); }), "the order is none");
  EXPECT_SAYS(invalid([&] { mixup(batch(), labels, weights, weights); }),
              "the order is integers of shape (2,), but is float32 of shape (2,)");
  EXPECT_SAYS(invalid([&] {
                mixup(batch(), labels, weights, Tensor({0, 2}, i32)).pictures.to_vector<float>();
              }),
              "2");
  EXPECT_SAYS(invalid([&] {
                cutmix(batch(), labels, ones({2, 3}), order);
              }),
              "[image::cutmix] the boxes are (4,) or (2, 4)");
  EXPECT_SAYS(invalid([&] { random_mixup(batch(), labels, 0); }),
              "[image::random_mixup] alpha is 0; it must be above 0");
  EXPECT_SAYS(invalid([&] {
                random_cutmix(batch(), labels, {0.5, 0.2});
              }),
              "[image::random_cutmix] the factor goes from 0.5 to 0.2; it lies in [0, 1]");
}

// Batches of no pictures come back empty.
TEST(ImageErrors, EmptyBatches) {
  const Tensor none = zeros({0, 4, 5, 3});
  EXPECT_EQ(rotate(none, 0.3).shape(), none.shape());
  EXPECT_EQ(adjust_hue(none, 0.3).shape(), none.shape());
  EXPECT_EQ(random_flip_left_right(none).shape(), none.shape());
  EXPECT_EQ(random_cutout(none, 2, 2).shape(), none.shape());
  EXPECT_EQ(random_resized_crop(none, 2, 2).to_vector<float>().size(), 0u);
  EXPECT_EQ(rgb_to_yiq(none).shape(), none.shape());
  EXPECT_EQ(random_mixup(none, zeros({0, 2})).pictures.to_vector<float>().size(), 0u);
  EXPECT_EQ(random_cutmix(none, zeros({0, 2})).labels.shape(), Shape({0, 2}));
}

}  // namespace
}  // namespace brio
