#include "brio/ops/image.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "brio/base/error.h"
#include "brio/ops/arrange.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/indexing.h"
#include "brio/ops/maths.h"
#include "brio/ops/products.h"
#include "brio/ops/ranges.h"
#include "brio/ops/reduction.h"
#include "brio/ops/shape_ops.h"

namespace brio::image {
namespace {

constexpr std::string_view kInterpolations[] = {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"};
constexpr std::string_view kFills[] = {"constant", "reflect", "wrap", "nearest"};

template <typename Enum>
Enum named(const char* what, std::string_view name, std::span<const std::string_view> names) {
  std::string known;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
    known += cat(i ? ", " : "", names[i]);
  }
  throw InvalidArgument(cat("[image] there is no ", what, " '", name, "'; known: ", known));
}

// A batch of pictures, whether or not one came alone.
struct Batch {
  Batch(const char* what, const Tensor& x) {
    if (!x.defined()) throw InvalidArgument(cat("[", what, "] the pictures are none; give it a tensor"));
    if (x.rank() != 3 && x.rank() != 4)
      throw InvalidArgument(
          cat("[", what, "] takes (height, width, channels) or a batch of such, but got shape ", x.shape()));
    alone = x.rank() == 3;
    pictures = alone ? expand_dims(x, 0) : x;
  }
  Tensor back(const Tensor& result) const { return alone ? squeeze(result, {0}) : result; }
  int64_t size(int axis) const { return pictures.shape()[axis]; }

  bool alone;
  Tensor pictures;
};

double kernel_radius(Interpolation kind) {
  switch (kind) {
    case Interpolation::bilinear: return 1;
    case Interpolation::bicubic: return 2;
    case Interpolation::lanczos3: return 3;
    case Interpolation::lanczos5: return 5;
    default: return 0.5;
  }
}

double kernel_at(Interpolation kind, double x) {
  x = std::abs(x);
  if (kind == Interpolation::bilinear) return std::max(0.0, 1 - x);
  if (kind == Interpolation::bicubic) {  // Keys' cubic with a = -0.5
    if (x >= 2) return 0;
    if (x >= 1) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
    return ((1.5 * x - 2.5) * x) * x + 1;
  }
  const double radius = kernel_radius(kind);
  if (x > radius) return 0;
  if (x < 1e-3) return 1;
  const double t = std::numbers::pi * x;
  return radius * std::sin(t) * std::sin(t / radius) / (t * t);
}

// Which old pixels a new one is made of, and how much of each.
struct Taps {
  int64_t count = 1;           // for each new pixel
  std::vector<int32_t> index;  // count × new size
  std::vector<float> weight;
};

Taps taps_for(int64_t from, int64_t to, const ResizeOptions& o) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const auto last = static_cast<double>(from - 1);
  Taps taps;
  if (o.interpolation == Interpolation::nearest) {
    for (int64_t i = 0; i < to; ++i) {
      taps.index.push_back(static_cast<int32_t>(std::min(last, std::floor((static_cast<double>(i) + 0.5) * scale))));
      taps.weight.push_back(1);
    }
    return taps;
  }
  std::vector<std::vector<std::pair<int64_t, double>>> rows(static_cast<size_t>(to));
  const bool area = o.interpolation == Interpolation::area;
  // Enlarging needs no smoothing.
  const double stretch = o.antialias && !area ? std::max(1.0, scale) : 1;
  for (int64_t i = 0; i < to; ++i) {
    auto& row = rows[static_cast<size_t>(i)];
    double total = 0;
    auto add = [&](int64_t at, double weight) {
      if (weight == 0) return;
      row.emplace_back(at, weight);
      total += weight;
    };
    if (area) {
      const double begin = static_cast<double>(i) * scale, end = begin + scale;
      for (auto at = static_cast<int64_t>(std::floor(begin)); static_cast<double>(at) < end && at < from; ++at)
        add(at, std::min(end, static_cast<double>(at + 1)) - std::max(begin, static_cast<double>(at)));
    } else {
      const double centre = (static_cast<double>(i) + 0.5) * scale - 0.5,
                   reach = kernel_radius(o.interpolation) * stretch;
      for (auto at = static_cast<int64_t>(std::ceil(centre - reach)); static_cast<double>(at) <= centre + reach;
           ++at) {
        const double weight = kernel_at(o.interpolation, (static_cast<double>(at) - centre) / stretch);
        // A bilinear kernel of fixed size reads the edge again; the others leave out what is outside.
        if (at >= 0 && at < from) add(at, weight);
        else if (o.interpolation == Interpolation::bilinear && !o.antialias)
          add(std::clamp<int64_t>(at, 0, from - 1), weight);
      }
    }
    for (auto& [at, weight] : row) weight /= total;
    taps.count = std::max(taps.count, static_cast<int64_t>(row.size()));
  }
  for (int64_t t = 0; t < taps.count; ++t)
    for (const auto& row : rows) {
      const bool there = t < static_cast<int64_t>(row.size());
      taps.index.push_back(static_cast<int32_t>(there ? row[static_cast<size_t>(t)].first : row.back().first));
      taps.weight.push_back(there ? static_cast<float>(row[static_cast<size_t>(t)].second) : 0);
    }
  return taps;
}

// Along axis 1 or 2 of a batch. A few taps are read one by one; many become a product with their matrix.
Tensor resize_axis(const Tensor& x, int axis, int64_t to, const ResizeOptions& o) {
  const int64_t from = x.shape()[axis];
  if (from == to) return x;
  const Taps taps = taps_for(from, to, o);
  auto row = [&](const auto& all, int64_t t) {
    return Tensor::from(std::vector(all.begin() + t * to, all.begin() + (t + 1) * to), Shape{to});
  };
  if (o.interpolation == Interpolation::nearest) return gather(x, row(taps.index, 0), axis);
  constexpr int64_t kFewTaps = 6;
  Shape along{1, 1, 1, 1};
  along.set(axis, to);
  if (taps.count <= kFewTaps) {
    Tensor sum;
    for (int64_t t = 0; t < taps.count; ++t) {
      const Tensor weight = cast(reshape(row(taps.weight, t), along), x.dtype());
      const Tensor part = gather(x, row(taps.index, t), axis) * weight;
      sum = sum.defined() ? sum + part : part;
    }
    return sum;
  }
  std::vector<float> matrix(static_cast<size_t>(to * from), 0);
  for (int64_t t = 0; t < taps.count; ++t)
    for (int64_t i = 0; i < to; ++i) {
      const auto k = static_cast<size_t>(t * to + i);
      matrix[static_cast<size_t>(i * from + taps.index[k])] += taps.weight[k];
    }
  const Tensor m = cast(Tensor::from(matrix, {to, from}), x.dtype());
  const Shape& s = x.shape();
  const int64_t before = axis == 1 ? s[0] : s[0] * s[1], after = axis == 1 ? s[2] * s[3] : s[3];
  Shape result = s;
  result.set(axis, to);
  return reshape(matmul(m, reshape(x, {before, from, after})), result);
}

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

}  // namespace

