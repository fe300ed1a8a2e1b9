#include "brio/nn/preprocessing/image_layers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/image/image_color.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

struct PictureSize {
  int64_t height = 0, width = 0;
};
void list_fields(Fields& f, PictureSize& size) {
  f("height", size.height);
  f("width", size.width);
}

// Pictures with their channels last, in the dtype in which the layer computes.
class ImageModule : public Module {
 public:
  ImageModule(std::string_view base, const Policy& dtype, const std::string& name, DataFormat format)
      : Module(base, {.dtype = dtype, .name = name}), data_format_(format) {}

 protected:
  virtual Tensor transform(const Tensor& pictures, const Call& how) = 0;
  virtual std::optional<PictureSize> new_size(const Call&) const { return {}; }  // none: that of the pictures

  std::optional<Aval> declared_result(const Aval& input, const Call& how) const final {
    Aval result{input.shape, policy().compute()};
    if (const auto size = new_size(how)) {
      const int first = (data_format_ == DataFormat::channels_last ? 1 : 2) - (input.shape.rank() == 3 ? 1 : 0);
      result.shape.set(first, size->height);
      result.shape.set(first + 1, size->width);
    }
    return result;
  }
  void check_input(const Shape& input) const final {
    if (input.rank() != 4 && input.rank() != 3)
      refuse(cat("takes a picture or a batch of them, ",
                 data_format_ == DataFormat::channels_last ? "(batch, height, width, channels)"
                                                           : "(batch, channels, height, width)",
                 ", but got shape ", input));
  }
  Tensor call(const Tensor& x, const Call& how) final {
    if (x.rank() == 3) return squeeze(call(expand_dims(x, 0), how), {0});
    const DType dtype = policy().compute();
    const Tensor pictures = to_channels_last(cast(x, dtype), data_format_);
    return from_channels_last(cast(transform(pictures, how), dtype), data_format_);
  }
  void check_size(const PictureSize& size) const {
    if (size.height < 1 || size.width < 1)
      refuse(cat("the size is ", size.height, " × ", size.width, "; give 1 or more of each"));
  }

  DataFormat data_format_;
};

// The middle part that has the shape of the target.
struct Part {
  int64_t top, left, height, width;
};
Part middle_of(int64_t height, int64_t width, const PictureSize& target) {
  auto fitting = [](int64_t other, int64_t wanted, int64_t by, int64_t most) {
    const auto exact = static_cast<float>(other * wanted) / static_cast<float>(by);
    return std::max<int64_t>(1, std::min<int64_t>(most, static_cast<int64_t>(exact)));
  };
  const int64_t h = fitting(width, target.height, target.width, height);
  const int64_t w = fitting(height, target.width, target.height, width);
  return {(height - h) / 2, (width - w) / 2, h, w};
}
Tensor cropped(const Tensor& x, const Part& part) {
  return image::crop_to_bounding_box(x, part.top, part.left, part.height, part.width);
}
Tensor smart_resized(const Tensor& x, const PictureSize& to, const image::ResizeOptions& o = {}) {
  return image::resize(cropped(x, middle_of(x.shape()[1], x.shape()[2], to)), to.height, to.width, o);
}

// ---- Sizes

void list_fields(Fields& f, PictureSize& size, ResizingOptions& o) {
  list_fields(f, size);
  f("interpolation", o.interpolation);
  f("crop_to_aspect_ratio", o.crop_to_aspect_ratio);
  f("pad_to_aspect_ratio", o.pad_to_aspect_ratio);
  f("fill_value", o.fill_value);
  f("antialias", o.antialias);
  f("data_format", o.data_format);
}

class ResizingModule : public ImageModule {
 public:
  ResizingModule(PictureSize size, ResizingOptions o)
      : ImageModule("resizing", o.dtype, o.name, o.data_format), size_(size), o_(std::move(o)) {
    check_size(size_);
    if (o_.crop_to_aspect_ratio && o_.pad_to_aspect_ratio) refuse("both crops and pads; choose one");
    resize_ = {image::interpolation_named(o_.interpolation), o_.antialias};
  }
  std::string_view kind() const override { return "Resizing"; }
  void describe(Fields& f) override { list_fields(f, size_, o_); }

