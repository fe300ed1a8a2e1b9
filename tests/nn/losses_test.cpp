// The losses beyond their golden values: names, masks, forms that Keras lacks, and what they say to wrong inputs.
#include "brio/nn/losses/losses.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using nn::Reduction;

Tensor ints(const std::vector<int32_t>& values, const Shape& shape) { return Tensor::from(values, shape); }

TEST(Losses, NamesAndAliasesAreKeras) {
  const Tensor t({{0, 1}, {1, 0}}), p({{0.25, 0.75}, {0.5, 0.5}}), labels = ints({1, 0}, {2});
  const Tensor numbers = ints({1, 1}, {2, 1});
  const std::vector<std::vector<const char*>> spellings = {
      {"mean_absolute_error", "MeanAbsoluteError", "mae", "MAE"},
      {"mean_absolute_percentage_error", "MeanAbsolutePercentageError", "mape", "MAPE"},
      {"mean_squared_logarithmic_error", "MeanSquaredLogarithmicError", "msle", "MSLE"},
      {"huber", "Huber"},
      {"log_cosh", "LogCosh"},
      {"cosine_similarity", "CosineSimilarity"},
      {"kl_divergence", "KLDivergence", "kld", "KLD"},
      {"poisson", "Poisson"},
      {"hinge", "Hinge"},
      {"squared_hinge", "SquaredHinge"},
      {"categorical_hinge", "CategoricalHinge"},
      {"binary_focal_crossentropy", "BinaryFocalCrossentropy"},
      {"categorical_focal_crossentropy", "CategoricalFocalCrossentropy"},
      {"dice", "Dice"},
      {"tversky", "Tversky"},
  };
  std::vector<float> values;
  for (const auto& names : spellings) {
    values.push_back(nn::Loss(names[0])(t, p).item<float>());
    for (const char* name : names) {
      EXPECT_EQ(nn::Loss(name)(t, p).item<float>(), values.back()) << name;
      EXPECT_EQ(nn::Loss(name).name(), name);
    }
  }
  for (const char* name :
       {"sparse_categorical_crossentropy", "SparseCategoricalCrossentropy", "categorical_generalized_cross_entropy",
        "CategoricalGeneralizedCrossEntropy", "crossentropy", "ce"})
    EXPECT_GT(nn::Loss(name)(labels, p).item<float>(), 0) << name;
  for (const char* name : {"circle", "Circle"})
    EXPECT_GT(nn::Loss(name)(ints({0, 0, 1}, {3}), zeros({3, 2})).item<float>(), 0) << name;
  for (const char* name : {"ctc", "CTC"})
    EXPECT_GT(nn::Loss(name)(numbers, zeros({2, 3, 4})).item<float>(), 0) << name;
  EXPECT_EQ(nn::Huber().name(), "huber_loss");
  EXPECT_EQ(nn::Huber({.name = "mine"}).name(), "mine");
}

TEST(Losses, UnknownNamesAreRefusedWithASuggestion) {
  EXPECT_SAYS(golden::invalid([] { nn::Loss("mean_absolut_error"); }), "did you mean 'mean_absolute_error'?");
  EXPECT_SAYS(golden::invalid([] { nn::Loss("logcosh"); }), "did you mean 'log_cosh'?");
}

TEST(Losses, MaskedValuesDoNotCount) {
  const Tensor t({{1}, {2}, {3}, {4}}), p = zeros({4, 1}), mask = ints({1, 0, 1, 0}, {4});
  EXPECT_FLOAT_EQ(nn::MeanSquaredError()(t, p, {}, mask).item<float>(), (1 + 9) / 2.f);
  EXPECT_FLOAT_EQ(nn::MeanSquaredError()(t, p, {}, cast(mask, boolean)).item<float>(), (1 + 9) / 2.f);
  EXPECT_FLOAT_EQ(nn::MeanSquaredError()(t, p, Tensor({2, 1, 1, 1}), mask).item<float>(), (2 + 9) / 2.f);
  EXPECT_EQ(nn::MeanSquaredError()(t, p, {}, zeros({4})).item<float>(), 0);  // nothing is left
  EXPECT_EQ(nn::MeanSquaredError({.reduction = Reduction::none})(t, p, {}, mask).to_vector<float>(),
            (std::vector<float>{1, 0, 9, 0}));
}

