// Functions of pictures (height, width, channels) or batches of them (batch, height, width, channels): those of
// tf.image. They are composed of other ops, so all have gradients where they are smooth. This header: sizes,
// positions and shapes. Colours are in image_color.h, random changes in image_random.h, mixtures in image_mix.h.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>

#include "brio/ir/scalar.h"
#include "brio/ir/tensor.h"

namespace brio::image {

// An amount: a number, or a tensor of one number, or of one for each picture of a batch, (batch,).
class Amount {
 public:
  Amount(Tensor tensor) : tensor_(std::move(tensor)) {}
  template <typename T>
  requires std::integral<T> || std::floating_point<T> Amount(T number) : number_(number) {}
  const std::optional<Scalar>& number() const { return number_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  std::optional<Scalar> number_;
  Tensor tensor_;
};

// ---- Sizes

enum class Interpolation : uint8_t { nearest, bilinear, bicubic, lanczos3, lanczos5, area, gaussian, mitchellcubic };
Interpolation interpolation_named(std::string_view name);  // throws InvalidArgument for an unknown one
std::string_view name_of(Interpolation interpolation);

struct ResizeOptions {
  Interpolation interpolation = Interpolation::bilinear;
  // If a picture shrinks, each new pixel is a mean over all old pixels that it covers. Without antialias, a kernel of
  // fixed size reads only a few of them.
  bool antialias = false;
  // Both sides change by one factor: the largest one with which the result fits into the new size.
  bool preserve_aspect_ratio = false;
};
// Pixel centres keep their position: (i + 0.5) · old / new. Integers become float32, except with nearest.
Tensor resize(const Tensor& pictures, int64_t height, int64_t width, ResizeOptions options = {});
// Cuts out the middle of a larger picture; puts a smaller one in the middle of zeros.
Tensor resize_with_crop_or_pad(const Tensor& pictures, int64_t height, int64_t width);
// Resized as with preserve_aspect_ratio (but rounded down), then in the middle of zeros.
Tensor resize_with_pad(const Tensor& pictures, int64_t height, int64_t width, ResizeOptions options = {});

// ---- Parts

Tensor crop_to_bounding_box(const Tensor& pictures, int64_t top, int64_t left, int64_t height, int64_t width);
// Surrounds pictures with zeros; they start `top` and `left` pixels from the edges.
Tensor pad_to_bounding_box(const Tensor& pictures, int64_t top, int64_t left, int64_t height, int64_t width);
Tensor central_crop(const Tensor& pictures, double fraction);  // of each side, in (0, 1]
// Cuts a box out of each picture and resizes it (nearest or bilinear, without antialias). `boxes` are the numbers
// top, left, height and width, (4,) or (batch, 4). Outside of the picture the nearest pixel in it is used.
Tensor resized_crop(const Tensor& pictures, const Tensor& boxes, int64_t height, int64_t width,
                    Interpolation interpolation = Interpolation::bilinear);
// Replaces mask_height × mask_width pixels around centres (row, column), (2,) or (batch, 2). A mask begins half its
// size, rounded down, above and to the left of its centre, and may extend over the edge.
Tensor cutout(const Tensor& pictures, const Tensor& centres, int64_t mask_height, int64_t mask_width,
              double value = 0);

// ---- Flips, turns and affine steps

Tensor flip_left_right(const Tensor& pictures);
Tensor flip_up_down(const Tensor& pictures);
Tensor rot90(const Tensor& pictures, int64_t k = 1);  // counter-clockwise, k times
Tensor transpose(const Tensor& pictures);             // rows become columns

// Values outside of a picture: a constant, the picture mirrored at its edge, repeated, or its edge continued.
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
// Around the centre, counter-clockwise, by radians.
Tensor rotate(const Tensor& pictures, const Amount& angle, AffineOptions options = {});
Tensor translate(const Tensor& pictures, const Amount& right, const Amount& down,
                 AffineOptions options = {});  // pixels
// As nn::RandomZoom: multiplies the distance from the centre at which a pixel is read by 1 + factor. Above 0 the
// picture becomes smaller.
Tensor zoom(const Tensor& pictures, const Amount& height_factor, const Amount& width_factor,
            AffineOptions options = {});
// Scaled and sheared around the centre, then turned, then moved.
struct AffineSteps {
  double scale = 1;
  double shear_x = 0, shear_y = 0;  // radians that columns and rows lean: x grows by tan(shear_x) · y
  double angle = 0;                 // radians, counter-clockwise
  double right = 0, down = 0;       // pixels
};
Tensor affine(const Tensor& pictures, const AffineSteps& steps, AffineOptions options = {});

}  // namespace brio::image
