// Pictures read at places between pixels: transforms, and boxes that are resized.
#include <algorithm>
#include <cmath>
#include <vector>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/image/image.h"
#include "brio/ops/image/picture_batch.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"

namespace brio::image {
namespace {

Tensor number(double value) { return constant(value, f32); }

// A coordinate brought inside [0, size - 1] as the fill says.
Tensor inside(const Tensor& at, int64_t size, Fill fill) {
  const Tensor last = constant(size - 1, f32), zero = constant(0, f32);
  Tensor mapped = at;
  if (size <= 1 && fill != Fill::constant) return zeros_like(at);
  if (fill == Fill::reflect) {
    const Tensor whole = constant(2 * size, f32), one = constant(1, f32);
    // One period is the picture and its mirror image.
    const Tensor place = at - whole * floor(at / whole);
    mapped = select(greater_equal(place, constant(size, f32)), whole - place - one, place);
  } else if (fill == Fill::wrap) {
    // As TensorFlow counts: whole turns are of size - 1, each shifts by size.
    const Tensor n = constant(size, f32), turn = constant(size - 1, f32), one = constant(1, f32);
    const Tensor low = at + n * (floor(-at / turn) + one), high = at - n * floor(at / turn);
    mapped = select(less(at, zero), low, select(greater(at, last), high, at));
  }
  return fill == Fill::constant ? mapped : minimum(maximum(mapped, zero), last);
}

void check_interpolation(std::string_view function, Interpolation interpolation) {
  if (interpolation != Interpolation::nearest && interpolation != Interpolation::bilinear)
    throw_invalid(function, cat("the interpolation is nearest or bilinear, not ", name_of(interpolation)));
}

// Those that int32 indices count.
void check_count(const Batch& batch, Size height, Size width) {
  if (surely_less(INT32_MAX / max(1, batch.count()), height * width))
    throw_invalid(batch.function, cat(batch.count(), " pictures of ", height, " × ", width,
                                      " have more than 2^31 pixels; give them in smaller batches"));
}

// Columns of a transform, each (1 or batch,); none stands for zeros.
Tensor transformed(const Batch& batch, std::vector<Tensor> columns, const AffineOptions& o) {
  columns.resize(8);
  Size rows = 1;
  for (const Tensor& c : columns)
    if (c.defined()) rows = broadcast(rows, c.shape().elements());
  if (batch.count() == 0) rows = 0;
  for (Tensor& c : columns) c = c.defined() ? broadcast_to(c, {rows}) : zeros({rows});
  return batch.back(affine_transform(batch.pictures, stack(columns, 1), o));
}

double middle(int64_t size) { return static_cast<double>(size - 1) / 2; }

// The pixels of a batch at coordinates x and y inside of it, float32, which broadcast to (batch, height, width). For
// nearest they are whole numbers; bilinear takes floating-point pictures.
Tensor pixels_at(const Tensor& pictures, const Tensor& x, const Tensor& y, Interpolation interpolation) {
  const Shape& shape = pictures.shape();
  const Size n = shape[0], height = shape[1], width = shape[2];
  const Tensor flat = reshape(pictures, {n * height * width, shape[3]});
  const Tensor picture = reshape(iota(n, i32) * constant(height * width, i32), {n, 1, 1});
  auto whole = [](const Tensor& at, Size size) { return cast(minimum(at, constant(size - 1, f32)), i32); };
  auto row = [&](const Tensor& at) { return picture + whole(at, height) * constant(width, i32); };
  if (interpolation == Interpolation::nearest) return gather(flat, row(y) + whole(x, width));
  const Tensor left = floor(x), top = floor(y), one = number(1);
  // Repeated in memory: in a fused chain they would be computed again for each channel.
  const std::vector<Size> each = {1, 1, 1, shape[3]};
  auto share = [&](const Tensor& v) { return tile(cast(expand_dims(v, 3), flat.dtype()), each); };
  const Tensor fx = share(x - left), fy = share(y - top), full = constant(1, flat.dtype());
  // The pixel on the right is that of the edge again where its share is 0.
  const Tensor l = whole(left, width), r = whole(left + one, width), above = row(top), below = row(top + one);
  const Tensor upper = (full - fx) * gather(flat, above + l) + fx * gather(flat, above + r);
  const Tensor lower = (full - fx) * gather(flat, below + l) + fx * gather(flat, below + r);
  return (full - fy) * upper + fy * lower;
}

}  // namespace

Tensor column(const Batch& batch, const char* what, const Amount& amount, DType dtype) {
  if (amount.number()) return reshape(host_scalar(amount.number()->bits_as(dtype), dtype), {1});
  const Tensor& x = amount.tensor();
  if (!x.defined()) throw_invalid(batch.function, cat("the ", what, " is none; give it a number or a tensor"));
  if (x.rank() > 1 || (x.rank() == 1 && x.shape()[0] != batch.count()))
    throw_invalid(batch.function, cat("the ", what, " is one number, or one for each picture, (", batch.count(),
                                      ",), but has shape ", x.shape()));
  return reshape(cast(x, dtype), {x.shape().elements()});
}

Tensor rows_of(const Batch& batch, const char* what, const Tensor& x, int64_t size) {
  if (!x.defined()) throw_invalid(batch.function, cat("the ", what, " are none; give it a tensor"));
  const Tensor rows = x.rank() == 1 ? expand_dims(x, 0) : x;
  if (rows.rank() != 2 || rows.shape()[1] != size || (rows.shape()[0] != 1 && rows.shape()[0] != batch.count()))
    throw_invalid(batch.function, cat("the ", what, " are (", size, ",) or (", batch.count(), ", ", size,
                                      "), but have shape ", x.shape()));
  return cast(rows, f32);
}

Tensor as_floats(const Tensor& pictures) { return is_floating(pictures.dtype()) ? pictures : cast(pictures, f32); }

Tensor affine_transform(const Tensor& pictures, const Tensor& transform, AffineOptions o) {
  const Batch batch("image::affine_transform", pictures);
  const int64_t height = batch.height(), width = batch.width();
  check_count(batch, height + 2, width + 2);  // with a frame
  const Tensor rows = rows_of(batch, "numbers of the transform", transform, 8);
  check_interpolation(batch.function, o.interpolation);
  if (pictures.shape().elements() == 0) return pictures;

  std::vector<Tensor> c;  // each (n or 1, 1, 1)
  for (const Tensor& one : unstack(rows, 1)) c.push_back(reshape(one, {rows.shape()[0], 1, 1}));
  const Tensor x = reshape(iota(width, f32), {1, 1, width}), y = reshape(iota(height, f32), {1, height, 1});
  const Tensor k = c[6] * x + c[7] * y + number(1);
  auto place = [&](size_t first, int64_t size) {
    const Tensor at = inside((c[first] * x + c[first + 1] * y + c[first + 2]) / k, size, o.fill);
    // Halves are rounded away from zero.
    return o.interpolation == Interpolation::nearest ? sign(at) * floor(abs(at) + number(0.5)) : at;
  };
  Tensor at_x = place(0, width), at_y = place(3, height), source = as_floats(batch.pictures);
  if (o.fill == Fill::constant) {  // a frame of the value, where all that lies outside is read
    source = pad(source, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}, o.fill_value);
    auto framed = [](const Tensor& at, int64_t size) {
      return minimum(maximum(at + number(1), number(0)), constant(size + 1, f32));
    };
    at_x = framed(at_x, width);
    at_y = framed(at_y, height);
  }
  return batch.back(cast(pixels_at(source, at_x, at_y, o.interpolation), pictures.dtype()));
}

