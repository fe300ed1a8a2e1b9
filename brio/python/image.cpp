// tf.image: functions of pictures.
#include "brio/ops/image/image.h"

#include "brio/base/error.h"
#include "brio/ops/image/image_color.h"
#include "brio/ops/image/image_random.h"
#include "brio/ops/random/distributions.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

image::Amount amount_from(nb::handle h) {
  if (PyFloat_Check(h.ptr()) || PyLong_Check(h.ptr())) return image::Amount(double_from(h));
  return image::Amount(tensor_of(h, {.preferred = f32}));
}

image::ResizeOptions resize_options(const std::string& method, bool antialias, bool preserve = false) {
  return {
      .interpolation = image::interpolation_named(method), .antialias = antialias, .preserve_aspect_ratio = preserve};
}

void bind_shapes(nb::module_& m) {
  define(
      m, "resize",
      [](const Tensor& x, const std::vector<int64_t>& size, const std::string& method, bool preserve,
         bool antialias) {
        if (size.size() != 2)
          throw InvalidArgument(cat("[image.resize] size is height and width, but got ", size.size(), " numbers"));
        return image::resize(x, size[0], size[1], resize_options(method, antialias, preserve));
      },
      nb::arg("images"), nb::arg("size"), nb::arg("method") = "bilinear", nb::arg("preserve_aspect_ratio") = false,
      nb::arg("antialias") = false, "Pictures of another height and width.");
  define(
      m, "resize_with_pad",
      [](const Tensor& x, int64_t height, int64_t width, const std::string& method, bool antialias) {
        return image::resize_with_pad(x, height, width, resize_options(method, antialias));
      },
      nb::arg("image"), nb::arg("target_height"), nb::arg("target_width"), nb::arg("method") = "bilinear",
      nb::arg("antialias") = false, "Pictures resized without distortion, in the middle of zeros.");
  define(
      m, "resize_with_crop_or_pad",
      [](const Tensor& x, int64_t height, int64_t width) { return image::resize_with_crop_or_pad(x, height, width); },
      nb::arg("image"), nb::arg("target_height"), nb::arg("target_width"),
      "The middle of larger pictures, smaller ones in the middle of zeros.");
  using Box = Tensor (*)(const Tensor&, int64_t, int64_t, int64_t, int64_t);
  for (const auto& [name, f, doc] :
       {std::tuple{"crop_to_bounding_box", static_cast<Box>(image::crop_to_bounding_box), "A box of pictures."},
        std::tuple{"pad_to_bounding_box", static_cast<Box>(image::pad_to_bounding_box),
                   "Pictures in the midst of zeros."}})
    define(
        m, name,
        [f = f](const Tensor& x, int64_t top, int64_t left, int64_t height, int64_t width) {
          return f(x, top, left, height, width);
        },
        nb::arg("image"), nb::arg("offset_height"), nb::arg("offset_width"), nb::arg("target_height"),
        nb::arg("target_width"), doc);
  define(
      m, "central_crop", [](const Tensor& x, double fraction) { return image::central_crop(x, fraction); },
      nb::arg("image"), nb::arg("central_fraction"), "The middle of pictures: this fraction of each side.");
  define(
      m, "rot90", [](const Tensor& x, int64_t k) { return image::rot90(x, k); }, nb::arg("image"), nb::arg("k") = 1,
      "Pictures turned counter-clockwise k times.");
}

struct Row {
  const char* name;
  Tensor (*f)(const Tensor&);
  const char* doc;
  const char* argument = "images";
};
constexpr Row kPlain[] = {
    {"flip_left_right", image::flip_left_right, "Pictures with left and right swapped.", "image"},
    {"flip_up_down", image::flip_up_down, "Pictures with top and bottom swapped.", "image"},
    {"transpose", image::transpose, "Pictures with rows as columns.", "image"},
    {"per_image_standardization", image::per_image_standardization, "Pictures of mean 0 and deviation 1.", "image"},
    {"rgb_to_grayscale", image::rgb_to_grayscale, "Colours as one channel of grey."},
    {"grayscale_to_rgb", image::grayscale_to_rgb, "One channel three times."},
    {"rgb_to_hsv", image::rgb_to_hsv, "Colours as hue, saturation and value."},
    {"hsv_to_rgb", image::hsv_to_rgb, "Hue, saturation and value as colours."},
    {"rgb_to_yiq", image::rgb_to_yiq, "Colours as Y, I and Q."},
    {"yiq_to_rgb", image::yiq_to_rgb, "Y, I and Q as colours."},
    {"rgb_to_yuv", image::rgb_to_yuv, "Colours as Y, U and V."},
    {"yuv_to_rgb", image::yuv_to_rgb, "Y, U and V as colours."},
    {"total_variation", image::total_variation, "The sum of differences between neighbours, for each picture."},
};

