// Layers: shapes, weights, sharing, lazy building, and what they say to wrong inputs.
#include "brio/nn/names.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

TEST(Dense, ComputesActivationOfProductAndBias) {
  const nn::Dense dense(2, {.activation = "relu", .bias_initializer = nn::constant_initializer(0.5)});
  const Tensor x({{1, 2, 3}, {-4, 5, -6}});
  const Tensor y = dense(x);
  ASSERT_EQ(y.shape(), Shape({2, 2}));
  EXPECT_EQ(dense.kernel().shape(), Shape({3, 2}));
  EXPECT_EQ(dense.bias().value().to_vector<float>(), (std::vector<float>{0.5, 0.5}));
  EXPECT_EQ(y.to_vector<float>(), relu(matmul(x, dense.kernel()) + Tensor({0.5, 0.5})).to_vector<float>());
  EXPECT_EQ(dense.count_params(), 8);
  EXPECT_EQ(dense.kernel().name(), dense.name() + "/kernel");
}

TEST(Dense, WithoutBias) {
  const nn::Dense dense(2, {.use_bias = false, .kernel_initializer = "ones"});
  EXPECT_EQ(dense(Tensor({{1, 2, 3}})).to_vector<float>(), (std::vector<float>{6, 6}));
  EXPECT_EQ(dense.variables().size(), 1u);
}

