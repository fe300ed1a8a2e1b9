#include "brio/ops/image/image_color.h"

#include <array>
#include <cmath>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/image/picture_batch.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/arrange.h"

namespace brio::image {
namespace {

void check_numbers(std::string_view function, DType dtype) {
  if (!is_floating(dtype) && !is_integer(dtype))
    throw_invalid(function, cat("pictures are floating-point or integers, not ", dtype, "; cast them first"));
}

// Checked pictures with `channels` of them, or any number (0).
struct Colours : Batch {
  Colours(std::string_view name, const Tensor& x, int64_t wanted = 0) : Batch(name, x) {
    check_numbers(name, dtype());
    if (wanted && channels() != wanted)
      throw_invalid(name, cat("takes ", wanted == 3 ? "three channels" : "one channel", ", but got shape ", x.shape(),
                              wanted == 3 ? "" : "; convert it with rgb_to_grayscale"));
  }
  // As floats in which [0, 1] is the whole range.
  Tensor floats() const { return is_floating(dtype()) ? pictures : convert_image_dtype(pictures, f32); }
  Tensor back_as_given(const Tensor& result) const { return back(convert_image_dtype(result, dtype(), true)); }
};

Tensor amount_of(const Batch& batch, const char* what, const Amount& amount, const Tensor& like) {
  const Tensor each = column(batch, what, amount, like.dtype());
  return reshape(each, {each.shape()[0], 1, 1, 1});
}

// For a colour space of floats alone.
Colours floating(std::string_view function, const Tensor& x) {
  Colours colours(function, x, 3);
  if (!is_floating(x.dtype()))
    throw_invalid(function, cat("takes floating-point pictures, but got ", x.dtype(),
                                "; convert them with convert_image_dtype"));
  return colours;
}

Tensor channel(const Tensor& x, int64_t which) { return slice(x, {{}, {}, {}, {which, which + 1}}); }

struct Rgb {
  explicit Rgb(const Tensor& x) : r(channel(x, 0)), g(channel(x, 1)), b(channel(x, 2)) {
    most = maximum(r, maximum(g, b));
    range = most - minimum(r, minimum(g, b));
  }
  // From 0 to 6 around the wheel, above -1; grey has 0.
  Tensor hue() const {
    const Tensor divisor = select(greater(range, like(r, 0)), range, like(r, 1));
    return select(equal(r, most), (g - b) / divisor,
                  select(equal(g, most), (b - r) / divisor + like(r, 2), (r - g) / divisor + like(r, 4)));
  }
  Tensor r, g, b, most, range;
};

// How much of each colour a hue from [0, 6) has.
std::array<Tensor, 3> pure_colour(const Tensor& hue) {
  auto cut = [&](const Tensor& x) { return minimum(maximum(x, like(x, 0)), like(x, 1)); };
  auto number = [&](double value) { return like(hue, value); };
  return {cut(abs(hue - number(3)) - number(1)), cut(number(2) - abs(hue - number(2))),
          cut(number(2) - abs(hue - number(4)))};
}

// Bits below the sign: the largest number of an integer dtype is 2^bits - 1.
int value_bits(DType dtype) { return static_cast<int>(8 * size_of(dtype)) - (is_signed(dtype) ? 1 : 0); }

// Pixels times a matrix.
Tensor mixed_channels(std::string_view function, const Tensor& pictures, const Tensor& matrix) {
  const Colours batch = floating(function, pictures);
  const Shape& shape = batch.pictures.shape();
  const Tensor pixels = reshape(batch.pictures, {batch.count() * batch.height() * batch.width(), 3});
  return batch.back(reshape(matmul(pixels, cast(matrix, batch.dtype())), shape));
}

}  // namespace

Tensor convert_image_dtype(const Tensor& pictures, DType dtype, bool saturate) {
  constexpr std::string_view kName = "image::convert_image_dtype";
  if (!pictures.defined()) throw_invalid(kName, "the pictures are none; give it a tensor");
  const DType from = pictures.dtype();
  check_numbers(kName, from);
  check_numbers(kName, dtype);
  if (from == dtype) return pictures;
  if (is_floating(from) && is_floating(dtype)) return cast(pictures, dtype);
  if (is_floating(dtype)) return cast(pictures, dtype) * constant(1 / (std::ldexp(1, value_bits(from)) - 1), dtype);
  // The half keeps rounding errors away from the cut towards 0.
  if (is_floating(from)) return cast(pictures * constant(std::ldexp(1, value_bits(dtype)) - 0.5, from), dtype);
  const Tensor x = saturate && is_signed(from) && !is_signed(dtype) ? maximum(pictures, constant(0, from)) : pictures;
  const int more = value_bits(dtype) - value_bits(from);
  if (more < 0) return cast(floor_div(x, constant(int64_t{1} << -more, from)), dtype);
  return cast(x, dtype) * constant(int64_t{1} << more, dtype);
}

Tensor rgb_to_grayscale(const Tensor& pictures) {
  const Colours batch("image::rgb_to_grayscale", pictures, 3);
  const Tensor x = batch.floats();
  return batch.back_as_given(sum(x * cast(Tensor({0.2989, 0.5870, 0.1140}), x.dtype()), -1, true));
}

Tensor grayscale_to_rgb(const Tensor& pictures) {
  const Colours batch("image::grayscale_to_rgb", pictures, 1);
  return batch.back(broadcast_to(batch.pictures, {batch.count(), batch.height(), batch.width(), 3}));
}

Tensor rgb_to_hsv(const Tensor& pictures) {
  const Colours batch = floating("image::rgb_to_hsv", pictures);
  const Rgb rgb(batch.pictures);
  const Tensor zero = like(pictures, 0), one = like(pictures, 1);
  const Tensor bright = greater(rgb.most, zero);
  const Tensor saturation = select(bright, rgb.range / select(bright, rgb.most, one), zero);
  const Tensor hue = rgb.hue() / like(pictures, 6);
  return batch.back(concat({select(less(hue, zero), hue + one, hue), saturation, rgb.most}, 3));
}

Tensor hsv_to_rgb(const Tensor& pictures) {
  const Colours batch = floating("image::hsv_to_rgb", pictures);
  const Tensor hue = channel(batch.pictures, 0), saturation = channel(batch.pictures, 1),
               value = channel(batch.pictures, 2);
  std::array<Tensor, 3> parts = pure_colour(hue * like(pictures, 6));
  for (Tensor& part : parts) part = (like(pictures, 1) - saturation + saturation * part) * value;
  return batch.back(concat(parts, 3));
}

Tensor rgb_to_yiq(const Tensor& pictures) {
  return mixed_channels(
      "image::rgb_to_yiq", pictures,
      Tensor({{0.299, 0.59590059, 0.2115}, {0.587, -0.27455667, -0.52273617}, {0.114, -0.32134392, 0.31119955}}));
}
Tensor yiq_to_rgb(const Tensor& pictures) {
  return mixed_channels(
      "image::yiq_to_rgb", pictures,
      Tensor({{1, 1, 1}, {0.95598634, -0.27201283, -1.10674021}, {0.6208248, -0.64720424, 1.70423049}}));
}
Tensor rgb_to_yuv(const Tensor& pictures) {
  return mixed_channels(
      "image::rgb_to_yuv", pictures,
      Tensor(
          {{0.299, -0.14714119, 0.61497538}, {0.587, -0.28886916, -0.51496512}, {0.114, 0.43601035, -0.10001026}}));
}
Tensor yuv_to_rgb(const Tensor& pictures) {
  return mixed_channels("image::yuv_to_rgb", pictures,
                        Tensor({{1, 1, 1}, {0, -0.394642334, 2.03206185}, {1.13988303, -0.58062185, 0}}));
}

Tensor adjust_brightness(const Tensor& pictures, const Amount& delta) {
  const Colours batch("image::adjust_brightness", pictures);
  const Tensor x = batch.floats();
  return batch.back_as_given(x + amount_of(batch, "delta", delta, x));
}

Tensor adjust_contrast(const Tensor& pictures, const Amount& factor) {
  const Colours batch("image::adjust_contrast", pictures);
  const Tensor x = batch.floats(), average = mean(x, {1, 2}, true);
  return batch.back_as_given((x - average) * amount_of(batch, "factor", factor, x) + average);
}

Tensor adjust_saturation(const Tensor& pictures, const Amount& factor) {
  const Colours batch("image::adjust_saturation", pictures, 3);
  const Tensor x = batch.floats(), zero = like(x, 0);
  // The saturation is range / most: with another one, channels move along the way to the largest, which stays.
  const Rgb rgb(x);
  const Tensor fullest = rgb.most / select(greater(rgb.range, zero), rgb.range, like(x, 1));
  const Tensor by = minimum(maximum(amount_of(batch, "factor", factor, x), zero), fullest);
  const Tensor scale = select(greater(rgb.most, zero), by, zero);
  auto moved = [&](const Tensor& c) { return rgb.most - (rgb.most - c) * scale; };
  return batch.back_as_given(concat({moved(rgb.r), moved(rgb.g), moved(rgb.b)}, 3));
}

Tensor adjust_hue(const Tensor& pictures, const Amount& delta) {
  const Colours batch("image::adjust_hue", pictures, 3);
  if (delta.number() && !(std::abs(delta.number()->real()) <= 1))
    throw_invalid(batch.function, cat("the delta is ", delta.number()->real(), "; it lies in [-1, 1]"));
  const Tensor x = batch.floats();
  const Rgb rgb(x);
  const Tensor turned = rgb.hue() + amount_of(batch, "delta", delta, x) * like(x, 6);
  std::array<Tensor, 3> parts = pure_colour(turned - floor(turned * like(x, 1. / 6)) * like(x, 6));
  const Tensor least = rgb.most - rgb.range;
  for (Tensor& part : parts) part = least + rgb.range * part;
  return batch.back_as_given(concat(parts, 3));
}

Tensor adjust_gamma(const Tensor& pictures, const Amount& gamma, const Amount& gain) {
  const Colours batch("image::adjust_gamma", pictures);
  if (gamma.number() && !(gamma.number()->real() >= 0))
    throw_invalid(batch.function, cat("gamma is ", gamma.number()->real(), "; it must be ≥ 0"));
  const Tensor x = batch.floats();
  return batch.back_as_given(amount_of(batch, "gain", gain, x) * pow(x, amount_of(batch, "gamma", gamma, x)));
}

Tensor per_image_standardization(const Tensor& pictures) {
  const Colours batch("image::per_image_standardization", pictures);
  const Tensor x = cast(batch.pictures, f32);
  const Moments m = moments(x, {1, 2, 3}, true);
  const auto elements = static_cast<double>(batch.height() * batch.width() * batch.channels());
  return batch.back((x - m.mean) / maximum(sqrt(m.variance), constant(1 / std::sqrt(elements), f32)));
}

Tensor normalize(const Tensor& pictures, const Tensor& mean, const Tensor& deviation) {
  const Colours batch("image::normalize", pictures);
  const Tensor x = batch.floats();
  auto channels = [&](const char* what, const Tensor& v) {
    if (!v.defined()) throw_invalid(batch.function, cat("the ", what, " is none; give it a tensor"));
    if (v.rank() > 1 || (v.rank() == 1 && v.shape()[0] != batch.channels()))
      throw_invalid(batch.function, cat("the ", what, " is one number, or one for each channel, (", batch.channels(),
                                        ",), but has shape ", v.shape()));
    return cast(v, x.dtype());
  };
  return batch.back((x - channels("mean", mean)) / channels("deviation", deviation));
}

ImageGradients image_gradients(const Tensor& pictures) {
  const Colours batch("image::image_gradients", pictures);
  const Tensor& x = batch.pictures;
  if (batch.height() < 1 || batch.width() < 1)
    throw_invalid(batch.function, cat("a picture of ", batch.height(), " × ", batch.width(), " has no pixels"));
  const Tensor dy = slice(x, {{}, {1, {}}, {}, {}}) - slice(x, {{}, {{}, -1}, {}, {}});
  const Tensor dx = slice(x, {{}, {}, {1, {}}, {}}) - slice(x, {{}, {}, {{}, -1}, {}});
  return {batch.back(pad(dy, {{0, 0}, {0, 1}, {0, 0}, {0, 0}})),
          batch.back(pad(dx, {{0, 0}, {0, 0}, {0, 1}, {0, 0}}))};
}

Tensor total_variation(const Tensor& pictures) {
  const Batch batch("image::total_variation", pictures);
  const ImageGradients g = image_gradients(batch.pictures);
  return batch.back(sum(abs(g.dy), {1, 2, 3}) + sum(abs(g.dx), {1, 2, 3}));
}

}  // namespace brio::image
