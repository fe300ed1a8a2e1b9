// Functions of pictures against tf.image and Keras: every case of tests/golden/images_*.json.
#include <filesystem>
#include <functional>

#include "tests/nn/golden_values.h"
#include "tests/source_dir.h"

namespace brio {
namespace {

using golden::Case;
using Results = std::vector<Tensor>;

Tensor tensor_of(const golden::Array& array, DType dtype) {
  if (is_floating(dtype)) return cast(golden::tensor(array), dtype);  // nine digits stand for a float32
  return cast(Tensor::from(array.data, golden::shape_of(array)), dtype);
}

// A case's options, as the functions take them.
struct Options {
  const Case& c;
  int64_t whole(const char* key) const { return static_cast<int64_t>(c.number(key)); }
  Tensor input(const char* key, DType dtype = f32) const { return tensor_of(c.input(key), dtype); }
  image::Amount amount(const char* key) const {
    return c.inputs.contains(key) ? image::Amount(input(key)) : image::Amount(c.number(key));
  }
  image::Interpolation method() const { return image::interpolation_named(c.text("method")); }
  image::ResizeOptions resize() const {
    return {method(), c.number("antialias", 0) != 0, c.number("preserve_aspect_ratio", 0) != 0};
  }
  image::AffineOptions affine() const { return {method(), image::fill_named(c.text("fill")), c.number("value")}; }
};

using Function = std::function<Results(const Tensor&, const Options&)>;

template <typename F>
Function plain(F f) {
  return [f](const Tensor& x, const Options&) -> Results { return {f(x)}; };
}
template <typename F>
Function box(F f) {
  return [f](const Tensor& x, const Options& o) -> Results {
    return {f(x, o.whole("top"), o.whole("left"), o.whole("height"), o.whole("width"))};
  };
}
template <typename F>
Function adjust(F f, const char* by) {
  return [f, by](const Tensor& x, const Options& o) -> Results { return {f(x, o.amount(by))}; };
}

const std::map<std::string, Function>& functions() {
  using namespace image;
  static const std::map<std::string, Function> table = {
      {"resize",
       [](const Tensor& x, const Options& o) -> Results {
         return {resize(x, o.whole("height"), o.whole("width"), o.resize())};
       }},
      {"resize_with_crop_or_pad",
       [](const Tensor& x, const Options& o) -> Results {
         return {resize_with_crop_or_pad(x, o.whole("height"), o.whole("width"))};
       }},
      {"resize_with_pad",
       [](const Tensor& x, const Options& o) -> Results {
         return {resize_with_pad(x, o.whole("height"), o.whole("width"), o.resize())};
       }},
      {"crop_to_bounding_box", box(crop_to_bounding_box)},
      {"pad_to_bounding_box", box(pad_to_bounding_box)},
      {"central_crop",
       [](const Tensor& x, const Options& o) -> Results { return {central_crop(x, o.c.number("fraction"))}; }},
      {"flip_left_right", plain(flip_left_right)},
      {"flip_up_down", plain(flip_up_down)},
      {"transpose", plain(image::transpose)},
      {"rot90", [](const Tensor& x, const Options& o) -> Results { return {image::rot90(x, o.whole("k"))}; }},
      {"rgb_to_hsv", plain(rgb_to_hsv)},
      {"hsv_to_rgb", plain(hsv_to_rgb)},
      {"rgb_to_yiq", plain(rgb_to_yiq)},
      {"yiq_to_rgb", plain(yiq_to_rgb)},
      {"rgb_to_yuv", plain(rgb_to_yuv)},
      {"yuv_to_rgb", plain(yuv_to_rgb)},
      {"rgb_to_grayscale", plain(rgb_to_grayscale)},
      {"grayscale_to_rgb", plain(grayscale_to_rgb)},
      {"adjust_brightness", adjust(adjust_brightness, "delta")},
      {"adjust_contrast", adjust(adjust_contrast, "factor")},
      {"adjust_saturation", adjust(adjust_saturation, "factor")},
      {"adjust_hue", adjust(adjust_hue, "delta")},
      {"adjust_gamma",
       [](const Tensor& x, const Options& o) -> Results {
         return {adjust_gamma(x, o.amount("gamma"), o.amount("gain"))};
       }},
      {"per_image_standardization", plain(per_image_standardization)},
      {"normalize",
       [](const Tensor& x, const Options& o) -> Results {
         return {image::normalize(x, o.input("mean"), o.input("deviation"))};
       }},
      {"total_variation", plain(total_variation)},
      {"image_gradients",
       [](const Tensor& x, const Options&) -> Results {
         const ImageGradients g = image_gradients(x);
         return {g.dy, g.dx};
       }},
      {"convert_image_dtype",
       [](const Tensor& x, const Options& o) -> Results {
         return {convert_image_dtype(x, dtype_from_name(o.c.text("to")), o.c.number("saturate", 0) != 0)};
       }},
      {"rotate",
       [](const Tensor& x, const Options& o) -> Results { return {rotate(x, o.amount("angle"), o.affine())}; }},
      {"translate",
       [](const Tensor& x, const Options& o) -> Results {
         return {translate(x, o.amount("right"), o.amount("down"), o.affine())};
       }},
      {"zoom",
       [](const Tensor& x, const Options& o) -> Results {
         return {zoom(x, o.amount("height_factor"), o.amount("width_factor"), o.affine())};
       }},
      {"affine",
       [](const Tensor& x, const Options& o) -> Results {
         const Case& c = o.c;
         return {affine(x,
                        {c.number("scale"), c.number("shear_x"), c.number("shear_y"), c.number("angle"),
                         c.number("right"), c.number("down")},
                        o.affine())};
       }},
      {"resized_crop",
       [](const Tensor& x, const Options& o) -> Results {
         return {resized_crop(x, o.input("boxes"), o.whole("height"), o.whole("width"), o.method())};
       }},
      {"cutout",
       [](const Tensor& x, const Options& o) -> Results {
         return {
             cutout(x, o.input("centres", i32), o.whole("mask_height"), o.whole("mask_width"), o.c.number("value"))};
       }},
      {"mixup",
       [](const Tensor& x, const Options& o) -> Results {
         const Mixed m = mixup(x, o.input("labels"), o.input("weights"), o.input("order", i32));
         return {m.pictures, m.labels};
       }},
      {"cutmix",
       [](const Tensor& x, const Options& o) -> Results {
         const Mixed m = cutmix(x, o.input("labels"), o.input("boxes"), o.input("order", i64));
         return {m.pictures, m.labels};
       }},
  };
  return table;
}

void expect_result(const Tensor& found, const golden::Array& expected, const Case& c, const std::string& what) {
  if (is_integer(found.dtype())) {
    ASSERT_EQ(found.shape(), golden::shape_of(expected)) << what;
    const std::vector<double> values = cast(found, f64).to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_LE(std::abs(values[i] - expected.data[i]), c.number("steps", 0)) << what << ", element " << i;
  } else if (found.dtype() == f16) {
    golden::expect_near(cast(found, f32), expected, 1e-3, what);  // the last of its digits
  } else if (c.has("tolerance")) {
    golden::expect_near(found, expected, c.number("tolerance"), what);  // its reason stands in golden_images.py
  } else {
    golden::expect_close(found, expected, what);
  }
}

void check(const Case& c) {
  const DType dtype = dtype_from_name(c.text("dtype"));
  const Tensor x = tensor_of(c.input("x"), dtype);
  const Function& f = functions().at(c.text("function"));
  GradientTape tape;
  if (is_floating(dtype)) tape.watch(x);
  const Results results = f(x, Options{c});
  EXPECT_EQ(results[0].dtype(), dtype_from_name(c.text("result"))) << c.name;
  for (size_t i = 0; i < results.size(); ++i)
    expect_result(results[i], c.output(cat("y_", i)), c, cat(c.name, ", result ", i));
  if (!c.outputs.contains("gradient")) return;
  const Tensor total = sum(results[0] * tensor_of(c.input("upstream"), results[0].dtype()));
  expect_result(tape.gradient(total, {x})[0], c.output("gradient"), c, cat(c.name, ", gradient"));
}

TEST(GoldenImages, EveryCase) {
  size_t cases = 0;
  for (const auto& file : std::filesystem::directory_iterator(test::source_dir() + "/tests/golden")) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with("images_")) continue;
    for (const Case& c : golden::load(name)) {
      check(c);
      ++cases;
    }
  }
  EXPECT_GE(cases, 700u);
}

// In a recorded function as in eager calls, where all of a function is one plan.
TEST(GoldenImages, Recorded) {
  for (const char* file : {"images_colours_2.json", "images_colours_3.json", "images_affine_4.json"})
    for (const Case& c : golden::load(file)) {
      const Tensor x = tensor_of(c.input("x"), dtype_from_name(c.text("dtype")));
      auto f = function([&](const Tensor& v) { return functions().at(c.text("function"))(v, Options{c})[0]; });
      expect_result(f(x), c.output("y_0"), c, cat(c.name, ", recorded"));
    }
}

}  // namespace
}  // namespace brio
