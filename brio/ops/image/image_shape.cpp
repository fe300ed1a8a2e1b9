// Parts of pictures, and pictures turned: what reads whole pixels.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/image/image.h"
#include "brio/ops/image/picture_batch.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"

namespace brio::image {

Tensor crop_to_bounding_box(const Tensor& pictures, int64_t top, int64_t left, int64_t height, int64_t width) {
  const Batch batch("image::crop_to_bounding_box", pictures);
  check_size(batch.function, "new size", height, width);
  if (top < 0 || left < 0 || top > batch.height() - height || left > batch.width() - width)
    throw_invalid(batch.function,
                  cat(height, " × ", width, " pixels from row ", top, " and column ", left,
                      " do not lie in a picture of ", batch.height(), " × ", batch.width(), "; give a smaller box"));
  return batch.back(slice(batch.pictures, {{}, {top, top + height}, {left, left + width}, {}}));
}

Tensor pad_to_bounding_box(const Tensor& pictures, int64_t top, int64_t left, int64_t height, int64_t width) {
  const Batch batch("image::pad_to_bounding_box", pictures);
  check_size(batch.function, "new size", height, width);
  if (top < 0 || left < 0 || top > height - batch.height() || left > width - batch.width())
    throw_invalid(batch.function,
                  cat("a picture of ", batch.height(), " × ", batch.width(), " at row ", top, " and column ", left,
                      " does not lie in a box of ", height, " × ", width, "; give a larger box"));
  const int64_t below = height - top - batch.height(), right = width - left - batch.width();
  return batch.back(pad(batch.pictures, {{0, 0}, {top, below}, {left, right}, {0, 0}}));
}

Tensor central_crop(const Tensor& pictures, double fraction) {
  const Batch batch("image::central_crop", pictures);
  if (!(fraction > 0 && fraction <= 1))
    throw_invalid(batch.function, cat("the fraction is ", fraction, "; it lies in (0, 1]"));
  auto margin = [&](int64_t size) {
    const auto whole = static_cast<double>(size);
    return static_cast<int64_t>((whole - whole * fraction) / 2);
  };
  const int64_t top = margin(batch.height()), left = margin(batch.width());
  return batch.back(slice(batch.pictures, {{}, {top, batch.height() - top}, {left, batch.width() - left}, {}}));
}

Tensor cutout(const Tensor& pictures, const Tensor& centres, int64_t mask_height, int64_t mask_width, double value) {
  const Batch batch("image::cutout", pictures);
  check_size(batch.function, "mask", mask_height, mask_width);
  const Tensor rows = rows_of(batch, "centres", centres, 2);
  // Is a position along an axis within the mask?
  auto within = [&](int which, int64_t size, int64_t mask) {
    const Tensor at = reshape(iota(size, f32), {1, size});
    const Tensor begin = slice(rows, {{}, {which, which + 1}}) - constant(mask / 2, f32);
    return logical_and(greater_equal(at, begin), less(at, begin + constant(mask, f32)));
  };
  const int64_t count = rows.shape()[0], height = batch.height(), width = batch.width();
  const Tensor masked = logical_and(reshape(within(0, height, mask_height), {count, height, 1, 1}),
                                    reshape(within(1, width, mask_width), {count, 1, width, 1}));
  return batch.back(select(masked, cast(constant(value, f64), batch.dtype()), batch.pictures));
}

Tensor flip_left_right(const Tensor& pictures) {
  const Batch batch("image::flip_left_right", pictures);
  return batch.back(reverse(batch.pictures, {2}));
}
Tensor flip_up_down(const Tensor& pictures) {
  const Batch batch("image::flip_up_down", pictures);
  return batch.back(reverse(batch.pictures, {1}));
}

Tensor rot90(const Tensor& pictures, int64_t k) {
  const Batch batch("image::rot90", pictures);
  return batch.back(brio::rot90(batch.pictures, static_cast<int>(k % 4), 1, 2));
}

Tensor transpose(const Tensor& pictures) {
  const Batch batch("image::transpose", pictures);
  return batch.back(brio::transpose(batch.pictures, {0, 2, 1, 3}));
}

}  // namespace brio::image
