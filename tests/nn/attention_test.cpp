#include "brio/nn/layers/attention.h"

#include "brio/nn/layers/multi_head_attention.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

Tensor drawn(const Shape& shape, uint64_t seed = 1) { return random::normal(shape, {.seed = seed}); }

TEST(AttentionLayers, RefuseOptions) {
  using golden::invalid;
  EXPECT_SAYS(invalid([] { nn::Attention({.score_mode = "sum"}); }), "score_mode is 'sum'");
  EXPECT_SAYS(invalid([] { nn::Attention({.dropout = 1.5}); }), "dropout is 1.5");
  EXPECT_SAYS(invalid([] { nn::AdditiveAttention({.dropout = -1}); }), "dropout is -1");
  EXPECT_SAYS(invalid([] { nn::MultiHeadAttention(0, 3); }), "num_heads is 0");
  EXPECT_SAYS(invalid([] { nn::MultiHeadAttention(2, -3); }), "key_dim is -3");
  EXPECT_SAYS(invalid([] { nn::MultiHeadAttention(2, 3, {.value_dim = 0}); }), "value_dim is 0");
  EXPECT_SAYS(invalid([] { nn::MultiHeadAttention(2, 3, {.dropout = 2}); }), "dropout is 2");
  EXPECT_SAYS(invalid([] { nn::MultiHeadAttention(2, 3, {.output_shape = {2, 0}}); }), "output_shape is 0");
  EXPECT_SAYS(invalid([] { nn::MultiHeadAttention(2, 3, {.sliding_window = 0}); }), "sliding_window is 0");
  EXPECT_SAYS(invalid([] { nn::GroupQueryAttention(2, 4, 3); }), "num_key_value_heads, 3, does not divide");
  EXPECT_SAYS(invalid([] { nn::GroupQueryAttention(0, 4, 2); }), "head_dim is 0");
  EXPECT_SAYS(invalid([] { nn::GroupQueryAttention(2, 0, 2); }), "num_query_heads is 0");
  EXPECT_SAYS(invalid([] { nn::GroupQueryAttention(2, 4, 0); }), "num_key_value_heads is 0");
}

TEST(AttentionLayers, RefuseInputs) {
  using golden::invalid;
  const Tensor x = drawn({2, 3, 4}), other = drawn({2, 3, 5});
  const nn::Attention plain;
  EXPECT_SAYS(invalid([&] { plain(nn::Tensors{x}); }), "but got 1 input");
  EXPECT_SAYS(invalid([&] { plain({x, x, x, x}); }), "but got 4 inputs");
  EXPECT_SAYS(invalid([&] { plain({x, other}); }), "as many features");
  EXPECT_SAYS(invalid([&] { plain({x, x, drawn({2, 4, 4})}); }), "(2, 3, 4) and (2, 4, 4)");
  EXPECT_SAYS(invalid([&] { plain({drawn({4}), x}); }), "rank 2 or more");
  const nn::AdditiveAttention additive;
  additive({x, x}).array();
  EXPECT_SAYS(invalid([&] { additive({other, other}); }), "built for 4 features");
  const nn::MultiHeadAttention heads(2, 3);
  EXPECT_SAYS(invalid([&] { heads({drawn({2, 4}), x}); }), "rank 3 or more");
  EXPECT_SAYS(invalid([&] { heads({x, x, x, x, x}); }), "attention_mask}, but got 5 inputs");
  EXPECT_SAYS(invalid([&] { heads({x, drawn({2, 3, 1, 4})}); }), "one rank");
  heads({x, x}).array();
  EXPECT_SAYS(invalid([&] { heads({x, other}); }), "built for 4 features");
  EXPECT_SAYS(invalid([&] { heads({x, x, other}); }), "built for 4 features");
  EXPECT_SAYS(invalid([&] { heads({x, x, x, ones({7, 7})}); }), "(1, 1, 7, 7)");
  EXPECT_SAYS(invalid([&] { heads({x, x, x, ones({3})}); }), "the attention mask has shape (3,)");
  const Tensor image = drawn({1, 2, 3, 4});
  const nn::MultiHeadAttention two_axes(2, 3), bad_axis(2, 3, {.attention_axes = {3}}),
      batch_axis(2, 3, {.attention_axes = {0}});
  EXPECT_SAYS(invalid([&] { two_axes({image, image}, {.use_causal_mask = true}); }), "one attention axis");
  EXPECT_SAYS(invalid([&] { bad_axis({image, image}); }), "attention axis 3");
  EXPECT_SAYS(invalid([&] { batch_axis({image, image}); }), "attention axis 0");
  EXPECT_SAYS(invalid([&] { nn::GroupQueryAttention(2, 4, 2)({image, image}); }), "rank 3");
}