void bind_colours(nb::module_& m) {
  for (const Row& row : kPlain)
    define(
        m, row.name, [f = row.f](const Tensor& x) { return f(x); }, nb::arg(row.argument), row.doc);
  using Adjust = Tensor (*)(const Tensor&, const image::Amount&);
  struct AdjustRow {
    const char *name, *picture, *amount;
    Adjust f;
    const char* doc;
  };
  for (const AdjustRow& row :
       {AdjustRow{"adjust_brightness", "image", "delta", image::adjust_brightness, "Pictures with delta added."},
        AdjustRow{"adjust_contrast", "images", "contrast_factor", image::adjust_contrast,
                  "Pictures with each channel's distance from its mean multiplied."},
        AdjustRow{"adjust_saturation", "image", "saturation_factor", image::adjust_saturation,
                  "Pictures with their saturation multiplied."},
        AdjustRow{"adjust_hue", "image", "delta", image::adjust_hue, "Pictures with delta added to their hue."}})
    m.def(
        row.name,
        [f = row.f](Given picture, Given amount, Given) {
          if (is_tensor(amount.object))
            return perform([f](const Tensor& x, const Tensor& by) { return f(x, image::Amount(by)); },
                           std::tuple{Parameter<Tensor>::take(picture), Parameter<Tensor>::take(amount)});
          return perform([f, by = amount_from(amount.object)](const Tensor& x) { return f(x, by); },
                         std::tuple{Parameter<Tensor>::take(picture)});
        },
        nb::arg(row.picture), nb::arg(row.amount), nb::arg("name") = nb::none(), row.doc);
  m.def(
      "adjust_gamma",
      [](Given picture, Given gamma, Given gain) {
        return perform([a = amount_from(gamma.object),
                        b = amount_from(gain.object)](const Tensor& x) { return image::adjust_gamma(x, a, b); },
                       std::tuple{Parameter<Tensor>::take(picture)});
      },
      nb::arg("image"), nb::arg("gamma") = 1, nb::arg("gain") = 1, "gain times each pixel to the power of gamma.");
  define(
      m, "convert_image_dtype",
      [](const Tensor& x, DType dtype, bool saturate) { return image::convert_image_dtype(x, dtype, saturate); },
      nb::arg("image"), nb::arg("dtype"), nb::arg("saturate") = false, "Pictures of another dtype and its scale.");
  define(
      m, "image_gradients",
      [](const Tensor& x) {
        const image::ImageGradients both = image::image_gradients(x);
        return std::tuple{both.dy, both.dx};
      },
      nb::arg("image"), "The differences to the next row and to the next column.");
}

// Each with a seed or without (random_…), and as a function of two numbers (stateless_random_…).
void bind_draws(nb::module_& m) {
  using Flip = Tensor (*)(const Tensor&, random::Source);
  using One = Tensor (*)(const Tensor&, double, random::Source);
  using Two = Tensor (*)(const Tensor&, double, double, random::Source);
  const auto both = [&](const std::string& name, const auto& define_one) {
    define_one(name, SourceArgument::of_seed);
    define_one("stateless_" + name, SourceArgument::of_pair);
  };
  for (const auto& [name, f] : {std::pair{"random_flip_left_right", static_cast<Flip>(image::random_flip_left_right)},
                                std::pair{"random_flip_up_down", static_cast<Flip>(image::random_flip_up_down)}})
    both(name, [&, f = f](const std::string& full, auto source) {
      m.def(
          full.c_str(),
          [=](Given x, Given s) {
            return perform<false>([f](const DrawSource& from, const Tensor& t) { return f(t, from.source); },
                                  std::tuple{source(s.object), Parameter<Tensor>::take(x)});
          },
          nb::arg("image"), nb::arg("seed") = nb::none(), "Half of the pictures turned over.");
    });
  for (const auto& [name, f] : {std::pair{"random_brightness", static_cast<One>(image::random_brightness)},
                                std::pair{"random_hue", static_cast<One>(image::random_hue)}})
    both(name, [&, f = f](const std::string& full, auto source) {
      m.def(
          full.c_str(),
          [=](Given x, double delta, Given s) {
            return perform<false>(
                [f, delta](const DrawSource& from, const Tensor& t) { return f(t, delta, from.source); },
                std::tuple{source(s.object), Parameter<Tensor>::take(x)});
          },
          nb::arg("image"), nb::arg("max_delta"), nb::arg("seed") = nb::none(),
          "Pictures adjusted by a number from [-max_delta, max_delta).");
    });
  for (const auto& [name, f] : {std::pair{"random_contrast", static_cast<Two>(image::random_contrast)},
                                std::pair{"random_saturation", static_cast<Two>(image::random_saturation)}})
    both(name, [&, f = f](const std::string& full, auto source) {
      m.def(
          full.c_str(),
          [=](Given x, double lower, double upper, Given s) {
            return perform<false>([f, lower, upper](const DrawSource& from,
                                                    const Tensor& t) { return f(t, lower, upper, from.source); },
                                  std::tuple{source(s.object), Parameter<Tensor>::take(x)});
          },
          nb::arg("image"), nb::arg("lower"), nb::arg("upper"), nb::arg("seed") = nb::none(),
          "Pictures adjusted by a number from [lower, upper).");
    });
  both("random_crop", [&](const std::string& full, auto source) {
    m.def(("_" + full).c_str(),
          [=](Given x, int64_t height, int64_t width, Given s) {
            return perform<false>(
                [height, width](const DrawSource& from, const Tensor& t) {
                  return image::random_crop(t, height, width, from.source);
                },
                std::tuple{source(s.object), Parameter<Tensor>::take(x)});
          },
          nb::arg("value"), nb::arg("height"), nb::arg("width"), nb::arg("seed") = nb::none());
  });
}

}  // namespace

void bind_image(nb::module_& m) {
  nb::module_ image = m.def_submodule("_image", "tf.image.");
  bind_shapes(image);
  bind_colours(image);
  bind_draws(image);
}

}  // namespace brio::python