Interpolation interpolation_named(std::string_view name) {
  return named<Interpolation>("interpolation", name, kInterpolations);
}
std::string_view name_of(Interpolation interpolation) { return kInterpolations[static_cast<size_t>(interpolation)]; }
Fill fill_named(std::string_view name) { return named<Fill>("fill mode", name, kFills); }
std::string_view name_of(Fill fill) { return kFills[static_cast<size_t>(fill)]; }

Tensor resize(const Tensor& pictures, int64_t height, int64_t width, ResizeOptions o) {
  const Batch batch("image::resize", pictures);
  constexpr int64_t kLargest = 1 << 24;
  if (height < 1 || width < 1 || height > kLargest || width > kLargest)
    throw InvalidArgument(cat("[image::resize] the new size is ", height, " × ", width, "; give 1 or more of each"));
  if (batch.size(1) < 1 || batch.size(2) < 1)
    throw InvalidArgument(cat("[image::resize] a picture of shape ", pictures.shape(), " has no pixels"));
  const bool exact = o.interpolation == Interpolation::nearest;
  Tensor x = exact || is_floating(pictures.dtype()) ? batch.pictures : cast(batch.pictures, f32);
  return batch.back(resize_axis(resize_axis(x, 1, height, o), 2, width, o));
}

Tensor affine_transform(const Tensor& pictures, const Tensor& transform, AffineOptions o) {
  const Batch batch("image::affine_transform", pictures);
  const int64_t n = batch.size(0), height = batch.size(1), width = batch.size(2), channels = batch.size(3);
  auto refuse = [](const std::string& what) { throw InvalidArgument(cat("[image::affine_transform] ", what)); };
  if (!transform.defined()) refuse("the transform is none; give it a tensor");
  const Tensor rows = transform.rank() == 1 ? expand_dims(transform, 0) : transform;
  if (rows.rank() != 2 || rows.shape()[1] != 8 || (rows.shape()[0] != 1 && rows.shape()[0] != n))
    refuse(cat("a transform is (8,) or (", n, ", 8), but has shape ", transform.shape()));
  if (o.interpolation != Interpolation::nearest && o.interpolation != Interpolation::bilinear)
    refuse(cat("the interpolation is nearest or bilinear, not ", name_of(o.interpolation)));
  if (n * height * width > INT32_MAX)
    refuse(cat("a batch of shape ", pictures.shape(), " has more than 2^31 pixels"));
  if (height == 0 || width == 0) return pictures;

  std::vector<Tensor> c;  // each (n or 1, 1, 1)
  for (const Tensor& column : unstack(cast(rows, f32), 1)) c.push_back(reshape(column, {rows.shape()[0], 1, 1}));
  const Tensor x = reshape(iota(width, f32), {1, 1, width}), y = reshape(iota(height, f32), {1, height, 1});
  const Tensor k = c[6] * x + c[7] * y + constant(1, f32);
  const Tensor at_x = inside((c[0] * x + c[1] * y + c[2]) / k, width, o.fill);
  const Tensor at_y = inside((c[3] * x + c[4] * y + c[5]) / k, height, o.fill);

  const Tensor flat = reshape(is_floating(pictures.dtype()) ? batch.pictures : cast(batch.pictures, f32),
                              {n * height * width, channels});
  const Tensor picture = reshape(iota(n, i32) * constant(height * width, i32), {n, 1, 1});
  const Tensor outside = constant(o.fill_value, flat.dtype());
  // The pixels at whole coordinates, or the fill.
  auto pixels = [&](const Tensor& px, const Tensor& py) {
    const Tensor zero = constant(0, f32), right = constant(width - 1, f32), bottom = constant(height - 1, f32);
    const Tensor there = logical_and(logical_and(greater_equal(px, zero), less_equal(px, right)),
                                     logical_and(greater_equal(py, zero), less_equal(py, bottom)));
    const Tensor column = cast(minimum(maximum(px, zero), right), i32);
    const Tensor line = cast(minimum(maximum(py, zero), bottom), i32);
    const Tensor found = gather(flat, picture + line * constant(width, i32) + column);
    return select(expand_dims(there, 3), found, outside);
  };
  Tensor result;
  if (o.interpolation == Interpolation::nearest) {
    auto nearest = [](const Tensor& v) {  // halves away from zero
      return sign(v) * floor(abs(v) + constant(0.5, f32));
    };
    result = pixels(nearest(at_x), nearest(at_y));
  } else {
    const Tensor left = floor(at_x), top = floor(at_y), one = constant(1, f32);
    auto share = [&](const Tensor& v) { return cast(expand_dims(v, 3), flat.dtype()); };
    const Tensor fx = share(at_x - left), fy = share(at_y - top), full = constant(1, flat.dtype());
    const Tensor upper = (full - fx) * pixels(left, top) + fx * pixels(left + one, top);
    const Tensor lower = (full - fx) * pixels(left, top + one) + fx * pixels(left + one, top + one);
    result = (full - fy) * upper + fy * lower;
  }
  return batch.back(cast(result, pictures.dtype()));
}

