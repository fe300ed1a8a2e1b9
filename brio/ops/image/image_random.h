// Pictures (see image.h) changed at random: tf.image's random_…. The numbers come from a random::Source:
//
//   image::random_hue(pictures, 0.1)                            // the next ones of the global generator
//   image::random_hue(pictures, 0.1, {.seed = 7})               // the same each time
//   image::random_hue(pictures, 0.1, random::stateless({1, 2}))  // TensorFlow's stateless form
//
// In a recorded function each call draws new numbers. Colours change alike in a whole batch, as in TensorFlow; flips,
// resized crops and cutouts differ between pictures.
#pragma once

#include "brio/ops/image/image.h"
#include "brio/ops/random/distributions.h"

namespace brio::image {

Tensor random_flip_left_right(const Tensor& pictures, random::Source source = {});  // half of them
Tensor random_flip_up_down(const Tensor& pictures, random::Source source = {});

// Each adjust_… by an amount from [-max_delta, max_delta) or [lower, upper).
Tensor random_brightness(const Tensor& pictures, double max_delta, random::Source source = {});
Tensor random_contrast(const Tensor& pictures, double lower, double upper, random::Source source = {});
Tensor random_saturation(const Tensor& pictures, double lower, double upper, random::Source source = {});
Tensor random_hue(const Tensor& pictures, double max_delta, random::Source source = {});  // at most 0.5

// A part at a random position, the same for a whole batch.
Tensor random_crop(const Tensor& pictures, int64_t height, int64_t width, random::Source source = {});

// As PyTorch's RandomResizedCrop: a box with a share of the picture's area from `scale` and a ratio of width to
// height from `ratio` (uniform in its logarithm), at a random position, resized; after ten tries that do not fit, the
// middle. Differences: each picture of a batch has its own box, and shrinking is without antialias, like resize.
struct ResizedCropOptions {
  double scale_low = 0.08, scale_high = 1;
  double ratio_low = 3. / 4, ratio_high = 4. / 3;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest
};
Tensor random_resized_crop(const Tensor& pictures, int64_t height, int64_t width, ResizedCropOptions options = {},
                           random::Source source = {});
// Only its boxes, float32 (count, 4): top, left, height and width.
Tensor random_crop_boxes(int64_t count, int64_t height, int64_t width, ResizedCropOptions options = {},
                         random::Source source = {});

// A cutout around any pixel of each picture.
Tensor random_cutout(const Tensor& pictures, int64_t mask_height, int64_t mask_width, double value = 0,
                     random::Source source = {});

}  // namespace brio::image
