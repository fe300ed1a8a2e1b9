// The loss scale against Keras' values; that a step with a gradient that is not finite changes nothing.
#include "brio/nn/optimizers/loss_scale_optimizer.h"

#include <algorithm>
#include <limits>

#include "tests/nn/golden_optimizers.h"

namespace brio {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

void follow_keras(const golden::Case& c, bool traced) {
  const nn::LossScaleOptimizer optimizer(golden::optimizer(c), {.initial_scale = 64, .dynamic_growth_steps = 2});
  Variable w(golden::tensor(c.input("w")), {.name = "w"}), b(golden::tensor(c.input("b")), {.name = "b"});
  auto apply = [&](const Tensor& gw, const Tensor& gb) { optimizer.apply_gradients({gw, gb}, {w, b}); };
  auto step = function([&](const Tensor& gw, const Tensor& gb) { apply(gw, gb); });
  const std::vector<std::string> bad = golden::split(c.text("inf_at"));
  for (size_t i = 0; i < 8; ++i) {
    golden::Array gw = golden::step_of(c.input("w_gradients"), i);
    if (std::ranges::find(bad, std::to_string(i)) != bad.end()) gw.data[3] = std::array{kInf, kNan, -kInf}[i % 3];
    const Tensor gb = golden::tensor(golden::step_of(c.input("b_gradients"), i));
    if (traced) step(golden::tensor(gw), gb);
    else apply(golden::tensor(gw), gb);
    EXPECT_EQ(optimizer.loss_scale().item<float>(), c.output("scales").data[i]) << c.name << " step " << i;
  }
  golden::expect_close(w, c.output("w"), 1e-5, c.name + " w");
  golden::expect_close(b, c.output("b"), 1e-5, c.name + " b");
  golden::expect_state(c, optimizer, 1e-5);
}

TEST(LossScale, AgreesWithKeras) {
  for (const golden::Case& c : golden::load("loss_scale.json")) follow_keras(c, false);
}
TEST(LossScale, AgreesWithKerasInAFunction) {
  for (const golden::Case& c : golden::load("loss_scale.json")) follow_keras(c, true);
}

// 1% of the steps have an infinity somewhere: the weights are, bit for bit, those of a run without these steps. The
// scale is a power of 2, and rounds nothing.
template <typename Make>
void skip_bad_steps(Make make) {
  const int64_t n = 200, growth = 60;
  const nn::LossScaleOptimizer scaled(make(), {.initial_scale = 1024, .dynamic_growth_steps = growth});
  const nn::Optimizer plain = make();
  Variable w(random::normal({7, 5}, {.seed = 1})), b(zeros({5})), w2(w.value() + 0.f), b2(zeros({5}));
  auto loss_of = [](const Tensor& rows, const Variable& weights, const Variable& bias) {
    return mean(square(matmul(rows, weights.value()) + bias.value() - 1.f));
  };
  auto scaled_step = function([&](const Tensor& rows, const Tensor& poison) {
    GradientTape tape;
    const Tensor loss = scaled.scale_loss(loss_of(rows, w, b));
    std::vector<Tensor> gradients = tape.gradient(loss, std::vector{w, b});
    gradients[1] = gradients[1] + poison;
    scaled.apply_gradients(gradients, {w, b});
  });
  auto plain_step = function([&](const Tensor& rows) {
    GradientTape tape;
    const Tensor loss = loss_of(rows, w2, b2);
    plain.apply_gradients(tape.gradient(loss, std::vector{w2, b2}), {w2, b2});
  });
  float scale = 1024;
  int64_t good = 0, skipped = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Tensor rows = random::normal({4, 7}, {.seed = 2 + i});
    const bool bad = i % 100 == 37;
    scaled_step(rows, Tensor::from(std::vector<float>{0, 0, bad ? kInf : 0, 0, 0}, {5}));
    if (!bad) plain_step(rows);
    if (bad) scale /= 2, good = 0, ++skipped;
    else if (++good == growth) scale *= 2, good = 0;
    ASSERT_EQ(scaled.loss_scale().item<float>(), scale) << i;
  }
  EXPECT_EQ(skipped, 2);
  EXPECT_EQ(w.value().to_vector<float>(), w2.value().to_vector<float>());
  EXPECT_EQ(b.value().to_vector<float>(), b2.value().to_vector<float>());
  const std::vector<Variable> inner = scaled.inner_optimizer().variables(), other = plain.variables();
  ASSERT_EQ(inner.size(), other.size());
  for (size_t i = 0; i < inner.size(); ++i)
    EXPECT_EQ(cast(inner[i], f64).to_vector<double>(), cast(other[i], f64).to_vector<double>()) << inner[i].name();
  EXPECT_EQ(scaled.iterations().item<int64_t>(), plain.iterations().item<int64_t>());
}