Tensor rotate(const Tensor& pictures, const Amount& angle, AffineOptions o) {
  const Batch batch("image::rotate", pictures);
  const Tensor radians = column(batch, "angle", angle, f32);
  const Tensor c = cos(radians), s = sin(radians);
  const Tensor cx = number(middle(batch.width())), cy = number(middle(batch.height()));
  return transformed(batch, {c, -s, cx - cx * c + cy * s, s, c, cy - cx * s - cy * c}, o);
}

Tensor translate(const Tensor& pictures, const Amount& right, const Amount& down, AffineOptions o) {
  const Batch batch("image::translate", pictures);
  const Tensor one = ones({1});
  return transformed(
      batch,
      {one, {}, -column(batch, "way to the right", right, f32), {}, one, -column(batch, "way down", down, f32)}, o);
}

Tensor zoom(const Tensor& pictures, const Amount& height_factor, const Amount& width_factor, AffineOptions o) {
  const Batch batch("image::zoom", pictures);
  const Tensor one = number(1), y = one + column(batch, "height factor", height_factor, f32),
               x = one + column(batch, "width factor", width_factor, f32);
  const Tensor cx = number(middle(batch.width())), cy = number(middle(batch.height()));
  return transformed(batch, {x, {}, cx * (one - x), {}, y, cy * (one - y)}, o);
}

