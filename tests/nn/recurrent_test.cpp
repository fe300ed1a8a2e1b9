// Recurrent layers beyond their golden values: cells of one's own, states between calls, dropout, training, errors.
#include <cmath>

#include "brio/nn/config.h"
#include "brio/nn/mask.h"
#include "brio/train/model.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;
using nn::Tensors;

Tensor numbers(const Shape& shape, uint64_t seed) { return random::normal(shape, {.seed = seed}); }
std::vector<float> values(const Tensor& x) { return cast(x, f32).to_vector<float>(); }
void expect_equal(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_EQ(values(a), values(b));
}
void expect_close(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.shape(), b.shape());
  const std::vector<float> u = values(a), v = values(b);
  for (size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], v[i], 1e-5f * (1 + std::abs(v[i]))) << i;
}

std::vector<nn::Layer> layers_of_each_kind(bool stateful = false) {
  return {nn::SimpleRNN(3, {.return_sequences = true, .stateful = stateful}),
          nn::LSTM(3, {.return_sequences = true, .stateful = stateful}),
          nn::GRU(3, {.return_sequences = true, .stateful = stateful}),
          nn::RNN(nn::StackedRNNCells({nn::GRUCell(2), nn::LSTMCell(3)}),
                  {.return_sequences = true, .stateful = stateful})};
}

// h moves a share of the way to the input; the output is its square, of another size than the state.
class Leaky : public nn::Cell {
 public:
  Leaky() : Cell("leaky") {}
  std::string_view kind() const override { return "Leaky"; }
  void describe(nn::Fields&) override {}
  std::vector<int64_t> state_sizes() const override { return {2}; }
  int64_t output_size() const override { return 4; }
  Tensors initial_states(Size batch) const override { return {ones({batch, 2})}; }

 protected:
  void create_all(const std::vector<Shape>&) override { rate_ = add_weight("rate", {2}, {.initializer = "ones"}); }
  Tensors call_all(const Tensors& in, const nn::Call&) override {
    const Tensor h = in[1] * 0.5f + in[0] * rate_ * 0.5f;
    return {concat({square(h), h}, -1), h};
  }
  Variable rate_;
};

TEST(Recurrent, WalksAlongWithACellOfOnesOwn) {
  const Tensor x = Tensor::from(std::vector<float>{2, 4, 6, 8}, {1, 2, 2});
  const nn::RNN layer(nn::layer<Leaky>(), {.return_sequences = true, .return_state = true});
  const Tensors y = layer.call({x});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_EQ(values(y[1]), (std::vector<float>{3.75f, 5.25f}));
  EXPECT_EQ(values(y[0]), (std::vector<float>{2.25f, 6.25f, 1.5f, 2.5f, 14.0625f, 27.5625f, 3.75f, 5.25f}));
  const nn::RNN last(nn::layer<Leaky>());
  EXPECT_EQ(values(last(x)), (std::vector<float>{14.0625f, 27.5625f, 3.75f, 5.25f}));
  const nn::RNN back(nn::layer<Leaky>(), {.go_backwards = true});
  EXPECT_EQ(values(back(x)), (std::vector<float>{7.5625f, 18.0625f, 2.75f, 4.25f}));
  // Masked steps keep the state and give the output once more, which is 0 before the first.
  const Tensor mask = Tensor({{0, 1}}) > 0.f;
  const Tensors masked = layer.call({x}, {.masks = {mask}});
  EXPECT_EQ(values(masked[0]), (std::vector<float>{0, 0, 0, 0, 12.25f, 20.25f, 3.5f, 4.5f}));
  GradientTape tape;
  const Tensor loss = sum(last(x));
  const Tensors gradient = tape.gradient(loss, last.trainable_variables());
  ASSERT_EQ(gradient.size(), 1u);
  const float rise = values(gradient[0])[0];  // d(h² + h)/d rate, h = 0.25 + 0.5 rate + 3 rate
  EXPECT_FLOAT_EQ(rise, (2 * 3.75f + 1) * 3.5f);
}

