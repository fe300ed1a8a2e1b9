#include "brio/ops/image/image.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/image/picture_batch.h"
#include "brio/ops/image/resample.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::image {
namespace {

constexpr std::string_view kInterpolations[] = {"nearest",  "bilinear", "bicubic",  "lanczos3",
                                                "lanczos5", "area",     "gaussian", "mitchellcubic"};
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

double kernel_radius(Interpolation kind) {
  switch (kind) {
    case Interpolation::bilinear: return 1;
    case Interpolation::gaussian: return 1.5;
    case Interpolation::bicubic:
    case Interpolation::mitchellcubic: return 2;
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
  if (kind == Interpolation::mitchellcubic) {  // b = c = 1/3
    if (x >= 2) return 0;
    if (x >= 1) return ((-7. / 18 * x + 2) * x - 10. / 3) * x + 16. / 9;
    return ((7. / 6 * x - 2) * x) * x + 8. / 9;
  }
  const double radius = kernel_radius(kind);
  if (kind == Interpolation::gaussian) return x >= radius ? 0 : std::exp(-2 * x * x);  // a deviation of 1/2
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

// Along axis 1 or 2 of a batch. A few taps are read where they are; many become a product with their matrix.
Tensor resize_axis(const Tensor& x, int axis, int64_t to, const ResizeOptions& o) {
  const int64_t from = x.shape()[axis];
  const bool blurs = o.interpolation == Interpolation::gaussian || o.interpolation == Interpolation::mitchellcubic;
  if (from == to && !blurs) return x;
  const Taps taps = taps_for(from, to, o);
  if (o.interpolation == Interpolation::nearest) return gather(x, Tensor::from(taps.index, Shape{to}), axis);
  constexpr int64_t kFewTaps = 6;
  if (taps.count <= kFewTaps) {
    const Shape each{taps.count, to};
    return resample(x, Tensor::from(taps.index, each), cast(Tensor::from(taps.weight, each), x.dtype()), axis);
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

void check_pixels(const Batch& batch) {
  if (batch.height() < 1 || batch.width() < 1)
    throw_invalid(batch.function, cat("a picture of ", batch.height(), " × ", batch.width(), " has no pixels"));
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
  check_size(batch.function, "new size", height, width);
  check_pixels(batch);
  if (o.preserve_aspect_ratio) {
    // TensorFlow computes sizes in float32.
    const auto h = static_cast<float>(batch.height()), w = static_cast<float>(batch.width());
    const float factor = std::min(static_cast<float>(height) / h, static_cast<float>(width) / w);
    const auto fitting_height = static_cast<int64_t>(std::nearbyint(factor * h));
    const auto fitting_width = static_cast<int64_t>(std::nearbyint(factor * w));
    if (fitting_height < 1 || fitting_width < 1)
      throw_invalid(batch.function, cat("a picture of ", batch.height(), " × ", batch.width(), " fits into ", height,
                                        " × ", width, " as ", fitting_height, " × ", fitting_width,
                                        " pixels only; give a larger size, or leave out preserve_aspect_ratio"));
    height = fitting_height;
    width = fitting_width;
  }
  const Tensor x = o.interpolation == Interpolation::nearest ? batch.pictures : as_floats(batch.pictures);
  return batch.back(resize_axis(resize_axis(x, 1, height, o), 2, width, o));
}

Tensor resize_with_crop_or_pad(const Tensor& pictures, int64_t height, int64_t width) {
  const Batch batch("image::resize_with_crop_or_pad", pictures);
  check_size(batch.function, "new size", height, width);
  check_pixels(batch);
  // An odd pixel is added or cut below and on the right.
  const int64_t more_height = height - batch.height(), more_width = width - batch.width();
  const Tensor cropped =
      crop_to_bounding_box(pictures, std::max<int64_t>(0, -more_height / 2), std::max<int64_t>(0, -more_width / 2),
                           min(height, batch.height()), min(width, batch.width()));
  return pad_to_bounding_box(cropped, std::max<int64_t>(0, more_height / 2), std::max<int64_t>(0, more_width / 2),
                             height, width);
}

Tensor resize_with_pad(const Tensor& pictures, int64_t height, int64_t width, ResizeOptions o) {
  const Batch batch("image::resize_with_pad", pictures);
  check_size(batch.function, "new size", height, width);
  check_pixels(batch);
  const auto h = static_cast<float>(batch.height()), w = static_cast<float>(batch.width());
  const auto to_h = static_cast<float>(height), to_w = static_cast<float>(width);
  const float ratio = std::max(w / to_w, h / to_h), inner_h = h / ratio, inner_w = w / ratio;
  const auto inner_height = static_cast<int64_t>(inner_h), inner_width = static_cast<int64_t>(inner_w);
  if (inner_height < 1 || inner_width < 1)
    throw_invalid(batch.function,
                  cat("a picture of ", batch.height(), " × ", batch.width(), " fits into ", height, " × ", width,
                      " as ", inner_height, " × ", inner_width, " pixels only; give a larger size"));
  const auto top = static_cast<int64_t>(std::max(0.f, std::floor((to_h - inner_h) / 2)));
  const auto left = static_cast<int64_t>(std::max(0.f, std::floor((to_w - inner_w) / 2)));
  o.preserve_aspect_ratio = false;
  return pad_to_bounding_box(resize(pictures, inner_height, inner_width, o), top, left, height, width);
}

}  // namespace brio::image