TEST(AttentionLayers, WeightsHaveKerasNamesAndShapes) {
  const nn::MultiHeadAttention heads(2, 3, {.value_dim = 5, .output_shape = {6, 7}, .use_gate = true, .name = "mha"});
  const Tensor q = drawn({1, 2, 4}), v = drawn({1, 3, 8}), k = drawn({1, 3, 9});
  heads({q, v, k}).array();
  const std::vector<std::pair<std::string, Shape>> expected = {{"mha/query/kernel", {4, 2, 3}},
                                                               {"mha/query/bias", {2, 3}},
                                                               {"mha/key/kernel", {9, 2, 3}},
                                                               {"mha/key/bias", {2, 3}},
                                                               {"mha/gate/kernel", {4, 2, 5}},
                                                               {"mha/gate/bias", {2, 5}},
                                                               {"mha/value/kernel", {8, 2, 5}},
                                                               {"mha/value/bias", {2, 5}},
                                                               {"mha/attention_output/kernel", {2, 5, 6, 7}},
                                                               {"mha/attention_output/bias", {6, 7}}};
  const std::vector<Variable> found = heads.variables();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name(), expected[i].first);
    EXPECT_EQ(found[i].shape(), expected[i].second);
  }
}

TEST(AttentionLayers, DropoutIsForTrainingAlone) {
  const Tensor x = drawn({2, 30, 4});
  const auto check = [&](const nn::Layer& layer, double tolerance) {
    const nn::Tensors in = {x, x};
    const Tensor still = layer(in);
    EXPECT_EQ(still.to_vector<float>(), layer(in).to_vector<float>());
    const Tensor first = layer(in, {.training = true}), second = layer(in, {.training = true});
    EXPECT_NE(first.to_vector<float>(), second.to_vector<float>());
    // On average nothing changes.
    Tensor total = zeros_like(still);
    for (int i = 0; i < 300; ++i) total = total + layer(in, {.training = true});
    EXPECT_NEAR(max(abs(total / 300.f - still)).item<float>(), 0, tolerance);
  };
  check(nn::Attention({.dropout = 0.4, .seed = 1}), 0.4);
  check(nn::AdditiveAttention({.use_scale = false, .dropout = 0.4, .seed = 1}), 0.2);
  check(nn::MultiHeadAttention(2, 3, {.dropout = 0.4, .seed = 1}), 0.2);
  check(nn::GroupQueryAttention(3, 2, 1, {.dropout = 0.4, .seed = 1}), 0.2);
  const nn::MultiHeadAttention heads(2, 3, {.dropout = 0.5, .bias_initializer = "zeros", .seed = 1});
  const nn::Tensors both = heads.call({x, x}, {.training = true, .return_attention_scores = true});
  for (float total : sum(both[1], -1).to_vector<float>()) EXPECT_NEAR(total, 1, 1e-5);  // scores before dropout
  const nn::MultiHeadAttention nothing(2, 3, {.dropout = 1});
  EXPECT_EQ(max(abs(nothing({x, x}, {.training = true}))).item<float>(), 0);
}

TEST(AttentionLayers, TrainInAModel) {
  // Which of two tokens comes first is not to be learned without looking at the other position.
  const Tensor x = drawn({64, 6, 8}), y = cast(sum(slice(x, {{}, {.end = 1}}), {1, 2}, false) > 0.f, i32);
  const nn::Symbol input = nn::Input({6, 8});
  const nn::Symbol attended = nn::MultiHeadAttention(2, 4)({input, input}, {.use_causal_mask = true});
  nn::Model model(input, nn::Dense(2)(nn::GlobalAveragePooling1D()(attended)));
  model.compile({.optimizer = nn::Adam(0.02),
                 .loss = nn::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  const auto history = model.fit(x, y, {.epochs = 8, .batch_size = 16, .verbose = 0});
  EXPECT_LT(history["loss"].back(), 0.7 * history["loss"].front());
}

}  // namespace
}  // namespace brio