 protected:
  std::optional<PictureSize> new_size(const Call&) const override { return size_; }
  Tensor transform(const Tensor& x, const Call&) override {
    if (o_.crop_to_aspect_ratio) return smart_resized(x, size_, resize_);
    return image::resize(o_.pad_to_aspect_ratio ? padded(x) : x, size_.height, size_.width, resize_);
  }

 private:
  Tensor padded(const Tensor& x) const {
    const int64_t height = x.shape()[1], width = x.shape()[2];
    auto wanted = [](int64_t other, int64_t to, int64_t by, int64_t least) {
      return std::max(least, static_cast<int64_t>(static_cast<float>(other * to) / static_cast<float>(by)));
    };
    const int64_t more_height = (wanted(width, size_.height, size_.width, height) - height) / 2;
    const int64_t more_width = (wanted(height, size_.width, size_.height, width) - width) / 2;
    return pad(x, {{0, 0}, {more_height, more_height}, {more_width, more_width}, {0, 0}}, o_.fill_value);
  }

  PictureSize size_;
  ResizingOptions o_;
  image::ResizeOptions resize_;
};

class CenterCropModule : public ImageModule {
 public:
  CenterCropModule(PictureSize size, ImageOptions o)
      : ImageModule("center_crop", o.dtype, o.name, o.data_format), size_(size) {
    check_size(size_);
  }
  std::string_view kind() const override { return "CenterCrop"; }
  void describe(Fields& f) override {
    list_fields(f, size_);
    f("data_format", data_format_);
  }

 protected:
  std::optional<PictureSize> new_size(const Call&) const override { return size_; }
  Tensor transform(const Tensor& x, const Call&) override {
    const int64_t more_height = x.shape()[1] - size_.height, more_width = x.shape()[2] - size_.width;
    if (more_height < 0 || more_width < 0) return smart_resized(x, size_);
    return cropped(x, {more_height / 2, more_width / 2, size_.height, size_.width});
  }

 private:
  PictureSize size_;
};

// ---- Those that draw

class RandomImageModule : public ImageModule {
 public:
  template <typename Options>
  RandomImageModule(std::string_view base, const Options& o)
      : ImageModule(base, o.dtype, o.name, o.data_format), seed_(o.seed) {
    if (seed_) generator_.emplace(*seed_);
  }
  Generator* own_generator() override { return generator_ ? &*generator_ : nullptr; }
  bool trains_unless_told() const override { return true; }  // a map over a dataset does not say it

 protected:
  virtual Tensor changed(const Tensor& pictures) = 0;
  Tensor transform(const Tensor& x, const Call& how) override { return how.training ? changed(x) : x; }

  Tensor uniform(const Shape& shape, double low, double high) {
    if (low == high) return full(shape, low, f32);
    return random::uniform(shape, {.low = low, .high = high, .generator = generator_ ? &*generator_ : nullptr});
  }

  std::optional<uint64_t> seed_;
  std::optional<Generator> generator_;
};

class RandomCropModule : public RandomImageModule {
 public:
  RandomCropModule(PictureSize size, const RandomImageOptions& o) : RandomImageModule("random_crop", o), size_(size) {
    check_size(size_);
  }
  std::string_view kind() const override { return "RandomCrop"; }
  void describe(Fields& f) override {
    list_fields(f, size_);
    f("seed", seed_);
    f("data_format", data_format_);
  }

 protected:
  std::optional<PictureSize> new_size(const Call& how) const override {
    return how.training ? std::optional(size_) : std::nullopt;
  }
  Tensor changed(const Tensor& x) override {
    const int64_t height = x.shape()[1], width = x.shape()[2];
    if (height <= size_.height || width <= size_.width) {
      const auto [top, left, h, w] = middle_of(height, width, size_);
      const Part part{top, left, std::min(size_.height, height - top), std::min(size_.width, width - left)};
      return image::resize(cropped(x, part), size_.height, size_.width);
    }
    auto from = [&](int64_t room) { return cast(floor(uniform({}, 0, static_cast<double>(room + 1))), i32); };
    const Tensor rows = iota(size_.height, i32) + from(height - size_.height);
    const Tensor columns = iota(size_.width, i32) + from(width - size_.width);
    return gather(gather(x, rows, 1), columns, 2);
  }