// Both masks must let a value through.
TEST(Losses, AMaskJoinsThatOfIgnoreClass) {
  const nn::SparseCategoricalCrossentropy loss({.from_logits = true, .ignore_class = -1});
  const Tensor labels = ints({0, -1, 1, 0}, {4}), logits = zeros({4, 2}), weights({1, 1, 1, 3});
  EXPECT_FLOAT_EQ(loss(labels, logits).item<float>(), std::log(2.f));
  EXPECT_FLOAT_EQ(loss(labels, logits, weights, ints({1, 1, 0, 1}, {4})).item<float>(), 2 * std::log(2.f));
  EXPECT_SAYS(golden::invalid([&] { loss(labels, logits, {}, zeros({4, 1})); }), "mask of shape (4,) of its own");
}

TEST(Losses, IgnoredRowsSendNoGradientEvenWhereTheyAreNotNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor logits = Tensor::from(std::vector<float>{1, 2, nan, nan}, {2, 2});
  GradientTape tape;
  tape.watch(logits);
  const nn::SparseCategoricalCrossentropy mean_loss({.from_logits = true, .ignore_class = 7});
  const Tensor loss = mean_loss(ints({0, 7}, {2}), logits);
  const std::vector<float> gradient = tape.gradient(loss, {logits})[0].to_vector<float>();
  EXPECT_NEAR(loss.item<float>(), 1.3132617f, 1e-6);
  EXPECT_NEAR(gradient[0], -0.7310586f, 1e-6);
  EXPECT_EQ(gradient[2], 0);
  EXPECT_EQ(gradient[3], 0);
}

// TensorFlow's Keras knows the last axis alone here.
TEST(Losses, SparseCrossentropyOverAnotherAxis) {
  const Tensor p({{{0.1, 0.5}, {0.6, 0.2}, {0.3, 0.3}}}), labels = ints({1, 0}, {1, 2});
  const Tensor moved = transpose(p, {0, 2, 1});
  for (bool from_logits : {false, true}) {
    const std::vector<float> last =
        nn::sparse_categorical_crossentropy(labels, moved, from_logits).to_vector<float>();
    EXPECT_EQ(nn::sparse_categorical_crossentropy(labels, p, from_logits, {}, 1).to_vector<float>(), last);
    EXPECT_EQ(
        nn::sparse_categorical_crossentropy(reshape(labels, {1, 1, 2}), p, from_logits, {}, -2).to_vector<float>(),
        last);
    EXPECT_EQ(nn::sparse_categorical_crossentropy(labels, p, from_logits, 1, 1).to_vector<float>()[0], 0);
  }
}

// Compared with references that are the rows themselves, nothing changes but who is compared.
TEST(Losses, CircleAgainstReferences) {
  const Tensor x({{1, 0}, {0.6, 0.8}, {0, 1}}), labels = ints({0, 0, 1}, {3});
  const nn::CircleOptions all{.gamma = 2, .remove_diagonal = false};
  const std::vector<float> own = nn::circle(labels, x, all).to_vector<float>();
  EXPECT_EQ(nn::circle(labels, x, all, {.labels = labels, .embeddings = x}).to_vector<float>(), own);
  const Tensor two = nn::circle(slice(labels, {{.end = 2}}), slice(x, {{.end = 2}}), all, {labels, x});
  EXPECT_EQ(two.shape(), Shape({2}));
  EXPECT_FLOAT_EQ(two.to_vector<float>()[1], own[1]);
}

TEST(Losses, FocalLossUsesTheLogitsBehindASigmoid) {
  const Tensor z({{100, -100}}), t({{0, 1}});
  auto f = function([&](const Tensor& x) { return nn::BinaryFocalCrossentropy()(t, sigmoid(x)); });
  EXPECT_FLOAT_EQ(f(z).item<float>(), 100);
}

TEST(Losses, OfAnEmptyBatchAreZero) {
  const Tensor none = zeros({0, 3});
  for (const char* name : {"mse", "mae", "huber", "bce", "kld", "hinge", "categorical_hinge", "cosine_similarity"})
    EXPECT_EQ(nn::Loss(name)(none, none).item<float>(), 0) << name;
}

TEST(Losses, OfDifferencesBroadcast) {
  const Tensor t({{1, 2, 3}, {4, 5, 6}}), p({{1}, {4}});
  EXPECT_EQ(nn::mean_absolute_error(t, p).to_vector<float>(), (std::vector<float>{1, 1}));
  EXPECT_EQ(nn::mean_absolute_error(p, t).to_vector<float>(), (std::vector<float>{1, 1}));
}