TEST(Recurrent, RegisteredCellsRoundTrip) {
  nn::register_layer("Leaky", [](nn::Fields&) { return nn::layer<Leaky>(); });
  const std::string json = nn::to_json(nn::RNN(nn::layer<Leaky>(), {.name = "r"}));
  EXPECT_EQ(nn::layer_from_json(json).module().kind(), "RNN");
  EXPECT_SAYS(json, "\"class_name\":\"Leaky\"");
  const nn::Bidirectional both(nn::RNN(nn::layer<Leaky>(), {.name = "r"}));
  EXPECT_EQ(both(ones({1, 3, 2})).shape(), (Shape{1, 8}));
}

TEST(Recurrent, StatefulCallsMakeOneLongCall) {
  const Tensor x = numbers({2, 6, 4}, 1);
  for (const nn::Layer& kept : layers_of_each_kind(true)) {
    SCOPED_TRACE(kept.name());
    const Tensor whole = kept(x);
    for (int round = 0; round < 2; ++round) {
      nn::reset_states(kept);
      Tensors parts;
      for (int64_t t = 0; t < 6; t += 2) parts.push_back(kept(slice(x, {{}, {t, t + 2}})));
      expect_close(concat(parts, 1), whole);
    }
    EXPECT_EQ(kept.non_trainable_variables().size(), 0u);  // states are no weights
  }
}

TEST(Recurrent, StatesMoveOnInsideAFunction) {
  const nn::LSTM layer(3, {.stateful = true});
  const Tensor x = numbers({2, 3, 4}, 2);
  const Tensor first = layer(x), second = layer(x);
  nn::reset_states(layer);
  auto f = function([&](const Tensor& in) { return layer(in); });
  expect_close(f(x), first);
  expect_close(f(x), second);
  EXPECT_NE(values(first), values(second));
}

TEST(Recurrent, AFunctionGivesTheSame) {
  const Tensor x = numbers({2, 5, 4}, 3);
  for (const nn::Layer& layer : layers_of_each_kind()) {
    SCOPED_TRACE(layer.name());
    auto step = [&](const Tensor& in) {
      GradientTape tape;
      tape.watch(in);
      const Tensor loss = sum(square(layer(in)));
      return std::vector{loss, tape.gradient(loss, {in})[0]};
    };
    const std::vector<Tensor> eager = step(x);
    auto f = function(step);
    const std::vector<Tensor> traced = f(x);
    expect_equal(eager[0], traced[0]);
    expect_equal(eager[1], traced[1]);
  }
}

TEST(Recurrent, TakesSequencesOfAnyLength) {
  const nn::GRU layer(3);
  auto f = function([&](const Tensor& in) { return layer(in); });
  for (const int64_t length : {1, 2, 3, 7, 50, 3}) {
    const Tensor x = numbers({2, length, 4}, static_cast<uint64_t>(length));
    expect_close(f(x), layer(x));
  }
  const nn::Symbol x = nn::Input({nn::kUnknown, 4});
  const nn::Model model(x, nn::LSTM(3, {.return_sequences = true})(x));
  EXPECT_EQ(model.call({ones({2, 9, 4})})[0].shape(), (Shape{2, 9, 3}));
  EXPECT_EQ(model.call({ones({5, 1, 4})})[0].shape(), (Shape{5, 1, 3}));
}