TEST(LossScale, BadStepsAreAsIfTheyHadNotBeen) {
  skip_bad_steps([] { return nn::SGD(0.01, {.momentum = 0.9}); });
  skip_bad_steps([] { return nn::AdamW(0.01, {.use_ema = true, .ema_overwrite_frequency = 7}); });
  skip_bad_steps([] { return nn::Adagrad(0.01, {.gradient_accumulation_steps = 3}); });
  skip_bad_steps([] {
    return nn::Nadam(nn::CosineDecay({.initial_learning_rate = 0.01, .decay_steps = 100}), {.global_clipnorm = 0.5});
  });
  skip_bad_steps([] { return nn::Muon(0.01); });
}

// Scaled once and unscaled once, whichever names are mixed.
TEST(LossScale, OldNamesScaleOnce) {
  const Tensor x = Tensor({1, 2});
  for (int form = 0; form < 6; ++form) {
    const nn::LossScaleOptimizer optimizer(nn::SGD(0.5), {.initial_scale = 8});
    Variable v(Tensor({1, 1}));
    for (int step = 0; step < 2; ++step) {
      GradientTape tape;
      const Tensor loss = sum(v.value() * x);
      const Tensor scaled = form % 2 ? optimizer.get_scaled_loss(loss) : optimizer.scale_loss(loss);
      std::vector<Tensor> gradients = tape.gradient(scaled, std::vector{v});
      EXPECT_EQ(gradients[0].to_vector<float>(), (std::vector<float>{8, 16}));
      const std::vector<Tensor> raw = gradients;
      if (form >= 2) {
        gradients = optimizer.get_unscaled_gradients(gradients);
        EXPECT_EQ(gradients[0].to_vector<float>(), (std::vector<float>{1, 2}));
      }
      if (form == 3) gradients[0] = gradients[0] + 0.f;  // made of unscaled ones
      if (form >= 4) gradients = raw;                    // looked at the unscaled ones only
      optimizer.apply_gradients(gradients, {v});
    }
    EXPECT_EQ(v.value().to_vector<float>(), (std::vector<float>{0, -1})) << form;
  }
}

TEST(LossScale, InnerLossScaleIsDropped) {
  const nn::SGD inner(0.5, {.loss_scale_factor = 4});
  EXPECT_EQ(inner.scale_loss(ones({})).item<float>(), 4);
  const nn::LossScaleOptimizer optimizer(inner, {.initial_scale = 8});
  EXPECT_EQ(optimizer.scale_loss(ones({})).item<float>(), 8);
  Variable v(Tensor({1}));
  optimizer.apply_gradients({Tensor({8})}, {v});
  EXPECT_EQ(v.value().item<float>(), 0.5f);
}

// float16: a gradient of 2^-24 · 2^-6 would vanish.
TEST(LossScale, SmallGradientsOfFloat16Survive) {
  const nn::LossScaleOptimizer optimizer(nn::SGD(1), {.initial_scale = 1024});
  Variable v(Tensor({0}));
  const float tiny = std::ldexp(1.0f, -30);
  GradientTape tape;
  const Tensor loss = optimizer.scale_loss(sum(cast(cast(v.value(), f16) * constant(1, f16), f32)) * tiny);
  EXPECT_EQ(loss.dtype(), f32);
  optimizer.apply_gradients(tape.gradient(loss, std::vector{v}), {v});
  EXPECT_EQ(v.value().item<float>(), -tiny);
}

TEST(LossScale, HandsOnToTheInnerOptimizer) {
  const nn::LossScaleOptimizer optimizer(nn::SGD(0.5, {.weight_decay = 1, .use_ema = true}), {.initial_scale = 1});
  optimizer.set_learning_rate(0.25);
  EXPECT_EQ(optimizer.learning_rate().item<double>(), 0.25);
  Variable a(Tensor({1})), b(Tensor({1}));
  optimizer.exclude_from_weight_decay({a});
  optimizer.set_learning_rate_multiplier(a, 2);
  optimizer.build(std::vector{a, b});
  optimizer.apply_gradients({Tensor({1}), Tensor({1})}, {a, b});
  EXPECT_EQ(a.value().item<float>(), 0.5f);
  EXPECT_EQ(b.value().item<float>(), 0.5f);
  a.assign(Tensor({9}));
  optimizer.finalize_variable_values({a, b});
  EXPECT_EQ(a.value().item<float>(), 0.5f);
}

TEST(LossScale, SaysWhatIsWrong) {
  EXPECT_SAYS(golden::invalid([] { nn::LossScaleOptimizer("sgd", {.initial_scale = 0}); }), "initial_scale is 0");
  EXPECT_SAYS(golden::invalid([] { nn::LossScaleOptimizer("sgd", {.dynamic_growth_steps = 0}); }),
              "dynamic_growth_steps is 0");
  EXPECT_SAYS(golden::invalid([] { nn::LossScaleOptimizer(nn::Optimizer(nn::LossScaleOptimizer("sgd"))); }),
              "already scales the loss");
  const nn::LossScaleOptimizer optimizer("sgd");
  Variable v(Tensor({1}));
  EXPECT_SAYS(golden::invalid([&] { optimizer.apply_gradients({Tensor()}, {v}); }), "has a gradient");
}

}  // namespace
}  // namespace brio