TEST(Dense, WorksOverTheLastOfManyAxes) {
  const nn::Dense dense(4);
  const Tensor x = random::normal({2, 3, 5}, {.seed = 1});
  const Tensor y = dense(x), rows = dense(reshape(x, {6, 5}));
  ASSERT_EQ(y.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(y.to_vector<float>(), rows.to_vector<float>());
}

TEST(Dense, CastsItsInput) {
  const nn::Dense dense(1, {.kernel_initializer = "ones"});
  EXPECT_EQ(dense(Tensor({{1, 2}}, i32)).item<float>(), 3);
  EXPECT_EQ(dense(Tensor({{1, 2}}, f64)).dtype(), f32);
  const nn::Dense wide(1, {.kernel_initializer = "ones", .dtype = f64});
  EXPECT_EQ(wide(Tensor({{1, 2}})).item<double>(), 3);
}

TEST(Dense, SaysWhatIsWrong) {
  EXPECT_SAYS(golden::invalid([] { nn::Dense(0); }), "units is 0");
  EXPECT_SAYS(golden::invalid([] { nn::Dense(3, {.activation = "sigmod"}); }), "did you mean 'sigmoid'?");
  EXPECT_SAYS(golden::invalid([] { nn::Dense(3, {.kernel_initializer = "he_norml"}); }), "did you mean 'he_normal'?");
  EXPECT_SAYS(golden::invalid([] { nn::Dense(3, {.dtype = i32}); }), "weights cannot be int32");
  const nn::Dense dense(3, {.name = "head"});
  EXPECT_SAYS(golden::invalid([&] { dense(Tensor({1, 2})); }), "[head] takes inputs of rank 2 or more");
  EXPECT_SAYS(golden::invalid([&] { dense(Tensor()); }), "[head] the input is none");
  EXPECT_SAYS(golden::invalid([&] { dense(Tensor(1)); }), "is a scalar");
  dense(zeros({1, 2}));
  EXPECT_SAYS(golden::invalid([&] {
                dense(zeros({1, 4}));
              }),
              "[head] was built for 2 features, but the input of shape (1, 4)");
}

TEST(Layer, CopiesShareTheirWeights) {
  const nn::Dense dense(2);
  const nn::Layer copy = dense;
  copy(zeros({1, 3}));
  EXPECT_TRUE(dense.built());
  EXPECT_EQ(dense.variables()[0], copy.variables()[0]);
  EXPECT_EQ(copy, dense);
}

TEST(Layer, NamesCountUp) {
  nn::reset_unique_names();
  EXPECT_EQ(nn::Dense(1).name(), "dense");
  EXPECT_EQ(nn::Dense(1).name(), "dense_1");
  EXPECT_EQ(nn::Dropout(0.5).name(), "dropout");
  EXPECT_EQ(nn::Flatten({.name = "flat"}).name(), "flat");
  EXPECT_EQ(nn::Flatten().name(), "flatten");
  EXPECT_EQ(nn::Sequential({nn::Dense(1)}).name(), "sequential");
}

TEST(Layer, BuildsWhileAFunctionIsTraced) {
  const nn::Dense dense(2);
  auto f = function([&](const Tensor& x) { return dense(x); });
  const Tensor x({{1, 2, 3}});
  const std::vector<float> traced = f(x).to_vector<float>();
  EXPECT_EQ(dense(x).to_vector<float>(), traced);
  EXPECT_EQ(f.traces(), 1u);
}

TEST(Flatten, KeepsTheBatch) {
  EXPECT_EQ(nn::Flatten()(zeros({2, 3, 4})).shape(), Shape({2, 12}));
  EXPECT_EQ(nn::Flatten()(zeros({2, 3})).shape(), Shape({2, 3}));
  EXPECT_EQ(nn::Flatten()(zeros({2})).shape(), Shape({2, 1}));
  EXPECT_EQ(nn::Flatten()(zeros({0, 3, 4})).shape(), Shape({0, 12}));
}

TEST(Dropout, DropsAShareAndKeepsTheMean) {
  const nn::Dropout dropout(0.25, {.seed = 3});
  const Tensor x = ones({100, 100});
  EXPECT_EQ(dropout(x).to_vector<float>(), x.to_vector<float>());  // not training
  size_t dropped = 0;
  double total = 0;
  for (float v : dropout(x, true).to_vector<float>()) {
    dropped += v == 0;
    total += v;
    EXPECT_TRUE(v == 0 || v == 1 / 0.75f);
  }
  EXPECT_NEAR(static_cast<double>(dropped), 2500, 250);
  EXPECT_NEAR(total / 10000, 1, 0.05);
}

TEST(Dropout, DrawsAnewEachTimeAndBySeed) {
  auto draws = [](uint64_t seed) {
    const nn::Dropout dropout(0.5, {.seed = seed});
    auto traced = function([&](const Tensor& x) { return dropout(x, true); });
    const Tensor x = ones({64});
    return std::vector{dropout(x, true).to_vector<float>(), traced(x).to_vector<float>(),
                       traced(x).to_vector<float>()};
  };
  const auto once = draws(1), again = draws(1), other = draws(2);
  EXPECT_EQ(once, again);
  EXPECT_NE(once[0], other[0]);
  EXPECT_NE(once[0], once[1]);
  EXPECT_NE(once[1], once[2]);
}

TEST(Dropout, EdgesAndErrors) {
  const Tensor x = ones({8});
  EXPECT_EQ(nn::Dropout(0)(x, true).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(nn::Dropout(1)(x, true).to_vector<float>(), std::vector<float>(8, 0));
  EXPECT_SAYS(golden::invalid([] { nn::Dropout(1.5); }), "the rate is 1.5");
}

TEST(Dropout, GradientPassesWhereItWasKept) {
  const nn::Dropout dropout(0.5, {.seed = 3});
  const Tensor x = ones({64});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = dropout(x, true);
  EXPECT_EQ(tape.gradient(y, {x})[0].to_vector<float>(), y.to_vector<float>());
}

// A module of one's own, with a weight and a module inside.
class Scaled : public nn::Module {
 public:
  explicit Scaled(int64_t units) : Module("scaled"), inner_(units) { add_module(inner_); }
  std::string_view kind() const override { return "Scaled"; }

 protected:
  void create_weights(const Shape& input) override {
    inner_.build(input);
    scale_ = add_weight("scale", {}, {.initializer = "ones"});
    count_ = add_weight("count", {}, {.initializer = "zeros", .trainable = false});
  }
  Tensor call(const Tensor& x, const nn::Call&) override { return inner_(x) * scale_.value(); }

 private:
  nn::Dense inner_;
  Variable scale_, count_;
};

TEST(Module, OfOnesOwn) {
  const nn::Sequential model({nn::Dense(4), nn::layer<Scaled>(2)});
  const Tensor y = model(zeros({3, 5}));
  EXPECT_EQ(y.shape(), Shape({3, 2}));
  EXPECT_EQ(model.variables().size(), 6u);
  EXPECT_EQ(model.trainable_variables().size(), 5u);
  EXPECT_EQ(model.non_trainable_variables().size(), 1u);
  EXPECT_EQ(model.count_params(), 5 * 4 + 4 + 4 * 2 + 2 + 1 + 1);
}

TEST(Module, SharedLayersCountOnce) {
  const nn::Dense shared(3);
  const nn::Sequential inner({shared});
  const nn::Sequential model({nn::Sequential({shared}), nn::Activation("relu"), nn::Sequential({shared})});
  model(zeros({1, 3}));
  EXPECT_EQ(model.variables().size(), 2u);
  EXPECT_EQ(inner.variables().size(), 2u);
}

}  // namespace
}  // namespace brio