TEST(Recurrent, DropsTheSameInAllSteps) {
  set_random_seed(4);
  for (const double recurrent : {0.0, 0.5}) {
    const nn::SimpleRNN layer(64, {.activation = "linear",
                                   .use_bias = false,
                                   .kernel_initializer = "identity",
                                   .recurrent_initializer = "zeros",
                                   .dropout = 0.5,
                                   .recurrent_dropout = recurrent,
                                   .seed = 7,
                                   .return_sequences = true});
    const Tensor x = ones({3, 5, 64});
    expect_equal(layer(x), x);
    const Tensor y = layer(x, true);
    const std::vector<float> v = values(y);
    size_t dropped = 0;
    for (size_t b = 0; b < 3; ++b)
      for (size_t i = 0; i < 64; ++i) {
        const float first = v[b * 5 * 64 + i];
        EXPECT_TRUE(first == 0 || first == 2) << first;
        dropped += first == 0;
        for (size_t t = 1; t < 5; ++t) EXPECT_EQ(v[(b * 5 + t) * 64 + i], first);
      }
    EXPECT_GT(dropped, 60u);
    EXPECT_LT(dropped, 132u);
    EXPECT_NE(values(layer(x, true)), v);  // the next call draws anew
  }
  // Gates drop their own where states are dropped too; in inference nothing is.
  for (const nn::Layer& layer : {nn::Layer(nn::LSTM(8, {.dropout = 0.4, .recurrent_dropout = 0.4, .seed = 1})),
                                 nn::Layer(nn::GRU(8, {.dropout = 0.4, .recurrent_dropout = 0.4, .seed = 1})),
                                 nn::Layer(nn::GRU(8, {.recurrent_dropout = 0.4, .reset_after = false})),
                                 nn::Layer(nn::LSTM(8, {.dropout = 0.4}))}) {
    const Tensor x = numbers({4, 3, 5}, 9), calm = layer(x);
    const Tensor a = layer(x, true), b = layer(x, true);
    EXPECT_NE(values(a), values(b));
    EXPECT_NE(values(a), values(calm));
    expect_equal(layer(x), calm);
    GradientTape tape;
    const Tensor loss = sum(layer(x, true));
    for (const Tensor& gradient : tape.gradient(loss, layer.trainable_variables()))
      for (const float g : values(gradient)) EXPECT_TRUE(std::isfinite(g));
  }
}

TEST(Recurrent, LearnsASeries) {
  set_random_seed(5);
  const Tensor start = random::uniform({64, 1}, {.low = 0, .high = 6.28, .seed = 6});
  Tensors steps;
  for (int t = 0; t < 9; ++t) steps.push_back(sin(start + static_cast<float>(t) * 0.5f));
  const Tensor y = steps.back();
  steps.pop_back();
  const Tensor x = stack(steps, 1);
  for (nn::Layer layer : {nn::Layer(nn::LSTM(8)), nn::Layer(nn::Bidirectional(nn::GRU(4)))}) {
    nn::Sequential model({std::move(layer), nn::Dense(1)});
    model.compile({.optimizer = nn::Adam(0.02), .loss = "mse"});
    const train::History history = model.fit(x, y, {.epochs = 15, .batch_size = 16, .verbose = 0});
    const std::vector<double>& loss = history["loss"];
    EXPECT_LT(loss.back(), 0.2 * loss.front());
  }
}

TEST(Recurrent, ConfigsKeepOptions) {
  const nn::LSTM layer(4, {.activation = "relu",
                           .recurrent_activation = "hard_sigmoid",
                           .use_bias = false,
                           .recurrent_initializer = nn::orthogonal_initializer({.gain = 2, .seed = 3}),
                           .unit_forget_bias = false,
                           .kernel_regularizer = "l2",
                           .recurrent_constraint = "non_neg",
                           .dropout = 0.25,
                           .recurrent_dropout = 0.5,
                           .seed = 9,
                           .return_sequences = true,
                           .go_backwards = true,
                           .stateful = true,
                           .unroll = true,
                           .zero_output_for_mask = true,
                           .dtype = "mixed_bfloat16",
                           .name = "mine"});
  const std::string json = nn::to_json(layer);
  EXPECT_EQ(nn::to_json(nn::layer_from_json(json)), json);
  for (const char* part :
       {"\"recurrent_activation\":\"hard_sigmoid\"", "\"gain\":2.0", "\"unit_forget_bias\":false", "\"dropout\":0.25",
        "\"seed\":9", "\"stateful\":true", "\"zero_output_for_mask\":true", "\"name\":\"mine\"", "mixed_bfloat16"})
    EXPECT_SAYS(json, part);
  const std::string none = nn::to_json(nn::Bidirectional(nn::GRU(2), {.merge_mode = std::nullopt}));
  EXPECT_SAYS(none, "\"merge_mode\":null");
  EXPECT_EQ(nn::to_json(nn::layer_from_json(none)), none);
}