TEST(Losses, CtcOfDifferentLengths) {
  // The same numbers whether a sequence is as long as the batch or ends before it.
  const Tensor logits = sin(reshape(cast(iota(2 * 6 * 5), f32), {2, 6, 5}));
  const Tensor labels = Tensor::from(std::vector<int64_t>{1, 2, 2, 3}, {2, 2});
  const auto loss = [&](std::vector<int64_t> counts, std::vector<int64_t> times, int64_t blank) {
    return nn::ctc_loss(labels, logits, Tensor::from(counts, {2}), Tensor::from(times, {2}), blank)
        .to_vector<float>();
  };
  const std::vector<float> whole = nn::ctc(labels, logits).to_vector<float>();
  for (size_t i = 0; i < 2; ++i) EXPECT_FLOAT_EQ(loss({2, 2}, {6, 6}, 0)[i], whole[i]);
  const std::vector<float> part =
      nn::ctc(slice(labels, {{}, {.end = 1}}), slice(logits, {{}, {.end = 4}})).to_vector<float>();
  for (size_t i = 0; i < 2; ++i) EXPECT_FLOAT_EQ(loss({1, 1}, {4, 4}, 0)[i], part[i]);
  EXPECT_EQ(loss({1, 2}, {6, 6}, -1), loss({1, 2}, {6, 6}, 4));
  EXPECT_SAYS(golden::invalid([&] { loss({1, 1}, {1, 1}, 5); }), "the blank is class 5 of 5");
}

TEST(Losses, EveryLossSaysWhatIsWrongWithItsShapes) {
  const Tensor t = zeros({2, 3}), p = zeros({2, 2});
  for (const char* name :
       {"mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
        "mean_squared_logarithmic_error", "huber", "log_cosh", "cosine_similarity", "kl_divergence", "poisson",
        "hinge", "squared_hinge", "categorical_hinge", "binary_crossentropy", "binary_focal_crossentropy",
        "categorical_crossentropy", "categorical_focal_crossentropy", "dice", "tversky"}) {
    const nn::Loss loss = name;
    EXPECT_SAYS(golden::invalid([&] { loss(t, p); }),
                cat("[", name, "] the targets have shape (2, 3), but the predictions (2, 2)"));
    EXPECT_SAYS(golden::invalid([&] { loss(t, Tensor()); }), cat("[", name, "] y_pred is none"));
    EXPECT_SAYS(golden::invalid([&] { loss(Tensor(), p); }), cat("[", name, "] y_true is none"));
    EXPECT_SAYS(golden::invalid([&] { loss(p, cast(p, i32)); }), cat("[", name, "] the predictions are int32"));
  }
  for (const char* name : {"sparse_categorical_crossentropy", "categorical_generalized_cross_entropy"}) {
    const nn::Loss loss = name;
    EXPECT_SAYS(golden::invalid([&] { loss(t, p); }), "class numbers of shape (2,)");
    EXPECT_SAYS(golden::invalid([&] { loss(Tensor(), p); }), "y_true is none");
    EXPECT_SAYS(golden::invalid([&] { loss(Tensor(1), Tensor(1)); }), "out of range for rank 0");
  }
  for (const char* name : {"circle", "ctc", "crossentropy"}) {
    const nn::Loss loss = name;
    EXPECT_SAYS(golden::invalid([&] { loss(Tensor(), p); }), "y_true is none");
  }
}

TEST(Losses, OfNothing) {
  EXPECT_SAYS(golden::invalid([] { nn::Loss("own", nn::Loss::Function()); }), "[own] the function is none");
  const nn::Loss empty("own", [](const Tensor&, const Tensor&) { return Tensor(); });
  EXPECT_THROW(empty(zeros({2}), zeros({2})), InvalidArgument);
}

