// Pictures changed at random: reproducible by seed, independent of threads, of the right distribution, and each
// result one that the function without a draw gives.
#include <functional>
#include <numeric>
#include <set>

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using image::Mixed;

Tensor numbered(const Shape& shape) { return reshape(iota(shape.elements(), f32), shape); }
std::vector<float> values(const Tensor& x) { return cast(x, f32).to_vector<float>(); }
double mean_of(const std::vector<float>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

struct Draw {
  const char* name;
  std::function<Tensor(const Tensor&, random::Source)> change;
};
std::vector<Draw> draws() {
  using namespace image;
  auto labels = [](const Tensor& x) { return one_hot(iota(x.shape()[0], i32), 3); };
  return {
      {"flip_left_right", [](const Tensor& x, random::Source s) { return random_flip_left_right(x, s); }},
      {"flip_up_down", [](const Tensor& x, random::Source s) { return random_flip_up_down(x, s); }},
      {"brightness", [](const Tensor& x, random::Source s) { return random_brightness(x, 0.3, s); }},
      {"contrast", [](const Tensor& x, random::Source s) { return random_contrast(x, 0.4, 1.7, s); }},
      {"saturation", [](const Tensor& x, random::Source s) { return random_saturation(x, 0.4, 1.7, s); }},
      {"hue", [](const Tensor& x, random::Source s) { return random_hue(x, 0.5, s); }},
      {"crop", [](const Tensor& x, random::Source s) { return random_crop(x, 3, 2, s); }},
      {"resized_crop", [](const Tensor& x, random::Source s) { return random_resized_crop(x, 4, 4, {}, s); }},
      {"cutout", [](const Tensor& x, random::Source s) { return random_cutout(x, 2, 3, 0.5, s); }},
      {"mixup", [=](const Tensor& x, random::Source s) { return random_mixup(x, labels(x), 0.5, s).pictures; }},
      {"cutmix", [=](const Tensor& x, random::Source s) { return random_cutmix(x, labels(x), {}, s).pictures; }},
  };
}

TEST(RandomImages, ASeedIsAFunction) {
  const Tensor x = random::uniform({8, 9, 7, 3}, {.seed = 3});
  for (const Draw& d : draws()) {
    SCOPED_TRACE(d.name);
    const auto one = values(d.change(x, {.seed = 7}));
    EXPECT_EQ(values(d.change(x, {.seed = 7})), one);
    EXPECT_NE(values(d.change(x, {.seed = 8})), one);
    EXPECT_NE(values(d.change(x, {.seed = 7, .stream = 20})), one);
    const auto stateless = values(d.change(x, random::stateless({1, 2})));
    EXPECT_EQ(values(d.change(x, random::stateless({1, 2}))), stateless);
    EXPECT_NE(values(d.change(x, random::stateless({2, 1}))), stateless);
  }
}

TEST(RandomImages, GeneratorsGoOn) {
  const Tensor x = random::uniform({8, 9, 7, 3}, {.seed = 3});
  for (const Draw& d : draws()) {
    SCOPED_TRACE(d.name);
    Generator a(5), b(5);
    const auto first = values(d.change(x, {.generator = &a})), second = values(d.change(x, {.generator = &a}));
    EXPECT_NE(first, second);
    EXPECT_EQ(values(d.change(x, {.generator = &b})), first);
    EXPECT_EQ(values(d.change(x, {.generator = &b})), second);
    random::set_seed(11);
    const auto global = values(d.change(x, {}));
    random::set_seed(11);
    EXPECT_EQ(values(d.change(x, {})), global);
  }
}

TEST(RandomImages, ARecordedFunctionDrawsAnew) {
  const Tensor x = random::uniform({8, 9, 7, 3}, {.seed = 3});
  for (const Draw& d : draws()) {
    SCOPED_TRACE(d.name);
    auto f = function([&](const Tensor& v) { return d.change(v, {}); });
    random::set_seed(2);
    const auto first = values(f(x)), second = values(f(x));
    EXPECT_NE(first, second);
    random::set_seed(2);
    EXPECT_EQ(values(f(x)), first);
  }
}

TEST(RandomImages, ThreadsChangeNothing) {
  const Tensor x = random::uniform({8, 40, 40, 3}, {.seed = 3});
  for (const Draw& d : draws()) {
    SCOPED_TRACE(d.name);
    set_thread_count(1);
    const auto one = values(d.change(x, {.seed = 7}));
    set_thread_count(3);
    EXPECT_EQ(values(d.change(x, {.seed = 7})), one);
  }
  set_thread_count(2);
}

TEST(RandomImages, OnePictureAlone) {
  const Tensor x = random::uniform({6, 5, 3}, {.seed = 3});
  for (const Draw& d : draws()) {
    if (std::string_view(d.name).ends_with("mixup") || std::string_view(d.name).ends_with("cutmix")) continue;
    SCOPED_TRACE(d.name);
    const Tensor alone = d.change(x, {.seed = 7}), batch = d.change(expand_dims(x, 0), {.seed = 7});
    EXPECT_EQ(alone.rank(), 3);
    EXPECT_EQ(values(alone), values(batch));
    EXPECT_EQ(d.change(cast(x * 255.f, u8), {.seed = 7}).dtype(),
              std::string_view(d.name) == "resized_crop" ? f32 : u8);
  }
}

TEST(RandomImages, HalfAreFlipped) {
  const int64_t n = 4000;
  const Tensor x = broadcast_to(numbered({1, 2, 2, 1}), {n, 2, 2, 1});
  for (const bool sideways : {true, false}) {
    const Tensor y = sideways ? image::random_flip_left_right(x) : image::random_flip_up_down(x);
    const std::vector<float> flipped = sideways ? std::vector<float>{1, 0, 3, 2} : std::vector<float>{2, 3, 0, 1};
    const auto v = values(y);
    int64_t flips = 0;
    for (size_t i = 0; i < v.size(); i += 4) {
      const std::vector<float> one(v.begin() + static_cast<int64_t>(i), v.begin() + static_cast<int64_t>(i) + 4);
      if (one == flipped) ++flips;
      else ASSERT_EQ(one, (std::vector<float>{0, 1, 2, 3}));
    }
    EXPECT_NEAR(static_cast<double>(flips), n / 2., 5 * std::sqrt(n / 4.));
  }
}

TEST(RandomImages, AmountsAreUniform) {
  // What was drawn can be read off the result.
  const Tensor grey = full({1, 1, 1}, 0.5), two = Tensor({{{0.}}, {{1.}}}), red = Tensor({{{1., 0., 0.}}});
  struct Amount {
    std::function<double()> draw;
    double low, high;
  };
  const std::vector<Amount> cases = {
      {[&] { return image::random_brightness(grey, 0.3).item<float>() - 0.5; }, -0.3, 0.3},
      {[&] { return values(image::random_contrast(two, 0.5, 1.5))[1] * 2 - 1.0; }, 0.5, 1.5},
      {[&] { return 1 - values(image::random_saturation(red, 0.1, 0.9))[1]; }, 0.1, 0.9},
      // Up to a sixth of a turn the next colour rises in proportion.
      {[&] {
         const auto v = values(image::random_hue(red, 0.1));
         return v[1] > v[2] ? v[1] / 6 : -v[2] / 6;
       },
       -0.1, 0.1}};
  for (const auto& [draw, low, high] : cases) {
    std::vector<float> drawn(600);
    for (float& v : drawn) v = static_cast<float>(draw());
    const auto [least, most] = std::minmax_element(drawn.begin(), drawn.end());
    const double width = high - low;
    EXPECT_GE(*least, low - 1e-5);
    EXPECT_LE(*most, high + 1e-5);
    EXPECT_LT(*least, low + 0.05 * width);
    EXPECT_GT(*most, high - 0.05 * width);
    EXPECT_NEAR(mean_of(drawn), (low + high) / 2, 5 * width / std::sqrt(12. * 600));
  }
}

TEST(RandomImages, CropsAreEverywhere) {
  const Tensor x = numbered({5, 4, 1});
  std::map<float, int> corners;
  for (int i = 0; i < 1200; ++i) {
    const auto v = values(image::random_crop(x, 3, 2));
    // A piece of the picture: rows of 4 numbers.
    EXPECT_EQ(v, (std::vector<float>{v[0], v[0] + 1, v[0] + 4, v[0] + 5, v[0] + 8, v[0] + 9}));
    ++corners[v[0]];
  }
  EXPECT_EQ(corners.size(), 9u);
  for (const auto& [corner, count] : corners) EXPECT_NEAR(count, 1200 / 9., 5 * std::sqrt(1200 / 9.)) << corner;
  EXPECT_EQ(values(image::random_crop(x, 5, 4)), values(x));
  // All pictures of a batch are cut at one place.
  const auto both = values(image::random_crop(stack({x, x}), 3, 2));
  EXPECT_TRUE(std::equal(both.begin(), both.begin() + 6, both.begin() + 6));
}

TEST(RandomImages, BoxesAsAsked) {
  const int64_t n = 3000, height = 60, width = 80;
  const auto b = values(image::random_crop_boxes(n, height, width, {.scale_low = 0.2, .scale_high = 0.5}));
  std::vector<float> shares, ratios, tops;
  for (size_t i = 0; i < b.size(); i += 4) {
    const double top = b[i], left = b[i + 1], h = b[i + 2], w = b[i + 3];
    for (size_t k = 0; k < 4; ++k) EXPECT_EQ(b[i + k], std::floor(b[i + k]));
    EXPECT_GE(top, 0);
    EXPECT_GE(left, 0);
    EXPECT_LE(top + h, height);
    EXPECT_LE(left + w, width);
    shares.push_back(static_cast<float>(h * w / (60. * 80)));
    ratios.push_back(static_cast<float>(std::log(w / h)));
    tops.push_back(static_cast<float>(h < 60 ? top / (60 - h) : 0.5));
    EXPECT_LE(std::abs(ratios.back()), std::log(4. / 3) + 0.06) << w << " × " << h;  // sides are rounded
  }
  EXPECT_NEAR(mean_of(shares), 0.35, 0.01);
  EXPECT_NEAR(mean_of(ratios), 0, 0.02);
  EXPECT_NEAR(mean_of(tops), 0.5, 0.03);
}

TEST(RandomImages, BoxesThatDoNotFit) {
  // No box of this ratio has that much of the area: the middle, as long or as wide as the ratio allows.
  EXPECT_EQ(values(image::random_crop_boxes(2, 10, 40, {.scale_low = 1})),
            (std::vector<float>{0, 13, 10, 13, 0, 13, 10, 13}));  // 10 · 4/3 = 13.3
  EXPECT_EQ(values(image::random_crop_boxes(1, 40, 10, {.scale_low = 1})), (std::vector<float>{13, 0, 13, 10}));
  EXPECT_EQ(values(image::random_crop_boxes(1, 10, 10, {.scale_low = 2, .scale_high = 3})),
            (std::vector<float>{0, 0, 10, 10}));
  EXPECT_EQ(image::random_crop_boxes(0, 10, 10).shape(), Shape({0, 4}));
}

TEST(RandomImages, ResizedCropsAreBoxesResized) {
  const Tensor x = random::uniform({5, 12, 9, 2}, {.seed = 3});
  const random::Source source{.seed = 4};
  for (const auto method : {image::Interpolation::bilinear, image::Interpolation::nearest}) {
    const Tensor boxes = image::random_crop_boxes(5, 12, 9, {}, source);
    EXPECT_EQ(values(image::random_resized_crop(x, 6, 7, {.interpolation = method}, source)),
              values(image::resized_crop(x, boxes, 6, 7, method)));
  }
}

TEST(RandomImages, CutoutsAreEverywhere) {
  const int64_t n = 2000;
  const auto share = values(mean(image::random_cutout(ones({n, 4, 5, 1}), 1, 1, 0), {0, 3}));
  for (const float v : share) EXPECT_NEAR(v, 0.95, 5 * std::sqrt(0.05 * 0.95 / n));
}

// With labels of an identity matrix, row i tells λ at i, and with which other picture it was mixed.
struct Partner {
  double weight = 1;  // λ
  int64_t other = -1;
};
std::vector<Partner> partners(const Tensor& labels) {
  const int64_t n = labels.shape()[0];
  const auto v = values(labels);
  std::vector<Partner> result(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    Partner& p = result[static_cast<size_t>(i)];
    p.weight = v[static_cast<size_t>(i * n + i)];
    double total = 0;
    for (int64_t k = 0; k < n; ++k) {
      total += v[static_cast<size_t>(i * n + k)];
      if (k == i || v[static_cast<size_t>(i * n + k)] == 0) continue;
      EXPECT_EQ(p.other, -1);
      p.other = k;
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }
  return result;
}
// Others occur once.
void expect_permutation(const std::vector<Partner>& all) {
  std::set<int64_t> seen;
  for (const Partner& p : all)
    if (p.other >= 0) {
      EXPECT_TRUE(seen.insert(p.other).second);
    }
}

TEST(RandomImages, MixupFollowsBeta) {
  const int64_t n = 1000;
  const Tensor x = reshape(iota(n, f32), {n, 1, 1, 1});
  for (const double alpha : {0.2, 1., 4., 0.001}) {
    const Mixed m = image::random_mixup(x, eye(n), alpha);
    const auto all = partners(m.labels);
    expect_permutation(all);
    const auto pictures = values(m.pictures);
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Partner& p = all[static_cast<size_t>(i)];
      const auto here = static_cast<double>(i), other = static_cast<double>(p.other < 0 ? i : p.other);
      EXPECT_NEAR(pictures[static_cast<size_t>(i)], p.weight * here + (1 - p.weight) * other, 1e-3);
      mean += p.weight / n;
      square += p.weight * p.weight / n;
    }
    const double variance = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(variance / n)) << alpha;
    EXPECT_NEAR(square - mean * mean, variance, 0.03) << alpha;
  }
}

