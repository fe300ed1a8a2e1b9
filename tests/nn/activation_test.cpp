// Activations against Keras' values.
#include "brio/nn/activation.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

// By name where that is all there is to it; the functions where there are options.
Tensor activate(const golden::Case& c, const Tensor& x) {
  const std::string& name = c.text("activation");
  const int axis = static_cast<int>(c.number("axis", -1));
  if (name == "prelu") return prelu(x, golden::tensor(c.input("alpha")));
  if (name == "crelu") return crelu(x);
  if (name == "threshold") return threshold(x, c.number("threshold"), c.number("default_value"));
  if (c.name == name) return nn::ActivationFunction(name)(x);
  if (name == "gelu") return gelu(x, c.number("approximate") != 0);
  if (name == "elu") return elu(x, c.number("alpha"));
  if (name == "celu") return celu(x, c.number("alpha"));
  if (name == "leaky_relu") return leaky_relu(x, c.number("negative_slope"));
  if (name == "hard_shrink") return hard_shrink(x, c.number("threshold"));
  if (name == "soft_shrink") return soft_shrink(x, c.number("threshold"));
  if (name == "squareplus") return squareplus(x, c.number("b"));
  if (name == "softmax") return softmax(x, axis);
  if (name == "log_softmax") return log_softmax(x, axis);
  if (name == "glu") return glu(x, axis);
  EXPECT_EQ(name, "relu");
  ReluOptions options{.negative_slope = c.number("negative_slope", 0), .threshold = c.number("threshold", 0)};
  if (c.has("max_value")) options.max_value = c.number("max_value");
  return relu(x, options);
}

TEST(Activation, AgreesWithKeras) {
  for (const golden::Case& c : golden::load("activations.json")) {
    const Tensor x = golden::tensor(c.input("x"));
    GradientTape tape;
    tape.watch(x);
    const Tensor y = activate(c, x);
    golden::expect_near(y, c.output("y"), 2e-6, c.name);
    const Tensor target = c.inputs.count("upstream") ? sum(y * golden::tensor(c.input("upstream"))) : sum(y);
    golden::expect_near(tape.gradient(target, {x})[0], c.output("gradient"), 3e-6, c.name + " gradient");
  }
}

TEST(Activation, StaysFiniteFarOut) {
  const Tensor x({-1e4, -100, 100, 1e4});
  for (const char* name : {"relu",           "relu6",       "leaky_relu",  "elu",       "selu",        "celu",
                           "gelu",           "silu",        "mish",        "sigmoid",   "log_sigmoid", "hard_sigmoid",
                           "sparse_sigmoid", "hard_silu",   "tanh",        "hard_tanh", "tanh_shrink", "soft_shrink",
                           "hard_shrink",    "softmax",     "log_softmax", "sparsemax", "softplus",    "softsign",
                           "squareplus",     "sparse_plus", "glu"}) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = nn::ActivationFunction(name)(x);
    for (const Tensor& values : {y, tape.gradient(y, {x})[0]})
      for (float v : values.to_vector<float>()) EXPECT_TRUE(std::isfinite(v)) << name;
  }
}

