// Activations against Keras' values.
#include "brio/nn/activation.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

nn::ActivationFunction make(const golden::Case& c) {
  if (c.name == "gelu/approximate") return [](const Tensor& x) { return nn::gelu(x, true); };
  if (c.name == "elu/alpha") return [](const Tensor& x) { return nn::elu(x, 0.5); };
  return c.name;
}

TEST(Activation, AgreesWithKeras) {
  for (const golden::Case& c : golden::load("activations.json")) {
    const Tensor x = golden::tensor(c.input("x"));
    GradientTape tape;
    tape.watch(x);
    const Tensor y = make(c)(x);
    golden::expect_near(y, c.output("y"), 2e-6, c.name);
    const Tensor target = c.inputs.count("upstream") ? sum(y * golden::tensor(c.input("upstream"))) : sum(y);
    golden::expect_near(tape.gradient(target, {x})[0], c.output("gradient"), 3e-6, c.name + " gradient");
  }
}

TEST(Activation, StaysFiniteFarOut) {
  const Tensor x({-1e4, -100, 100, 1e4});
  for (const char* name : {"relu", "sigmoid", "tanh", "softplus", "elu", "gelu", "silu", "softmax", "log_softmax"}) {
    GradientTape tape;
    tape.watch(x);
    const Tensor y = nn::ActivationFunction(name)(x);
    for (const Tensor& values : {y, tape.gradient(y, {x})[0]})
      for (float v : values.to_vector<float>()) EXPECT_TRUE(std::isfinite(v)) << name;
  }
}

TEST(Activation, NamesAndLayer) {
  const Tensor x({{-1, 2}});
  EXPECT_EQ(nn::ActivationFunction()(x).to_vector<float>(), (std::vector<float>{-1, 2}));
  EXPECT_EQ(nn::Activation("relu")(x).to_vector<float>(), (std::vector<float>{0, 2}));
  EXPECT_EQ(nn::ActivationFunction("swish")(x).to_vector<float>(), nn::silu(x).to_vector<float>());
  const nn::Activation own([](const Tensor& v) { return v * v; }, {.name = "squares"});
  EXPECT_EQ(own(x).to_vector<float>(), (std::vector<float>{1, 4}));
  EXPECT_EQ(own.name(), "squares");
  EXPECT_SAYS(golden::invalid([] { nn::ActivationFunction("rleu"); }),
              "there is no activation 'rleu'; did you mean 'relu'?");
  EXPECT_SAYS(golden::invalid([] { nn::ActivationFunction("zzzzzz"); }), "; known: linear, relu");
}

}  // namespace
}  // namespace brio