 private:
  PictureSize size_;
};

class RandomFlipModule : public RandomImageModule {
 public:
  RandomFlipModule(std::string mode, const RandomImageOptions& o)
      : RandomImageModule("random_flip", o), mode_(std::move(mode)) {
    if (mode_ != "horizontal" && mode_ != "vertical" && mode_ != "horizontal_and_vertical")
      refuse(cat("the mode is '", mode_, "'; it is horizontal, vertical or horizontal_and_vertical"));
  }
  std::string_view kind() const override { return "RandomFlip"; }
  void describe(Fields& f) override {
    f("seed", seed_);
    f("mode", mode_);
    f("data_format", data_format_);
  }

 protected:
  Tensor changed(const Tensor& x) override {
    // One draw decides on both, as in Keras.
    const Tensor flips = less_equal(uniform({x.shape()[0], 1, 1, 1}, 0, 1), constant(0.5, f32));
    Tensor y = x;
    if (mode_ != "vertical") y = select(flips, image::flip_left_right(y), y);
    if (mode_ != "horizontal") y = select(flips, image::flip_up_down(y), y);
    return y;
  }

 private:
  std::string mode_;
};

struct Bounds {
  double low, high;
};
// A number or a pair, as the range to draw from.
Bounds range_of(const std::string& layer, const char* what, const Factor& factor, const Bounds& allowed) {
  const bool pair = factor.size() == 2;
  if (!pair && factor.size() != 1)
    throw InvalidArgument(
        cat("[", layer, "] ", what, " has ", factor.size(), " numbers; give one, or a range of two"));
  Bounds range = pair ? Bounds{std::min(factor[0], factor[1]), std::max(factor[0], factor[1])}
                      : Bounds{std::max(-std::abs(factor[0]), allowed.low), std::abs(factor[0])};
  if (!(range.low >= allowed.low && range.high <= allowed.high))
    throw InvalidArgument(cat("[", layer, "] ", what, " goes from ", range.low, " to ", range.high, "; it lies in [",
                              allowed.low, ", ", allowed.high, "]"));
  return range;
}

void list_fields(Fields& f, RandomTransformOptions& o) {
  f("fill_mode", o.fill_mode);
  f("interpolation", o.interpolation);
  f("seed", o.seed);
  f("fill_value", o.fill_value);
  f("data_format", o.data_format);
}

class TransformModule : public RandomImageModule {
 public:
  TransformModule(std::string_view base, RandomTransformOptions o) : RandomImageModule(base, o), o_(std::move(o)) {
    affine_ = {image::interpolation_named(o_.interpolation), image::fill_named(o_.fill_mode), o_.fill_value};
    if (affine_.interpolation != image::Interpolation::nearest &&
        affine_.interpolation != image::Interpolation::bilinear)
      refuse(cat("the interpolation is nearest or bilinear, not ", o_.interpolation));
  }

 protected:
  // One number for each picture, times `by`.
  Tensor drawn(const Tensor& x, const Bounds& range, double by = 1) {
    return uniform({x.shape()[0]}, range.low * by, range.high * by);
  }

  RandomTransformOptions o_;
  image::AffineOptions affine_;
};

class RotationModule : public TransformModule {
 public:
  RotationModule(Factor factor, RandomTransformOptions o)
      : TransformModule("random_rotation", std::move(o)), factor_(std::move(factor)) {
    range_ = range_of(name(), "factor", factor_, {-1, 1});
  }
  std::string_view kind() const override { return "RandomRotation"; }
  void describe(Fields& f) override {
    f("factor", factor_);
    list_fields(f, o_);
  }

 protected:
  Tensor changed(const Tensor& x) override {
    return image::rotate(x, drawn(x, range_, 360) * constant(std::numbers::pi / 180, f32), affine_);
  }

