// Gradients of functions of pictures by differences, amounts and labels of every shape.
#include <functional>

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using namespace image;  // NOLINT: the names of all of them

// A label is what its pictures are, whatever its rank.
TEST(Mixtures, LabelsOfAnyRank) {
  const Tensor weights = Tensor({0.25, 1}), order = Tensor({1, 0}, i64);
  EXPECT_EQ(mixup(ones({2, 4, 5, 3}), Tensor({4, 8}), weights, order).labels.to_vector<float>(),
            (std::vector<float>{7, 8}));
  EXPECT_EQ(mixup(ones({2, 4, 5, 3}), reshape(Tensor({4, 8}), {2, 1, 1}), weights, order).labels.shape(),
            Shape({2, 1, 1}));
}

// Those that TensorFlow has no gradient of, against differences in float64.
TEST(ImageGradientsOf, Colours) {
  const Tensor x = random::uniform({2, 2, 3, 3}, {.low = 0.1, .high = 0.9, .dtype = f64, .seed = 5});
  const std::vector<std::pair<const char*, std::function<Tensor(const Tensor&)>>> functions = {
      {"hue", [](const Tensor& v) { return adjust_hue(v, 0.23); }},
      {"saturation", [](const Tensor& v) { return adjust_saturation(v, 0.6); }},
      {"contrast", [](const Tensor& v) { return adjust_contrast(v, 1.7); }},
      {"hsv_to_rgb", hsv_to_rgb},
      {"rotate", [](const Tensor& v) { return rotate(v, 0.3); }},
      {"zoom", [](const Tensor& v) { return zoom(v, 0.2, -0.1, {.fill = Fill::reflect}); }},
      {"resized_crop",
       [](const Tensor& v) {
         return resized_crop(v, Tensor({0, 1, 2, 2}), 3, 3);
       }},
  };
  for (const auto& [name, f] : functions) {
    SCOPED_TRACE(name);
    const Tensor weights = random::uniform(f(x).shape(), {.low = -1, .dtype = f64, .seed = 6});
    GradientTape tape;
    tape.watch(x);
    const Tensor total = sum(f(x) * weights);
    const auto gradient = tape.gradient(total, {x})[0].to_vector<double>();
    auto at = x.to_vector<double>();
    for (size_t i = 0; i < at.size(); ++i) {
      const double step = 1e-6, here = at[i];
      auto value = [&, &f = f](double v) {
        at[i] = v;
        return sum(f(Tensor::from(at, x.shape())) * weights).item<double>();
      };
      const double slope = (value(here + step) - value(here - step)) / (2 * step);
      at[i] = here;
      EXPECT_NEAR(gradient[i], slope, 1e-6 * std::max(1., std::abs(slope))) << i;
    }
  }
}

// One amount for each picture is that amount for each alone.
TEST(Amounts, OneForEachPicture) {
  const Tensor x = random::uniform({3, 4, 5, 3}, {.seed = 9}), amounts = Tensor({0.1, 0.4, 0.8});
  const std::vector<std::function<Tensor(const Tensor&, const Amount&)>> functions = {
      adjust_brightness,
      adjust_contrast,
      adjust_saturation,
      adjust_hue,
      [](const Tensor& v, const Amount& a) { return adjust_gamma(v, a, a); },
      [](const Tensor& v, const Amount& a) { return rotate(v, a); }};
  for (const auto& f : functions) {
    const auto all = f(x, amounts).to_vector<float>();
    std::vector<float> each;
    for (int i = 0; i < 3; ++i)
      for (const float v :
           f(unstack(x)[static_cast<size_t>(i)], unstack(amounts)[static_cast<size_t>(i)]).to_vector<float>())
        each.push_back(v);
    EXPECT_EQ(all, each);
  }
}

}  // namespace
}  // namespace brio