Tensor affine(const Tensor& pictures, const AffineSteps& steps, AffineOptions o) {
  const Batch batch("image::affine", pictures);
  if (!(steps.scale > 0 && std::isfinite(steps.scale)))
    throw_invalid(batch.function, cat("the scale is ", steps.scale, "; give one above 0"));
  const double lean_x = std::tan(steps.shear_x), lean_y = std::tan(steps.shear_y), flat = 1 - lean_x * lean_y;
  if (!(std::abs(flat) > 1e-6))
    throw_invalid(batch.function, cat("shears of ", steps.shear_x, " and ", steps.shear_y,
                                      " leave nothing but a line; give smaller ones"));
  // Pixels are read where the inverse steps lead.
  const double c = std::cos(steps.angle), s = std::sin(steps.angle), by = 1 / (steps.scale * flat);
  const double xx = by * (c - lean_x * s), xy = by * (-s - lean_x * c);
  const double yx = by * (s - lean_y * c), yy = by * (c + lean_y * s);
  const double cx = middle(batch.width()), cy = middle(batch.height());
  const double from_x = cx + steps.right, from_y = cy + steps.down;
  const auto f = [](double v) { return static_cast<float>(v); };
  const std::vector<float> row = {
      f(xx), f(xy), f(cx - xx * from_x - xy * from_y), f(yx), f(yy), f(cy - yx * from_x - yy * from_y), 0, 0};
  return batch.back(affine_transform(batch.pictures, Tensor::from(row, {8}), o));
}

Tensor resized_crop(const Tensor& pictures, const Tensor& boxes, int64_t height, int64_t width,
                    Interpolation interpolation) {
  const Batch batch("image::resized_crop", pictures);
  check_size(batch.function, "new size", height, width);
  check_interpolation(batch.function, interpolation);
  const int64_t n = batch.count(), channels = batch.channels();
  check_count(batch, max(height, batch.height()), max(width, batch.width()));
  const Tensor rows = rows_of(batch, "boxes", boxes, 4);
  if (batch.height() < 1 || batch.width() < 1)
    throw_invalid(batch.function, cat("a picture of ", batch.height(), " × ", batch.width(), " has no pixels"));
  const bool exact = interpolation == Interpolation::nearest;
  // The coordinates of new pixels along an axis, as resize has them, (1 or batch, to); the edge of a box is read
  // again.
  auto places = [&](int which, int64_t to, int64_t size) {
    const Tensor begin = slice(rows, {{}, {which, which + 1}}), length = slice(rows, {{}, {which + 2, which + 3}});
    const Tensor middle = (reshape(iota(to, f32), {1, to}) + number(0.5)) * (length / constant(to, f32));
    const Tensor place = exact ? floor(middle) : middle - number(0.5);
    const Tensor in_box = begin + minimum(maximum(place, number(0)), length - number(1));
    return minimum(maximum(in_box, number(0)), constant(size - 1, f32));
  };
  // Rows of `x` at places between them: those of `first` on, with the share of the next.
  auto read = [&](const Tensor& x, const Tensor& first, const Tensor& at, int64_t size, auto&& share) {
    auto from = [&](const Tensor& where) {
      return gather(x, first + cast(minimum(where, constant(size - 1, f32)), i32));
    };
    if (exact) return from(at);
    const Tensor low = floor(at), f = cast(share(at - low), x.dtype());
    return (constant(1, x.dtype()) - f) * from(low) + f * from(low + number(1));
  };
  const Tensor x = exact ? batch.pictures : as_floats(batch.pictures);
  const Tensor y_at = places(0, height, batch.height());
  const Tensor lines = read(reshape(x, {n * batch.height(), batch.width() * channels}),
                            reshape(iota(n, i32) * constant(batch.height(), i32), {n, 1}), y_at, batch.height(),
                            [](const Tensor& f) { return expand_dims(f, 2); });
  const Tensor x_at = expand_dims(places(1, width, batch.width()), 1);
  const Tensor result = read(reshape(lines, {n * height * batch.width(), channels}),
                             reshape(iota(n * height, i32) * constant(batch.width(), i32), {n, height, 1}), x_at,
                             batch.width(), [](const Tensor& f) { return expand_dims(f, 3); });
  return batch.back(result);
}

}  // namespace brio::image
