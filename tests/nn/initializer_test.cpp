// Initialisers: distributions as Keras', bits by seed.
#include "brio/nn/initializer.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

nn::Initializer make_initializer(const golden::Case& c, uint64_t seed) {
  const std::string& kind = c.text("initializer");
  if (kind == "RandomUniform")
    return nn::random_uniform(
        {.minval = c.number("minval", -0.05), .maxval = c.number("maxval", 0.05), .seed = seed});
  const nn::RandomNormalOptions normal{.mean = c.number("mean", 0), .stddev = c.number("stddev", 0.05), .seed = seed};
  if (kind == "RandomNormal") return nn::random_normal(normal);
  if (kind == "TruncatedNormal") return nn::truncated_normal(normal);
  const double scale = kind.starts_with("He") ? 2 : 1;
  return nn::variance_scaling(
      {.scale = scale,
       .mode = kind.starts_with("Glorot") ? nn::Fan::average : nn::Fan::in,
       .distribution = kind.ends_with("Uniform") ? nn::Spread::uniform : nn::Spread::truncated_normal,
       .seed = seed});
}

struct Moments {
  double mean = 0, stddev = 0, largest = 0;
  size_t n = 0;
};
Moments moments(const std::vector<float>& values, double centre) {
  Moments m{0, 0, 0, values.size()};
  for (float v : values) m.mean += v;
  m.mean /= static_cast<double>(m.n);
  for (float v : values) {
    m.stddev += (v - m.mean) * (v - m.mean);
    m.largest = std::max(m.largest, std::abs(v - centre));
  }
  m.stddev = std::sqrt(m.stddev / static_cast<double>(m.n));
  return m;
}

TEST(Initializer, DistributionsAreKeras) {
  for (const golden::Case& c : golden::load("initializers.json")) {
    std::vector<int64_t> dims;
    for (double d : c.input("shape").data) dims.push_back(static_cast<int64_t>(d));
    const Shape shape{std::span<const int64_t>(dims)};
    std::vector<float> all;
    for (uint64_t seed = 0; all.size() < 200'000; ++seed) {
      const std::vector<float> draw = make_initializer(c, seed)(shape).to_vector<float>();
      all.insert(all.end(), draw.begin(), draw.end());
    }
    const double centre = c.number("mean", 0), stddev = c.output("stddev").data[0];
    const Moments m = moments(all, centre);
    const double error = 5 * stddev / std::sqrt(static_cast<double>(m.n));
    EXPECT_NEAR(m.mean, centre, error) << c.name;
    EXPECT_NEAR(m.stddev, stddev, 2 * error) << c.name;
    if (!c.outputs.count("limit")) continue;
    const double limit = c.output("limit").data[0];
    EXPECT_LE(m.largest, limit * 1.000001) << c.name;
    EXPECT_GT(m.largest, limit * 0.98) << c.name;
  }
}

// The cut normal follows the normal's integral inside the cut, not only its deviation.
TEST(Initializer, TruncatedNormalHasTheShapeOfANormal) {
  const std::vector<float> z = nn::truncated_normal({.stddev = 1, .seed = 3})({400'000}).to_vector<float>();
  const double inside = std::erf(2 / std::sqrt(2.0));
  for (double edge : {-1.9, -1.5, -1.0, -0.3, 0.0, 0.7, 1.3, 1.95}) {
    size_t below = 0;
    for (float v : z) below += v < edge;
    const double expected = 0.5 + 0.5 * std::erf(edge / std::sqrt(2.0)) / inside;
    EXPECT_NEAR(static_cast<double>(below) / static_cast<double>(z.size()), expected, 0.004) << edge;
  }
}

TEST(Initializer, SeedsDecideTheBits) {
  for (const char* name : {"glorot_uniform", "he_normal", "random_normal", "truncated_normal"}) {
    set_random_seed(5);
    const std::vector<float> first = nn::Initializer(name)({4, 3}).to_vector<float>();
    const std::vector<float> second = nn::Initializer(name)({4, 3}).to_vector<float>();
    set_random_seed(5);
    EXPECT_EQ(nn::Initializer(name)({4, 3}).to_vector<float>(), first) << name;
    EXPECT_NE(first, second) << name;
  }
}

TEST(Initializer, OrthogonalVectorsAreOrthonormal) {
  for (const Shape& shape : {Shape{5, 3}, Shape{3, 5}, Shape{4, 4}, Shape{2, 3, 4}}) {
    for (const DType dtype : {f32, f64}) {
      const Tensor q = nn::orthogonal_initializer({.gain = 2, .seed = 3})(shape, dtype);
      const Tensor rows = reshape(q, {-1, shape[shape.rank() - 1]});
      const bool tall = rows.shape()[0] >= rows.shape()[1];
      const Tensor product = matmul(rows, rows, {.transpose_a = tall, .transpose_b = !tall});
      const std::vector<float> found = cast(product, f32).to_vector<float>();
      const auto n = static_cast<size_t>(product.shape()[0]);
      for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], i % (n + 1) == 0 ? 4 : 0, 1e-5) << shape;
    }
  }
  // The signs are as likely as each other: the mean of many draws is none.
  double total = 0;
  for (uint64_t seed = 0; seed < 400; ++seed)
    total += nn::orthogonal_initializer({.seed = seed})({2, 2}).to_vector<float>()[0];
  EXPECT_NEAR(total / 400, 0, 0.15);
  EXPECT_EQ(nn::Initializer("orthogonal")({3, 2}, bf16).dtype(), bf16);
  EXPECT_SAYS(golden::invalid([] { nn::Initializer("orthogonal")({3}); }), "makes matrices and more");
}

TEST(Initializer, IdentityIsAMatrix) {
  EXPECT_EQ(nn::identity_initializer(3)({2, 3}).to_vector<float>(), (std::vector<float>{3, 0, 0, 0, 3, 0}));
  EXPECT_EQ(nn::Initializer("identity")({1, 1}, f64).to_vector<double>(), (std::vector<double>{1}));
  EXPECT_SAYS(golden::invalid([] { nn::Initializer("identity")({3}); }), "makes matrices, but the shape is (3,)");
}

TEST(Initializer, ConstantsAndNames) {
  EXPECT_EQ(nn::Initializer("zeros")({2}).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(nn::Initializer("ones")({2}).to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(nn::constant_initializer(0.5)({2}, f64).to_vector<double>(), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(nn::Initializer("GlorotUniform").name(), "GlorotUniform");
  EXPECT_SAYS(golden::invalid([] { nn::Initializer("glorot_unifrom"); }), "did you mean 'glorot_uniform'?");
  const nn::Initializer wrong("mine", [](const Shape&, DType) { return zeros({3}); });
  EXPECT_SAYS(golden::invalid([&] { wrong({2}); }), "gave float32 of shape (3,) where float32 of shape (2,)");
  EXPECT_SAYS(golden::invalid([] { nn::variance_scaling({.scale = 0}); }), "the scale is 0");
}

}  // namespace
}  // namespace brio
