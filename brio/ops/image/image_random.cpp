#include "brio/ops/image/image_random.h"

#include <cmath>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/image/image_color.h"
#include "brio/ops/image/picture_batch.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"

namespace brio::image {
namespace {

// Rows and columns (…), all equally often.
struct Places {
  Tensor row, column;
};
Places places(const Shape& shape, int64_t rows, int64_t columns, const random::Source& from) {
  const Tensor place = random::integers(shape, {.low = 0,
                                                .high = rows * columns,
                                                .dtype = i64,
                                                .seed = from.seed,
                                                .stream = from.stream,
                                                .generator = from.generator});
  const Tensor row = floor_div(place, constant(columns, i64));
  return {row, place - row * constant(columns, i64)};
}

Tensor random_flip(const Batch& batch, int axis, const random::Source& source) {
  const Tensor flips = less(uniform({batch.count(), 1, 1, 1}, source), constant(0.5, f32));
  return batch.back(select(flips, reverse(batch.pictures, {axis}), batch.pictures));
}

Tensor delta(std::string_view function, double most, double limit, const random::Source& source) {
  if (!(most >= 0 && most <= limit))
    throw_invalid(function, cat("max_delta is ", most, "; it must be ≥ 0",
                                std::isfinite(limit) ? cat(" and ≤ ", limit) : " and finite"));
  return uniform({}, source, -most, most);
}

Tensor factor(std::string_view function, double lower, double upper, const random::Source& source) {
  if (!(lower >= 0 && lower < upper && std::isfinite(upper)))
    throw_invalid(function, cat("the factor goes from ", lower, " to ", upper,
                                "; lower must be ≥ 0, and upper above it and finite"));
  return uniform({}, source, lower, upper);
}

}  // namespace

Tensor random_flip_left_right(const Tensor& pictures, random::Source source) {
  return random_flip(Batch("image::random_flip_left_right", pictures), 2, source);
}
Tensor random_flip_up_down(const Tensor& pictures, random::Source source) {
  return random_flip(Batch("image::random_flip_up_down", pictures), 1, source);
}

Tensor random_brightness(const Tensor& pictures, double max_delta, random::Source source) {
  return adjust_brightness(pictures, delta("image::random_brightness", max_delta, HUGE_VAL, source));
}
Tensor random_contrast(const Tensor& pictures, double lower, double upper, random::Source source) {
  return adjust_contrast(pictures, factor("image::random_contrast", lower, upper, source));
}
Tensor random_saturation(const Tensor& pictures, double lower, double upper, random::Source source) {
  return adjust_saturation(pictures, factor("image::random_saturation", lower, upper, source));
}
Tensor random_hue(const Tensor& pictures, double max_delta, random::Source source) {
  return adjust_hue(pictures, delta("image::random_hue", max_delta, 0.5, source));
}

Tensor random_crop(const Tensor& pictures, int64_t height, int64_t width, random::Source source) {
  const Batch batch("image::random_crop", pictures);
  check_size(batch.function, "new size", height, width);
  if (height > batch.height() || width > batch.width())
    throw_invalid(batch.function, cat(height, " × ", width, " pixels do not lie in a picture of ", batch.height(),
                                      " × ", batch.width(), "; give a smaller size"));
  const Places from = places({}, batch.height() - height + 1, batch.width() - width + 1, source);
  const Tensor rows = iota(height, i64) + from.row, columns = iota(width, i64) + from.column;
  return batch.back(gather(gather(batch.pictures, rows, 1), columns, 2));
}

Tensor random_crop_boxes(int64_t count, int64_t height, int64_t width, ResizedCropOptions o, random::Source source) {
  constexpr std::string_view kName = "image::random_crop_boxes";
  constexpr int kTries = 10;
  check_size(kName, "picture", height, width);
  if (count < 0) throw_invalid(kName, cat("the count is ", count, "; give 0 or more"));
  if (!(o.scale_low > 0 && o.scale_low <= o.scale_high && std::isfinite(o.scale_high)))
    throw_invalid(kName, cat("scale goes from ", o.scale_low, " to ", o.scale_high,
                             "; it must begin above 0, and not end below"));
  if (!(o.ratio_low > 0 && o.ratio_low <= o.ratio_high && std::isfinite(o.ratio_high)))
    throw_invalid(kName, cat("ratio goes from ", o.ratio_low, " to ", o.ratio_high,
                             "; it must begin above 0, and not end below"));
  auto number = [](double value) { return constant(value, f32); };
  const auto h = static_cast<double>(height), w = static_cast<double>(width);
  // Where no try fits: the whole picture, less what is too long or too wide.
  const double fitting_w = std::min(w, std::nearbyint(h * o.ratio_high)),
               fitting_h = std::min(h, std::nearbyint(w / o.ratio_low));
  const Tensor draws = uniform({2 * kTries + 2, count}, source);
  auto tries = [&](int64_t begin) { return slice(draws, {{begin, begin + kTries}, {}}); };
  const Tensor area = (number(o.scale_low) + tries(0) * number(o.scale_high - o.scale_low)) * number(h * w);
  const double low = std::log(o.ratio_low), high = std::log(o.ratio_high);
  const Tensor ratio = exp(number(low) + tries(kTries) * number(high - low));
  const Tensor widths = round(sqrt(area * ratio)), heights = round(sqrt(area / ratio));
  auto within = [&](const Tensor& v, double most) {
    return logical_and(greater(v, number(0)), less_equal(v, number(most)));
  };
  const Tensor fits = logical_and(within(widths, w), within(heights, h));
  Tensor box_w = full({count}, std::max(1., fitting_w)), box_h = full({count}, std::max(1., fitting_h));
  Tensor found = zeros({count}, boolean);
  const std::vector<Tensor> each_w = unstack(widths), each_h = unstack(heights), each_fits = unstack(fits);
  for (size_t i = kTries; i-- > 0;) {  // the first that fits is taken last
    box_w = select(each_fits[i], each_w[i], box_w);
    box_h = select(each_fits[i], each_h[i], box_h);
    found = logical_or(found, each_fits[i]);
  }
  auto begin = [&](int64_t draw, const Tensor& box, double size) {
    const Tensor room = number(size) - box, u = reshape(slice(draws, {{draw, draw + 1}, {}}), {count});
    return select(found, minimum(floor(u * (room + number(1))), room), floor(room * number(0.5)));
  };
  return stack({begin(2 * kTries, box_h, h), begin(2 * kTries + 1, box_w, w), box_h, box_w}, 1);
}

Tensor random_resized_crop(const Tensor& pictures, int64_t height, int64_t width, ResizedCropOptions options,
                           random::Source source) {
  const Batch batch("image::random_resized_crop", pictures);
  const Tensor boxes = random_crop_boxes(batch.count(), batch.height(), batch.width(), options, source);
  return batch.back(resized_crop(batch.pictures, boxes, height, width, options.interpolation));
}

Tensor random_cutout(const Tensor& pictures, int64_t mask_height, int64_t mask_width, double value,
                     random::Source source) {
  const Batch batch("image::random_cutout", pictures);
  check_size(batch.function, "mask", mask_height, mask_width);
  check_size(batch.function, "picture", batch.height(), batch.width());
  const Places at = places({batch.count()}, batch.height(), batch.width(), source);
  return batch.back(cutout(batch.pictures, stack({at.row, at.column}, 1), mask_height, mask_width, value));
}

}  // namespace brio::image
