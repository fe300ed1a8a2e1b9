// Functions of pictures (height, width, channels) or batches of them (batch, height, width, channels): tf.image's,
// composed of other ops, so that all have gradients where they are smooth.
#pragma once

#include <string_view>

#include "brio/ir/tensor.h"

namespace brio::image {

enum class Interpolation : uint8_t { nearest, bilinear, bicubic, lanczos3, lanczos5, area };
Interpolation interpolation_named(std::string_view name);  // throws InvalidArgument for an unknown one
std::string_view name_of(Interpolation interpolation);

struct ResizeOptions {
  Interpolation interpolation = Interpolation::bilinear;
  // Where a picture shrinks, each new pixel is a mean over all old ones it covers. Without it, a kernel of fixed size
  // reads a few of them.
  bool antialias = false;
};
// Pixel centres stay where they are: (i + 0.5) · old / new. Integers become float32, except with nearest.
Tensor resize(const Tensor& pictures, int64_t height, int64_t width, ResizeOptions options = {});

// What lies outside of a picture: a value, or the picture mirrored at its edge, repeated, or its edge drawn out.
enum class Fill : uint8_t { constant, reflect, wrap, nearest };
Fill fill_named(std::string_view name);  // throws InvalidArgument for an unknown one
std::string_view name_of(Fill fill);

struct AffineOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest
  Fill fill = Fill::constant;
  double fill_value = 0;
};
// Pixel (x, y) of the result is read at ((a₀x + a₁y + a₂) / k, (b₀x + b₁y + b₂) / k), k = c₀x + c₁y + 1. `transform`
// is float32 (8,) or one row for each picture: a₀ a₁ a₂ b₀ b₁ b₂ c₀ c₁.
Tensor affine_transform(const Tensor& pictures, const Tensor& transform, AffineOptions options = {});

Tensor flip_left_right(const Tensor& pictures);
Tensor flip_up_down(const Tensor& pictures);
Tensor crop(const Tensor& pictures, int64_t top, int64_t left, int64_t height, int64_t width);
Tensor rgb_to_grayscale(const Tensor& pictures);  // one channel: 0.2989 red, 0.5870 green, 0.1140 blue
Tensor adjust_brightness(const Tensor& pictures, const Tensor& delta);
Tensor adjust_contrast(const Tensor& pictures, const Tensor& factor);  // away from each channel's mean

}  // namespace brio::image
