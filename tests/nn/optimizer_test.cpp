// Optimizers against Keras' values, in eager code and inside functions.
#include "brio/nn/optimizer.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

std::optional<double> option(const golden::Case& c, const char* name) {
  return c.has(name) ? std::optional(c.number(name)) : std::nullopt;
}

nn::Optimizer make(const golden::Case& c) {
  const std::string& kind = c.text("optimizer");
  const double rate = c.number("learning_rate");
  const auto clipnorm = option(c, "clipnorm"), clipvalue = option(c, "clipvalue");
  const auto global_clipnorm = option(c, "global_clipnorm"), weight_decay = option(c, "weight_decay");
  if (kind == "sgd")
    return nn::SGD(rate, {.momentum = c.number("momentum", 0),
                          .nesterov = c.number("nesterov", 0) != 0,
                          .clipnorm = clipnorm,
                          .clipvalue = clipvalue,
                          .global_clipnorm = global_clipnorm,
                          .weight_decay = weight_decay});
  if (kind == "rmsprop")
    return nn::RMSprop(rate, {.rho = c.number("rho", 0.9),
                              .momentum = c.number("momentum", 0),
                              .epsilon = c.number("epsilon", 1e-7),
                              .centered = c.number("centered", 0) != 0,
                              .clipnorm = clipnorm,
                              .clipvalue = clipvalue,
                              .global_clipnorm = global_clipnorm,
                              .weight_decay = weight_decay});
  return nn::Adam(rate, {.beta_1 = c.number("beta_1", 0.9),
                         .beta_2 = c.number("beta_2", 0.999),
                         .epsilon = c.number("epsilon", 1e-7),
                         .amsgrad = c.number("amsgrad", 0) != 0,
                         .clipnorm = clipnorm,
                         .clipvalue = clipvalue,
                         .global_clipnorm = global_clipnorm,
                         .weight_decay = weight_decay});
}

golden::Array step_of(const golden::Array& all, size_t step) {
  golden::Array one{{all.shape.begin() + 1, all.shape.end()}, {}};
  const size_t n = all.data.size() / static_cast<size_t>(all.shape[0]);
  one.data.assign(all.data.begin() + static_cast<std::ptrdiff_t>(step * n),
                  all.data.begin() + static_cast<std::ptrdiff_t>((step + 1) * n));
  return one;
}

enum class Mode { eager, traced, alternating };

void follow_keras(const golden::Case& c, Mode mode) {
  const nn::Optimizer optimizer = make(c);
  Variable w(golden::tensor(c.input("w"))), b(golden::tensor(c.input("b")));
  auto step = function([&](const Tensor& gw, const Tensor& gb) { optimizer.apply_gradients({gw, gb}, {w, b}); });
  for (size_t i = 0; i < 5; ++i) {
    const Tensor gw = golden::tensor(step_of(c.input("w_gradients"), i));
    const Tensor gb = golden::tensor(step_of(c.input("b_gradients"), i));
    if (mode == Mode::traced || (mode == Mode::alternating && i % 2 == 1)) step(gw, gb);
    else optimizer.apply_gradients({gw, gb}, {w, b});
    const std::string where = c.name + " step " + std::to_string(i);
    golden::expect_near(w, step_of(c.output("w"), i), 2e-6, where + " w");
    golden::expect_near(b, step_of(c.output("b"), i), 2e-6, where + " b");
    EXPECT_EQ(optimizer.iterations().value().item<int64_t>(), static_cast<int64_t>(i) + 1) << where;
  }
}

TEST(Optimizer, AgreesWithKeras) {
  for (const golden::Case& c : golden::load("optimizers.json")) follow_keras(c, Mode::eager);
}
TEST(Optimizer, AgreesWithKerasInAFunction) {
  for (const golden::Case& c : golden::load("optimizers.json")) follow_keras(c, Mode::traced);
}
TEST(Optimizer, AgreesWithKerasWhenBothAlternate) {
  for (const golden::Case& c : golden::load("optimizers.json")) follow_keras(c, Mode::alternating);
}

TEST(Optimizer, DefaultsAreKeras) {
  EXPECT_EQ(nn::SGD().learning_rate().value().item<double>(), 0.01);
  EXPECT_EQ(nn::RMSprop().learning_rate().value().item<double>(), 0.001);
  EXPECT_EQ(nn::Adam().learning_rate().value().item<double>(), 0.001);
  for (const char* name : {"sgd", "SGD"}) EXPECT_EQ(nn::Optimizer(name).name(), "sgd");
  for (const char* name : {"rmsprop", "RMSprop"}) EXPECT_EQ(nn::Optimizer(name).name(), "rmsprop");
  for (const char* name : {"adam", "Adam"}) EXPECT_EQ(nn::Optimizer(name).name(), "adam");
}

