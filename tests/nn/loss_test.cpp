// Losses against Keras' values, and what they say to wrong inputs.
#include "brio/nn/losses/loss.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using nn::Reduction;

nn::Loss make_loss(const golden::Case& c, Reduction reduction) {
  const bool logits = c.number("from_logits", 0) != 0;
  const double smoothing = c.number("label_smoothing", 0);
  const std::string& kind = c.text("loss");
  const nn::CrossentropyOptions options{.from_logits = logits, .label_smoothing = smoothing, .reduction = reduction};
  if (kind == "binary_crossentropy") return nn::BinaryCrossentropy(options);
  if (kind == "categorical_crossentropy") return nn::CategoricalCrossentropy(options);
  if (kind == "sparse_categorical_crossentropy")
    return nn::SparseCategoricalCrossentropy({.from_logits = logits, .reduction = reduction});
  return nn::MeanSquaredError({.reduction = reduction});
}

Tensor y_true_of(const golden::Case& c) {
  const bool sparse = c.text("loss") == "sparse_categorical_crossentropy";
  return sparse ? golden::int_tensor(c.input("y_true")) : golden::tensor(c.input("y_true"));
}
Tensor weight_of(const golden::Case& c) {
  return c.inputs.count("sample_weight") ? golden::tensor(c.input("sample_weight")) : Tensor();
}

TEST(Loss, AgreesWithKeras) {
  const std::pair<const char*, Reduction> reductions[] = {
      {"none", Reduction::none}, {"sum", Reduction::sum}, {"sum_over_batch_size", Reduction::sum_over_batch_size}};
  for (const golden::Case& c : golden::load("losses.json")) {
    const Tensor y_true = y_true_of(c), y_pred = golden::tensor(c.input("y_pred")), weight = weight_of(c);
    for (const auto& [name, reduction] : reductions)
      if (c.outputs.count(name))
        golden::expect_near(make_loss(c, reduction)(y_true, y_pred, weight), c.output(name), 2e-6,
                            c.name + " " + name);
    if (!c.outputs.count("gradient")) continue;
    GradientTape tape;
    tape.watch(y_pred);
    const Tensor loss = make_loss(c, Reduction::sum_over_batch_size)(y_true, y_pred, weight);
    golden::expect_near(tape.gradient(loss, {y_pred})[0], c.output("gradient"), 2e-6, c.name + " gradient");
  }
}

TEST(Loss, AgreesWithKerasInAFunction) {
  for (const golden::Case& c : golden::load("losses.json")) {
    const nn::Loss loss = make_loss(c, Reduction::sum_over_batch_size);
    const Tensor weight = weight_of(c);
    auto f = function([&](const Tensor& t, const Tensor& p) { return loss(t, p, weight); });
    golden::expect_near(f(y_true_of(c), golden::tensor(c.input("y_pred"))), c.output("sum_over_batch_size"), 2e-6,
                        c.name);
  }
}

TEST(Loss, NamesAreKeras) {
  const Tensor t({{0, 1}, {1, 0}}), p({{0.25, 0.75}, {0.5, 0.5}});
  const float bce = nn::BinaryCrossentropy()(t, p).item<float>();
  for (const char* name : {"binary_crossentropy", "BinaryCrossentropy", "bce", "BCE"})
    EXPECT_EQ(nn::Loss(name)(t, p).item<float>(), bce) << name;
  for (const char* name : {"mse", "MSE", "mean_squared_error", "MeanSquaredError"})
    EXPECT_FLOAT_EQ(nn::Loss(name)(t, p).item<float>(), 0.15625f) << name;
  EXPECT_EQ(nn::Loss("mse").name(), "mse");
  const std::string message = golden::invalid([] { nn::Loss("binary_crossentrpy"); });
  EXPECT_SAYS(message, "[loss] there is no loss 'binary_crossentrpy'; did you mean 'binary_crossentropy'?");
}

TEST(Loss, CrossentropyIsToldByTheShapes) {
  const nn::Loss any = "crossentropy";
  const Tensor p2({{0.25, 0.75}, {0.5, 0.5}}), one_hot({{0, 1}, {1, 0}}), p1({{0.25}, {0.5}}), t1({{0}, {1}});
  const Tensor labels = Tensor::from(std::vector<int32_t>{1, 0}, {2});
  EXPECT_EQ(any(t1, p1).item<float>(), nn::BinaryCrossentropy()(t1, p1).item<float>());
  EXPECT_EQ(any(one_hot, p2).item<float>(), nn::CategoricalCrossentropy()(one_hot, p2).item<float>());
  EXPECT_EQ(any(labels, p2).item<float>(), nn::SparseCategoricalCrossentropy()(labels, p2).item<float>());
}