TEST(Losses, SayWhichOptionIsWrong) {
  const Tensor p = ones({2, 3}) / 3, scalar(0.5);
  EXPECT_SAYS(golden::invalid([&] { nn::CosineSimilarity({.axis = 2})(p, p); }), "[cosine_similarity] axis 2");
  EXPECT_SAYS(golden::invalid([&] { nn::BinaryCrossentropy({.axis = 2})(p, p); }), "[binary_crossentropy] axis 2");
  EXPECT_SAYS(golden::invalid([&] { nn::BinaryFocalCrossentropy({.axis = -3})(p, p); }), "axis -3");
  EXPECT_SAYS(golden::invalid([&] { nn::CategoricalFocalCrossentropy({.axis = 2})(p, p); }), "axis 2");
  EXPECT_SAYS(golden::invalid([&] {
                nn::CategoricalFocalCrossentropy({.alpha = {1, 2}})(p, p);
              }),
              "alpha has 2 factors");
  EXPECT_SAYS(golden::invalid([&] { nn::CategoricalFocalCrossentropy({.alpha = {}})(p, p); }), "alpha has 0 factors");
  EXPECT_SAYS(golden::invalid([&] { nn::SparseCategoricalCrossentropy({.axis = 3})(zeros({2}), p); }), "axis 3");
  EXPECT_SAYS(golden::invalid([&] { nn::Dice({.axis = 2})(p, p); }), "axis 2");
  EXPECT_SAYS(golden::invalid([&] { nn::kl_divergence(scalar, scalar); }), "[kl_divergence] axis -1");
  EXPECT_SAYS(golden::invalid([&] { nn::categorical_hinge(scalar, scalar); }), "[categorical_hinge] axis -1");
  EXPECT_SAYS(golden::invalid([&] { nn::categorical_crossentropy(scalar, scalar); }), "axis -1");
  for (double q : {0.0, 1.0, std::nan("")}) {
    EXPECT_SAYS(golden::invalid([&] { nn::CategoricalGeneralizedCrossEntropy({.q = q}); }), "it must lie between");
    EXPECT_SAYS(golden::invalid([&] { nn::categorical_generalized_cross_entropy(zeros({2}), p, q); }), "q is");
  }
}

TEST(Losses, SayWhatIsWrongWithWeightsAndMasks) {
  const Tensor p = zeros({2, 3, 2});
  const nn::MeanSquaredError loss;
  EXPECT_SAYS(golden::invalid([&] { loss(p, p, zeros({2})); }),
              "sample_weight has shape (2,), but there are losses of shape (2, 3)");
  EXPECT_SAYS(golden::invalid([&] { loss(p, p, {}, zeros({2})); }), "the mask has shape (2,)");
  EXPECT_SAYS(golden::invalid([&] {
                loss(p, p, zeros({2, 3}), zeros({2}));
              }),
              "sample_weight has shape (2, 3), but the mask (2,)");
}

TEST(Losses, CircleAndCtcSayWhatTheyTake) {
  const Tensor rows = zeros({3, 2}), labels = ints({0, 1, 0}, {3});
  EXPECT_SAYS(golden::invalid([&] { nn::circle(labels, zeros({3})); }), "[circle] the embeddings have shape (3,)");
  EXPECT_SAYS(golden::invalid([&] { nn::circle(zeros({2}), rows); }), "the labels have shape (2,)");
  EXPECT_SAYS(golden::invalid([&] { nn::circle(zeros({3, 2}), rows); }), "one class number for each row");
  EXPECT_SAYS(golden::invalid([&] { nn::circle(labels, rows, {}, {.embeddings = zeros({4, 2})}); }), "(4, 2)");
  EXPECT_THROW(nn::circle(labels, rows, {}, {.embeddings = zeros({3, 5})}), InvalidArgument);
  EXPECT_SAYS(golden::invalid([&] { nn::ctc(labels, zeros({3, 4, 5})); }), "[ctc] the targets have shape (3,)");
  EXPECT_SAYS(golden::invalid([&] { nn::ctc(zeros({3, 2}), rows); }), "logits (batch, time, classes)");
  EXPECT_SAYS(golden::invalid([&] { nn::ctc(zeros({2, 2}), zeros({3, 4, 5})); }), "(3, 4, 5)");
  EXPECT_SAYS(golden::invalid([&] { nn::ctc(zeros({3, 0}), zeros({3, 4, 5})); }), "nothing to align");
  EXPECT_SAYS(golden::invalid([&] { nn::ctc(zeros({3, 1}), zeros({3, 0, 5})); }), "nothing to align");
  EXPECT_THROW(nn::ctc(ints({9}, {1, 1}), zeros({1, 2, 5})).to_vector<float>(), InvalidArgument);
  EXPECT_THROW(nn::sparse_categorical_crossentropy(ints({9}, {1}), zeros({1, 5}), true).to_vector<float>(),
               InvalidArgument);
}

}  // namespace
}  // namespace brio