// At infinity and NaN as TensorFlow.
TEST(Activation, Edges) {
  const float inf = INFINITY, nan = NAN;
  const Tensor x({inf, -inf, nan});
  auto expect = [&](std::string_view name, std::vector<float> values) {
    const auto found = nn::ActivationFunction(name)(x).to_vector<float>();
    for (size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(found[i] == values[i] || (std::isnan(found[i]) && std::isnan(values[i])))
          << name << " of " << x.to_vector<float>()[i] << " is " << found[i];
  };
  expect("relu", {inf, 0, nan});
  expect("relu6", {6, 0, nan});
  expect("leaky_relu", {inf, -inf, nan});
  expect("elu", {inf, -1, nan});
  expect("selu", {inf, -1.75809934f, nan});
  expect("celu", {inf, -1, nan});
  expect("gelu", {inf, nan, nan});
  expect("silu", {inf, nan, nan});
  expect("mish", {inf, nan, nan});
  expect("softplus", {inf, 0, nan});
  expect("softsign", {nan, nan, nan});
  expect("log_sigmoid", {0, -inf, nan});
  expect("hard_sigmoid", {1, 0, nan});
  expect("hard_silu", {inf, nan, nan});
  expect("hard_tanh", {1, -1, nan});
  expect("tanh_shrink", {inf, -inf, nan});
  expect("hard_shrink", {inf, -inf, 0});
  expect("soft_shrink", {inf, -inf, 0});
  expect("squareplus", {inf, nan, nan});
  expect("sparse_plus", {inf, 0, nan});
  expect("sparse_sigmoid", {1, 0, nan});
  GradientTape tape;
  tape.watch(x);
  const auto softsign_gradient = tape.gradient(softsign(x), {x})[0].to_vector<float>();
  EXPECT_EQ(softsign_gradient[0], 0);
  EXPECT_EQ(softsign_gradient[1], 0);
}

// Keras 3.15 on TensorFlow adds up partial sums here, so that its rows do not sum to 1: these are worked out by hand.
TEST(Activation, SparsemaxIsThePointOfTheSimplexNearestToX) {
  const Tensor x({{1, 0.9, -5}, {3, 0, 0}, {1, 1, 1}, {0.2, 0.1, 0}});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = sparsemax(x);
  const std::vector<float> expected = {0.55f,   0.45f,   0,       1,           0,           0,
                                       1 / 3.f, 1 / 3.f, 1 / 3.f, 0.43333333f, 0.33333333f, 0.23333333f};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y.to_vector<float>()[i], expected[i], 1e-6) << i;
  // Among the positive ones: the cotangent less its mean.
  const Tensor upstream({{1, 3, 7}, {1, 3, 7}, {1, 3, 8}, {1, 3, 8}});
  const std::vector<float> slopes = {-1, 1, 0, 0, 0, 0, -3, -1, 4, -3, -1, 4};
  const auto found = tape.gradient(sum(y * upstream), {x})[0].to_vector<float>();
  for (size_t i = 0; i < slopes.size(); ++i) EXPECT_NEAR(found[i], slopes[i], 1e-5) << i;
  const std::vector<float> columns = sparsemax(transpose(x), 0).to_vector<float>();
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(columns[i % 3 * 4 + i / 3], expected[i], 1e-6) << i;
}

TEST(Activation, EveryNameMakesALayer) {
  const Tensor x({{1, 2, -1}});
  for (const char* name : {"relu6", "leaky_relu", "selu", "celu", "gelu", "mish", "hard_swish", "exponential",
                           "linear", "sparsemax", "softsign"})
    EXPECT_EQ(nn::Dense(4, {.activation = name})(x).shape(), (Shape{1, 4})) << name;
  const nn::Dense gated(4, {.activation = "glu"});
  EXPECT_EQ(gated(x).shape(), (Shape{1, 2}));
  EXPECT_EQ(gated.module().output_shape({1, 3}), (Shape{1, 2}));
  EXPECT_EQ(nn::Dense(4, {.activation = "glu"})(Tensor({{{1, 2}, {3, 4}}})).shape(), (Shape{1, 2, 2}));
}

TEST(Activation, Refuses) {
  const Tensor x({{1, 2, 3}});
  EXPECT_SAYS(golden::invalid([&] { gelu(Tensor({1}, i32)); }), "[gelu] takes floating-point tensors, but got int32");
  EXPECT_SAYS(golden::invalid([&] { silu(Tensor()); }), "[silu] input 0 is none");
  EXPECT_SAYS(golden::invalid([&] { glu(x); }),
              "[glu] takes two halves, but axis -1 of shape (1, 3) has the odd size 3");
  EXPECT_SAYS(golden::invalid([&] { sparsemax(x, 2); }), "[sparsemax] axis 2 is out of range for rank 2");
  EXPECT_SAYS(golden::invalid([&] { celu(x, 0); }), "[celu] alpha is 0");
  EXPECT_SAYS(golden::invalid([&] { relu(x, {.negative_slope = -1}); }), "[relu] negative_slope is -1");
  EXPECT_SAYS(golden::invalid([&] { relu(x, {.max_value = -1}); }), "[relu] max_value is -1");
}

TEST(Activation, NamesAndLayer) {
  const Tensor x({{-1, 2}});
  EXPECT_EQ(nn::ActivationFunction()(x).to_vector<float>(), (std::vector<float>{-1, 2}));
  EXPECT_EQ(nn::Activation("relu")(x).to_vector<float>(), (std::vector<float>{0, 2}));
  EXPECT_EQ(nn::ActivationFunction("swish")(x).to_vector<float>(), silu(x).to_vector<float>());
  const nn::Activation own([](const Tensor& v) { return v * v; }, {.name = "squares"});
  EXPECT_EQ(own(x).to_vector<float>(), (std::vector<float>{1, 4}));
  EXPECT_EQ(own.name(), "squares");
  EXPECT_SAYS(golden::invalid([] { nn::ActivationFunction("rleu"); }),
              "there is no activation 'rleu'; did you mean 'relu'?");
  EXPECT_SAYS(golden::invalid([] { nn::ActivationFunction("zzzzzz"); }), "; known: linear, relu");
}

}  // namespace
}  // namespace brio