TEST(Recurrent, WeightsAreNamedAfterTheLayer) {
  const nn::LSTM layer(2, {.name = "memory"});
  layer.build({1, 3, 4});
  ASSERT_EQ(layer.variables().size(), 3u);
  EXPECT_EQ(layer.variables()[1].name(), "memory/lstm_cell/recurrent_kernel");
  EXPECT_EQ(values(layer.variables()[2]), (std::vector<float>{0, 0, 1, 1, 0, 0, 0, 0}));  // the forget gate's bias
  const nn::Bidirectional both(nn::LSTM(2, {.name = "way"}));
  both.build({1, 3, 4});
  EXPECT_EQ(both.variables()[3].name(), "backward_way/lstm_cell/kernel");
}

// A layer that shifts by the mean of its batch and keeps that mean.
class Centre : public nn::Module {
 public:
  Centre() : Module("centre") {}
  std::string_view kind() const override { return "Centre"; }
  Variable kept;

 protected:
  void create_weights(const Shape& x) override {
    kept = add_weight("kept", {x[1]}, {.initializer = "zeros", .trainable = false});
  }
  Tensor call(const Tensor& x, const nn::Call& how) override {
    if (!how.training) return x - kept;
    const Tensor centre = mean(x, {0});
    kept.assign(centre);
    return x - centre;
  }
};

TEST(TimeDistributed, TakesStatisticsOfEachStep) {
  const nn::TimeDistributed layer(nn::layer<Centre>());
  const Tensor x = Tensor::from(std::vector<float>{1, 10, 3, 20}, {2, 2, 1});
  EXPECT_EQ(values(layer(x, true)), (std::vector<float>{-1, -5, 1, 5}));
  EXPECT_EQ(values(layer(x, false)), (std::vector<float>{-14, -5, -12, 5}));  // what the last step left
}

TEST(TimeDistributed, PassesInnerMasksOn) {
  const nn::TimeDistributed layer(nn::GRU(2));
  const Tensor x = numbers({2, 3, 4, 5}, 8);
  const Tensor mask = numbers({2, 3, 4}, 9) > 0.f;
  const Tensor y = layer(x, {.masks = {mask}});
  for (int64_t t = 0; t < 3; ++t) {
    auto at = [t](const Tensor& whole) { return squeeze(slice(whole, {{}, {t, t + 1}}), {1}); };
    expect_close(at(y), layer.module().modules()[0](at(x), {.masks = {at(mask)}}));
  }
}