TEST(RandomImages, CutmixCutsWhatItSays) {
  const int64_t n = 200, side = 32;
  const Tensor x = broadcast_to(reshape(iota(n, i32), {n, 1, 1, 1}), {n, side, side, 1});
  for (const auto& [low, high] : {std::pair(0., 1.), std::pair(1., 1.), std::pair(0., 0.)}) {
    const Mixed m = image::random_cutmix(x, eye(n), {low, high});
    EXPECT_EQ(m.pictures.dtype(), i32);
    const auto all = partners(m.labels);
    expect_permutation(all);
    const auto pixels = m.pictures.to_vector<int32_t>();
    double mean = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Partner& p = all[static_cast<size_t>(i)];
      mean += p.weight / static_cast<double>(n);
      int64_t kept = 0;
      for (int64_t k = 0; k < side * side; ++k) {
        const int32_t pixel = pixels[static_cast<size_t>(i * side * side + k)];
        if (pixel == i || p.other < 0) ++kept;
        else ASSERT_EQ(pixel, p.other);
      }
      // A box may cover a row and a column more or less than it is long.
      if (p.other < 0) continue;
      EXPECT_NEAR(static_cast<double>(kept) / (side * side), p.weight, 65. / (side * side));
    }
    EXPECT_NEAR(mean, 0.5, 0.2);
  }
}

}  // namespace
}  // namespace brio