TEST(Optimizer, LearningRateChangesInAKeptPlan) {
  const nn::SGD sgd(0.5);
  Variable v(Tensor({1, 2}));
  auto step = function([&] { sgd.apply_gradients({ones({2})}, {v}); });
  step();
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{0.5, 1.5}));
  sgd.set_learning_rate(0.25);
  step();
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{0.25, 1.25}));
  EXPECT_EQ(step.traces(), 1u);
  sgd.apply_gradients({ones({2})}, {v});
  EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{0, 1}));
}

TEST(Optimizer, VariablesWithoutGradientStay) {
  const nn::Adam adam(0.1);
  Variable a(Tensor({1})), b(Tensor({2}));
  adam.apply_gradients({Tensor(), ones({1})}, {a, b});
  EXPECT_EQ(a.value().item<float>(), 1);
  EXPECT_LT(b.value().item<float>(), 2);
  EXPECT_SAYS(golden::invalid([&] {
                adam.apply_gradients({Tensor(), Tensor()}, {a, b});
              }),
              "none of the 2 variables has a gradient");
}

TEST(Optimizer, SlotsBelongToTheirVariables) {
  const nn::SGD sgd(1, {.momentum = 0.5});
  Variable a(Tensor({0})), b(Tensor({0}));
  sgd.apply_gradients({ones({1}), zeros({1})}, {a, b});
  sgd.apply_gradients({zeros({1}), zeros({1})}, {b, a});  // another order, the same slots
  EXPECT_EQ(a.value().item<float>(), -1.5f);
  EXPECT_EQ(b.value().item<float>(), 0);
  EXPECT_EQ(sgd.variables().size(), 4u);  // iterations, learning rate, two momenta
  EXPECT_EQ(sgd.variables()[2].impl()->owner, Owner::optimizer);
}

TEST(Optimizer, MixedDtypes) {
  const nn::Adam adam(0.1);
  Variable a(Tensor({1, 2})), b(Tensor({1, 2}, f64)), c(Tensor({3}));
  for (int i = 0; i < 3; ++i) adam.apply_gradients({ones({2}), ones({2}), ones({1})}, {a, b, c});
  EXPECT_NEAR(a.value().to_vector<float>()[0], 0.7, 1e-5);
  EXPECT_NEAR(b.value().to_vector<double>()[0], 0.7, 1e-6);
  EXPECT_NEAR(c.value().to_vector<float>()[0], 2.7, 1e-5);
}

TEST(Optimizer, EagerStepEndsTheStep) {
  const nn::SGD sgd(0.5);
  Variable v(Tensor({1, 2}));
  sgd.apply_gradients({ones({2})}, {v});
  EXPECT_FALSE(current_recording().pending());
}

TEST(Optimizer, SaysWhatIsWrong) {
  Variable v(Tensor({1, 2})), n(Tensor({1, 2}, i32));
  const nn::SGD sgd;
  EXPECT_SAYS(golden::invalid([] { nn::Optimizer("adm"); }), "did you mean 'adam'?");
  EXPECT_SAYS(golden::invalid([&] {
                sgd.apply_gradients({ones({2})}, {v, v});
              }),
              "1 gradients are given for 2 variables");
  EXPECT_SAYS(golden::invalid([&] { sgd.apply_gradients({ones({3})}, {v}); }),
              "has shape (3,), but the variable (2,)");
  EXPECT_SAYS(golden::invalid([&] { sgd.apply_gradients({ones({2})}, {n}); }), "is int32");
  EXPECT_SAYS(golden::invalid([] { nn::SGD(-1); }), "the learning rate is -1");
  EXPECT_SAYS(golden::invalid([] { nn::SGD(1, {.momentum = 2}); }), "momentum is 2");
  EXPECT_SAYS(golden::invalid([] { nn::SGD(1, {.clipnorm = 1, .clipvalue = 1}); }), "choose one");
  EXPECT_SAYS(golden::invalid([] { nn::Adam(1, {.clipnorm = 0}); }), "clipnorm is 0");
}

}  // namespace
}  // namespace brio