 private:
  Factor factor_;
  Bounds range_{};
};

class ZoomModule : public TransformModule {
 public:
  ZoomModule(Factor height, Factor width, RandomTransformOptions o)
      : TransformModule("random_zoom", std::move(o)), height_(std::move(height)), width_(std::move(width)) {
    rows_ = range_of(name(), "height_factor", height_, {-1, 1});
    if (!width_.empty()) columns_ = range_of(name(), "width_factor", width_, {-1, 1});
    if (rows_.low <= -1 || (!width_.empty() && columns_.low <= -1)) refuse("a factor of -1 leaves nothing to see");
  }
  std::string_view kind() const override { return "RandomZoom"; }
  void describe(Fields& f) override {
    f("height_factor", height_);
    f("width_factor", width_);
    list_fields(f, o_);
  }

 protected:
  Tensor changed(const Tensor& x) override {
    const Tensor height = drawn(x, rows_);
    return image::zoom(x, height, width_.empty() ? height : drawn(x, columns_), affine_);
  }

 private:
  Factor height_, width_;
  Bounds rows_{}, columns_{};
};

class TranslationModule : public TransformModule {
 public:
  TranslationModule(Factor height, Factor width, RandomTransformOptions o)
      : TransformModule("random_translation", std::move(o)), height_(std::move(height)), width_(std::move(width)) {
    rows_ = range_of(name(), "height_factor", height_, {-1, 1});
    columns_ = range_of(name(), "width_factor", width_, {-1, 1});
  }
  std::string_view kind() const override { return "RandomTranslation"; }
  void describe(Fields& f) override {
    f("height_factor", height_);
    f("width_factor", width_);
    list_fields(f, o_);
  }

 protected:
  Tensor changed(const Tensor& x) override {
    const Tensor down = drawn(x, rows_) * constant(x.shape()[1], f32);
    return image::translate(x, drawn(x, columns_) * constant(x.shape()[2], f32), down, affine_);
  }

 private:
  Factor height_, width_;
  Bounds rows_{}, columns_{};
};

// ---- Colours

void list_fields(Fields& f, Factor& factor, RandomColorOptions& o) {
  f("factor", factor);
  f("value_range", o.value_range);
  f("seed", o.seed);
}

class ColorModule : public RandomImageModule {
 public:
  ColorModule(std::string_view base, Factor factor, const Bounds& allowed, RandomColorOptions o)
      : RandomImageModule(base, o), factor_(std::move(factor)), o_(std::move(o)) {
    range_ = range_of(name(), "factor", factor_, allowed);
    if (o_.value_range.size() != 2 || !(o_.value_range[0] < o_.value_range[1]))
      refuse("value_range must be two numbers, the smaller first");
  }
  void describe(Fields& f) override { list_fields(f, factor_, o_); }

 protected:
  virtual Tensor recoloured(const Tensor& x) = 0;
  Tensor changed(const Tensor& x) override {
    return clip_by_value(recoloured(x), constant(o_.value_range[0], x.dtype()),
                         constant(o_.value_range[1], x.dtype()));
  }
  Tensor drawn(const Tensor& x, double low, double high) { return uniform({x.shape()[0]}, low, high); }

  Factor factor_;
  Bounds range_{};
  RandomColorOptions o_;
};

class BrightnessModule : public ColorModule {
 public:
  BrightnessModule(Factor factor, RandomColorOptions o)
      : ColorModule("random_brightness", std::move(factor), {-1, 1}, std::move(o)) {}
  std::string_view kind() const override { return "RandomBrightness"; }

 protected:
  Tensor recoloured(const Tensor& x) override {
    const double width = o_.value_range[1] - o_.value_range[0];
    return image::adjust_brightness(x, drawn(x, range_.low, range_.high) * constant(width, f32));
  }
};

class ContrastModule : public ColorModule {
 public:
  ContrastModule(Factor factor, RandomColorOptions o)
      : ColorModule("random_contrast", std::move(factor), {0, 1}, std::move(o)) {}
  std::string_view kind() const override { return "RandomContrast"; }