Tensor flip_left_right(const Tensor& pictures) {
  const Batch batch("image::flip_left_right", pictures);
  return reverse(pictures, {pictures.rank() - 2});
}
Tensor flip_up_down(const Tensor& pictures) {
  const Batch batch("image::flip_up_down", pictures);
  return reverse(pictures, {pictures.rank() - 3});
}

Tensor crop(const Tensor& pictures, int64_t top, int64_t left, int64_t height, int64_t width) {
  const Batch batch("image::crop", pictures);
  if (top < 0 || left < 0 || height < 0 || width < 0 || top > batch.size(1) - height || left > batch.size(2) - width)
    throw InvalidArgument(cat("[image::crop] ", height, " × ", width, " pixels from row ", top, " and column ", left,
                              " do not lie in a picture of ", batch.size(1), " × ", batch.size(2)));
  return batch.back(
      slice(batch.pictures, {{0, batch.size(0)}, {top, top + height}, {left, left + width}, {0, batch.size(3)}}));
}

Tensor rgb_to_grayscale(const Tensor& pictures) {
  const Batch batch("image::rgb_to_grayscale", pictures);
  if (batch.size(3) != 3)
    throw InvalidArgument(cat("[image::rgb_to_grayscale] takes three channels, but got shape ", pictures.shape()));
  const Tensor x = is_floating(pictures.dtype()) ? pictures : cast(pictures, f32);
  const Tensor weights = cast(Tensor({0.2989, 0.5870, 0.1140}), x.dtype());
  const Tensor gray = sum(x * weights, -1, true);
  return cast(gray, pictures.dtype());
}

Tensor adjust_brightness(const Tensor& pictures, const Tensor& delta) {
  const Batch batch("image::adjust_brightness", pictures);
  return pictures + cast(delta, pictures.dtype());
}

Tensor adjust_contrast(const Tensor& pictures, const Tensor& factor) {
  const Batch batch("image::adjust_contrast", pictures);
  const int rank = pictures.rank();
  const Tensor average = mean(pictures, {rank - 3, rank - 2}, true);
  return (pictures - average) * cast(factor, pictures.dtype()) + average;
}

}  // namespace brio::image