TEST(Recurrent, SaysWhatIsWrong) {
  const Tensor x = ones({2, 3, 4});
  EXPECT_SAYS(invalid([] { nn::LSTM(0); }), "units is 0");
  EXPECT_SAYS(invalid([] { nn::LSTM(2, {.dropout = 1}); }), "a dropout rate is 1");
  EXPECT_SAYS(invalid([] { nn::GRU(2, {.recurrent_dropout = -0.1}); }), "a dropout rate is -0.1");
  EXPECT_SAYS(invalid([] { nn::LSTM(2, {.name = "m"})(ones({2, 3})); }), "[m] takes sequences");
  EXPECT_SAYS(invalid([] { nn::LSTM(2)(ones({2, 3, 4, 5})); }), "but got shape (2, 3, 4, 5)");
  EXPECT_SAYS(invalid([&] { nn::LSTM(2).call({x, ones({2, 2})}); }), "a sequence and 2 initial states, but got 2");
  EXPECT_SAYS(invalid([&] {
                nn::GRU(2).call({x, ones({2, 3})});
              }),
              "initial state 0 has shape (2, 3); for this sequence it is (2, 2)");
  EXPECT_SAYS(invalid([&] { nn::GRU(2)(x, {.masks = {ones({2, 3})}}); }), "the mask is float32");
  EXPECT_SAYS(invalid([&] {
                nn::GRU(2)(x, {.masks = {ones({3, 2}) > 0.f}});
              }),
              "the mask is bool of shape (3, 2); for this sequence it is bool of shape (2, 3)");
  const nn::GRU built(2);
  built(x);
  EXPECT_SAYS(invalid([&] { built(ones({2, 3, 5})); }), "was built for 4 features");

  EXPECT_SAYS(invalid([] { nn::RNN(nn::Dense(2)); }), "is a Dense, which is no cell");
  EXPECT_SAYS(invalid([] { nn::StackedRNNCells({}); }), "has no cells");
  EXPECT_SAYS(invalid([] { nn::StackedRNNCells({nn::Dense(2)}); }), "is a Dense, which is no cell");
  EXPECT_SAYS(invalid([] { nn::StackedRNNCells({nn::GRUCell(2)}).call({ones({1, 2})}); }), "an input and 1 states");
  EXPECT_SAYS(invalid([] { nn::LSTMCell(2).call({ones({1, 2})}); }), "an input and 2 states, but got 1");
  EXPECT_SAYS(invalid([] { nn::GRUCell(2).call({ones({1, 3, 2}), ones({1, 2})}); }), "of one time step");
  EXPECT_SAYS(invalid([] { nn::GRUCell(2).call({ones({1, 3}), ones({1, 3})}); }), "state 0 has shape (1, 3)");

  EXPECT_SAYS(invalid([] { nn::Bidirectional(nn::Dense(2)); }), "give it a recurrent layer");
  EXPECT_SAYS(invalid([] { nn::Bidirectional(nn::GRU(2), {.merge_mode = "add"}); }), "there is no merge_mode 'add'");
  EXPECT_SAYS(invalid([] { nn::Bidirectional(nn::GRU(2), {.backward_layer = nn::GRU(2)}); }), "both layers have");
  EXPECT_SAYS(invalid([] {
                nn::Bidirectional(nn::GRU(2),
                                  {.backward_layer = nn::GRU(2, {.return_sequences = true, .go_backwards = true})});
              }),
              "the layers differ in return_sequences");
  EXPECT_SAYS(invalid([&] {
                nn::Bidirectional(nn::GRU(2),
                                  {.merge_mode = "sum", .backward_layer = nn::GRU(3, {.go_backwards = true})})(x);
              }),
              "needs results of one shape, but they have (2, 2) and (2, 3)");
  EXPECT_SAYS(invalid([&] { nn::Bidirectional(nn::GRU(2)).call({x, ones({2, 2})}); }), "and 2 initial states");
  EXPECT_SAYS(invalid([] { nn::TimeDistributed(nn::Dense(2))(ones({2, 3})); }), "of rank 3 or more");
  EXPECT_SAYS(invalid([&] { nn::TimeDistributed(nn::Dense(2))(x, {.masks = {ones({2}) > 0.f}}); }),
              "a mask begins with (batch, time)");
  for (const char* kind : {"RNN", "Bidirectional", "TimeDistributed"})
    EXPECT_SAYS(invalid([&] { nn::layer_from_json(cat(R"({"class_name":")", kind, R"(","config":{}})")); }),
                "it needs the config of one");
}

TEST(Recurrent, StatefulLayersNeedAFixedBatch) {
  const nn::LSTM layer(2, {.stateful = true});
  layer(ones({2, 3, 4}));
  EXPECT_SAYS(invalid([&] { layer(ones({3, 3, 4})); }), "keeps states for batches of 2, but got 3");
  const nn::LSTM other(2, {.stateful = true});
  EXPECT_SAYS(invalid([&] { other(nn::Input({3, 4})); }), "is stateful and keeps states for batches of");
  const nn::Symbol x = nn::Input({3, 4}, {.batch_size = 2});
  const nn::Model model(x, nn::LSTM(2, {.stateful = true})(x));
  const Tensor first = model.call({ones({2, 3, 4})})[0], second = model.call({ones({2, 3, 4})})[0];
  EXPECT_NE(values(first), values(second));
  nn::reset_states(model);
  expect_equal(model.call({ones({2, 3, 4})})[0], first);
}

// Gives one tensor too few.
class Short : public nn::Cell {
 public:
  Short() : Cell("short") {}
  std::string_view kind() const override { return "Short"; }
  std::vector<int64_t> state_sizes() const override { return sizes; }
  std::vector<int64_t> sizes{2};

 protected:
  Tensors call_all(const Tensors& in, const nn::Call&) override { return {in[0]}; }
};

TEST(Recurrent, CellsMustGiveTheirStates) {
  EXPECT_SAYS(invalid([] { nn::RNN(nn::layer<Short>())(ones({1, 3, 2})); }), "must give its output and 1 states");
  auto none = std::make_shared<Short>();
  none->sizes.clear();
  EXPECT_SAYS(invalid([&] { nn::RNN{nn::Layer(none)}; }), "has no states");
}

}  // namespace
}  // namespace brio