 protected:
  Tensor recoloured(const Tensor& x) override {
    return image::adjust_contrast(x, drawn(x, 1 - range_.low, 1 + range_.high));
  }
};

}  // namespace

Resizing::Resizing(int64_t height, int64_t width, ResizingOptions o)
    : Layer(std::make_shared<ResizingModule>(PictureSize{height, width}, std::move(o))) {}
Layer Resizing::from_config(Fields& f) {
  auto o = options_from<ResizingOptions>(f);
  PictureSize size;
  list_fields(f, size, o);
  return Resizing(size.height, size.width, o);
}

CenterCrop::CenterCrop(int64_t height, int64_t width, ImageOptions o)
    : Layer(std::make_shared<CenterCropModule>(PictureSize{height, width}, std::move(o))) {}
Layer CenterCrop::from_config(Fields& f) {
  auto o = options_from<ImageOptions>(f);
  PictureSize size;
  list_fields(f, size);
  f("data_format", o.data_format);
  return CenterCrop(size.height, size.width, o);
}

RandomCrop::RandomCrop(int64_t height, int64_t width, RandomImageOptions o)
    : Layer(std::make_shared<RandomCropModule>(PictureSize{height, width}, o)) {}
Layer RandomCrop::from_config(Fields& f) {
  auto o = options_from<RandomImageOptions>(f);
  PictureSize size;
  list_fields(f, size);
  f("seed", o.seed);
  f("data_format", o.data_format);
  return RandomCrop(size.height, size.width, o);
}

RandomFlip::RandomFlip(std::string mode, RandomImageOptions o)
    : Layer(std::make_shared<RandomFlipModule>(std::move(mode), o)) {}
Layer RandomFlip::from_config(Fields& f) {
  auto o = options_from<RandomImageOptions>(f);
  std::string mode = "horizontal_and_vertical";
  f("mode", mode);
  f("seed", o.seed);
  f("data_format", o.data_format);
  return RandomFlip(mode, o);
}

RandomRotation::RandomRotation(const Factor& factor, RandomTransformOptions o)
    : Layer(std::make_shared<RotationModule>(factor, std::move(o))) {}
Layer RandomRotation::from_config(Fields& f) {
  auto o = options_from<RandomTransformOptions>(f);
  Factor factor;
  f("factor", factor);
  list_fields(f, o);
  return RandomRotation(factor, o);
}

RandomZoom::RandomZoom(const Factor& height, const Factor& width, RandomTransformOptions o)
    : Layer(std::make_shared<ZoomModule>(height, width, std::move(o))) {}
Layer RandomZoom::from_config(Fields& f) {
  auto o = options_from<RandomTransformOptions>(f);
  Factor height, width;
  f("height_factor", height);
  f("width_factor", width);
  list_fields(f, o);
  return RandomZoom(height, width, o);
}

RandomTranslation::RandomTranslation(const Factor& height, const Factor& width, RandomTransformOptions o)
    : Layer(std::make_shared<TranslationModule>(height, width, std::move(o))) {}
Layer RandomTranslation::from_config(Fields& f) {
  auto o = options_from<RandomTransformOptions>(f);
  Factor height, width;
  f("height_factor", height);
  f("width_factor", width);
  list_fields(f, o);
  return RandomTranslation(height, width, o);
}

RandomBrightness::RandomBrightness(const Factor& factor, RandomColorOptions o)
    : Layer(std::make_shared<BrightnessModule>(factor, std::move(o))) {}
Layer RandomBrightness::from_config(Fields& f) {
  auto o = options_from<RandomColorOptions>(f);
  Factor factor;
  list_fields(f, factor, o);
  return RandomBrightness(factor, o);
}

RandomContrast::RandomContrast(const Factor& factor, RandomColorOptions o)
    : Layer(std::make_shared<ContrastModule>(factor, std::move(o))) {}
Layer RandomContrast::from_config(Fields& f) {
  auto o = options_from<RandomColorOptions>(f);
  Factor factor;
  list_fields(f, factor, o);
  return RandomContrast(factor, o);
}

}  // namespace brio::nn