// What a sigmoid or softmax made is not clipped: the loss of a certain and wrong prediction keeps its size and
// gradient.
TEST(Loss, UsesTheLogitsBehindAnActivation) {
  const Tensor z({{100, -100, 0, 40}}), t({{0, 1, 1, 0}});
  auto value_and_gradient = [&](auto activation, const nn::Loss& loss) {
    auto f = function([&](const Tensor& x) {
      GradientTape tape;
      tape.watch(x);
      const Tensor value = loss(t, activation(x));
      return std::tuple(value, tape.gradient(value, {x})[0]);
    });
    return f(z);
  };
  const auto [bce, bce_gradient] =
      value_and_gradient([](const Tensor& x) { return sigmoid(x); }, nn::BinaryCrossentropy());
  EXPECT_FLOAT_EQ(bce.item<float>(), (100 + 100 + std::log(2.f) + 40) / 4);
  EXPECT_FLOAT_EQ(bce_gradient.to_vector<float>()[0], 0.25f);
  const auto [cce, cce_gradient] =
      value_and_gradient([](const Tensor& x) { return softmax(x); }, nn::CategoricalCrossentropy());
  EXPECT_FLOAT_EQ(cce.item<float>(), 200 + 100);
  EXPECT_FLOAT_EQ(cce_gradient.to_vector<float>()[0], 2);
  // Under a tape in eager code too; without one, clipped probabilities, whether or not something was read before.
  {
    GradientTape tape;
    tape.watch(z);
    EXPECT_FLOAT_EQ(nn::BinaryCrossentropy()(t, sigmoid(z)).item<float>(), bce.item<float>());
  }
  const Tensor p = sigmoid(z);
  const float unread = nn::BinaryCrossentropy()(t, p).item<float>();
  const float read = nn::BinaryCrossentropy()(t, p).item<float>();
  EXPECT_EQ(unread, read);
  EXPECT_LT(unread, 20);
}

// As Keras does, with a warning.
TEST(Loss, FromLogitsOfASigmoidMeansWhatWentIntoIt) {
  const Tensor z({{1, -2}}), t({{0, 1}});
  auto loss = [&](bool from_logits) {
    return function([&, from_logits](const Tensor& x) {
             return nn::BinaryCrossentropy({.from_logits = from_logits})(t, sigmoid(x));
           })(z)
        .item<float>();
  };
  EXPECT_EQ(loss(true), loss(false));
}

TEST(Loss, UsesTheLogitsBehindAFusedLayer) {
  const Tensor x({{1, 2}}), w({{30}, {40}}), b({1}), t({{0}});
  auto f = function([&](const Tensor& in) {
    return nn::BinaryCrossentropy()(t, linear(in, w, b, {.activation = FusedActivation::sigmoid}));
  });
  EXPECT_FLOAT_EQ(f(x).item<float>(), 111);
}

TEST(Loss, OneAxisMoreOrLess) {
  const Tensor p({{0.25}, {0.5}, {0.125}}), t({0, 1, 1});
  const Tensor t1 = reshape(t, {3, 1});
  for (const char* name : {"bce", "mse"})
    EXPECT_EQ(nn::Loss(name)(t, p).item<float>(), nn::Loss(name)(t1, p).item<float>());
  const Tensor labels = Tensor::from(std::vector<int32_t>{1, 0}, {2, 1});
  const Tensor q({{0.25, 0.75}, {0.5, 0.5}});
  EXPECT_EQ(nn::SparseCategoricalCrossentropy()(labels, q).item<float>(),
            nn::SparseCategoricalCrossentropy()(reshape(labels, {2}), q).item<float>());
}

TEST(Loss, CategoricalOverAnotherAxis) {
  const Tensor p({{0.25, 0.5}, {0.75, 0.5}}), t({{0, 1}, {1, 0}});
  EXPECT_FLOAT_EQ(nn::CategoricalCrossentropy({.axis = 0})(t, p).item<float>(),
                  nn::CategoricalCrossentropy()(transpose(t), transpose(p)).item<float>());
}

TEST(Loss, MeanWithSampleWeightDividesByTheWeights) {
  const Tensor t({{1}, {2}, {3}}), p({{0}, {0}, {0}}), w({1, 3, 0});
  const nn::MeanSquaredError loss({.reduction = Reduction::mean_with_sample_weight});
  EXPECT_FLOAT_EQ(loss(t, p, w).item<float>(), (1 + 3 * 4) / 4.f);
  EXPECT_FLOAT_EQ(loss(t, p, zeros({3})).item<float>(), 0);
  EXPECT_FLOAT_EQ(nn::MeanSquaredError({.reduction = Reduction::mean})(t, p).item<float>(), 14 / 3.f);
}

TEST(Loss, SaysWhatIsWrong) {
  const Tensor p({{0.5, 0.5}, {0.5, 0.5}}), t({{0, 1, 0}, {1, 0, 0}});
  EXPECT_SAYS(golden::invalid([&] { nn::BinaryCrossentropy()(t, p); }),
              "[binary_crossentropy] the targets have shape (2, 3), but the predictions (2, 2)");
  EXPECT_SAYS(golden::invalid([&] { nn::CategoricalCrossentropy()(t, p); }), "sparse_categorical_crossentropy");
  EXPECT_SAYS(golden::invalid([&] { nn::SparseCategoricalCrossentropy()(t, p); }), "class numbers of shape (2,)");
  EXPECT_SAYS(golden::invalid([&] { nn::MeanSquaredError()(t, p); }), "(2, 3)");
  EXPECT_SAYS(golden::invalid([&] { nn::CategoricalCrossentropy({.axis = 2})(p, p); }), "axis 2");
  EXPECT_SAYS(golden::invalid([&] { nn::MeanSquaredError()(p, cast(p, i32)); }), "the predictions are int32");
  EXPECT_SAYS(golden::invalid([&] { nn::MeanSquaredError()(p, Tensor()); }), "y_pred is none");
  EXPECT_SAYS(golden::invalid([&] { nn::MeanSquaredError()(p, p, zeros({3})); }), "sample_weight has shape (3,)");
  EXPECT_SAYS(golden::invalid([&] { nn::Loss()(p, p); }), "this loss is none");
  const Tensor outside = Tensor::from(std::vector<int32_t>{0, 2}, {2});
  EXPECT_THROW(nn::SparseCategoricalCrossentropy({.from_logits = true})(outside, p).item<float>(), InvalidArgument);
}

}  // namespace
}  // namespace brio
