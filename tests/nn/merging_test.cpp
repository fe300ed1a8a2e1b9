// Merging layers: functional forms, operators on symbols, masks of models, and what they say to wrong inputs.
#include "brio/nn/mask.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::invalid;

TEST(Merging, FunctionsOnTensors) {
  const Tensor a({{1, 5}}), b({{3, 2}});
  EXPECT_EQ(nn::add({a, b}).to_vector<float>(), (std::vector<float>{4, 7}));
  EXPECT_EQ(nn::subtract({a, b}).to_vector<float>(), (std::vector<float>{-2, 3}));
  EXPECT_EQ(nn::multiply({a, b}).to_vector<float>(), (std::vector<float>{3, 10}));
  EXPECT_EQ(nn::average({a, b}).to_vector<float>(), (std::vector<float>{2, 3.5}));
  EXPECT_EQ(nn::maximum({a, b}).to_vector<float>(), (std::vector<float>{3, 5}));
  EXPECT_EQ(nn::minimum({a, b}).to_vector<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(nn::concatenate({a, b}).to_vector<float>(), (std::vector<float>{1, 5, 3, 2}));
  EXPECT_EQ(nn::dot({a, b}).to_vector<float>(), (std::vector<float>{13}));
  EXPECT_EQ(nn::Add()({a}).to_vector<float>(), a.to_vector<float>());
}

TEST(Merging, DTypesAreJoined) {
  const auto joined = [](DType a, DType b) { return nn::add({zeros({1, 2}, a), zeros({1, 2}, b)}).dtype(); };
  EXPECT_EQ(joined(i64, f32), f32);
  EXPECT_EQ(joined(f16, bf16), f32);
  EXPECT_EQ(joined(u8, i8), i16);
  EXPECT_EQ(joined(i8, u32), i64);
  EXPECT_EQ(joined(boolean, u8), u8);
  EXPECT_EQ(nn::concatenate({zeros({1, 2}, i64), ones({1, 1})}).to_vector<float>(), (std::vector<float>{0, 0, 1}));
}

TEST(Merging, OperatorsOnSymbols) {
  const nn::Symbol a = nn::Input({2}), b = nn::Input({2});
  const std::vector<nn::Symbol> results{a + b, a - b, a * b, a / b, a + 1, a - 1, a * 2,
                                        a / 2, 1 + a, 1 - a, 2 * a, 2 / a, -a};
  const nn::Model model({a, b}, results);
  const nn::Tensors y = model.call({Tensor({{1, 2}}), Tensor({{4, 8}})});
  const std::vector<std::vector<float>> expected{{5, 10},  {-3, -6}, {4, 16}, {0.25, 0.25}, {2, 3}, {0, 1},  {2, 4},
                                                 {0.5, 1}, {2, 3},   {0, -1}, {2, 4},       {2, 1}, {-1, -2}};
  ASSERT_EQ(y.size(), expected.size());
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i].to_vector<float>(), expected[i]) << i;
}

TEST(Merging, FunctionsOnSymbols) {
  const nn::Symbol a = nn::Input({3}), b = nn::Input({4, 3});
  EXPECT_EQ(nn::add({a, b}).spec().str(), "(None, 4, 3)");
  EXPECT_EQ(nn::subtract({a, b}).spec().str(), "(None, 4, 3)");
  EXPECT_EQ(nn::multiply({a, b}).spec().str(), "(None, 4, 3)");
  EXPECT_EQ(nn::average({a, b}).spec().str(), "(None, 4, 3)");
  EXPECT_EQ(nn::maximum({a, b}).spec().str(), "(None, 4, 3)");
  EXPECT_EQ(nn::minimum({a, b}).spec().str(), "(None, 4, 3)");
  EXPECT_EQ(nn::concatenate({b, b}, {.axis = 1}).spec().str(), "(None, 8, 3)");
  EXPECT_EQ(nn::dot({a, b}, {1, 2}).spec().str(), "(None, 4)");
}

TEST(Merging, AModelWithABranchTrainsAndIsWritten) {
  set_random_seed(1);
  const nn::Symbol x = nn::Input({4});
  const nn::Symbol h = nn::Dense(4, {.activation = "relu"})(x);
  const nn::Model model(x, nn::Dense(1)(nn::concatenate({h + x, nn::BatchNormalization()(h)})));
  const Tensor data = random::normal({64, 4}, {.seed = 1}), y = sum(data, 1, true);
  model.compile({.optimizer = nn::Adam(0.02), .loss = "mse"});
  const train::History history = model.fit(data, y, {.epochs = 20, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front() / 4);
  const nn::Model again = nn::model_from_json(nn::to_json(model));
  again.set_weights(model.get_weights());
  EXPECT_EQ(again.predict(data).to_vector<float>(), model.predict(data).to_vector<float>());
}

TEST(Merging, MasksComeFromEmbeddings) {
  const nn::Symbol a = nn::Input({3}, {.dtype = i32}), b = nn::Input({3}, {.dtype = i32});
  const nn::Embedding words(5, 2, {.mask_zero = true});
  const nn::Model model({a, b}, {nn::add({words(a), words(b)})});
  const Tensor y = model.call({Tensor({{1, 0, 0}}, i32), Tensor({{2, 3, 0}}, i32)})[0];
  ASSERT_TRUE(nn::mask_of(y).defined());
  EXPECT_EQ(cast(nn::mask_of(y), i32).to_vector<int32_t>(), (std::vector<int32_t>{1, 1, 0}));
}

TEST(Merging, SaysWhatIsWrong) {
  const nn::Add add({.name = "sum"});
  EXPECT_SAYS(invalid([&] {
                add({zeros({2, 3}), zeros({3, 3})});
              }),
              "[sum] the inputs have batches of different sizes: (2, 3), (3, 3)");
  EXPECT_SAYS(invalid([&] {
                add({zeros({2, 3}), zeros({2, 4})});
              }),
              "[sum] inputs of these shapes do not broadcast: (2, 3), (2, 4)");
  EXPECT_SAYS(invalid([&] { add({zeros({2, 3}), Tensor(1)}); }), "[sum] an input is a scalar");
  EXPECT_SAYS(invalid([] {
                nn::subtract({zeros({2}), zeros({2}), zeros({2})}, {.name = "difference"});
              }),
              "[difference] takes 2 inputs, but got 3");
  EXPECT_SAYS(invalid([] { nn::subtract({zeros({2})}, {.name = "difference"}); }), "takes 2 inputs, but got 1");
  EXPECT_SAYS(invalid([] {
                nn::concatenate({zeros({2, 3}), zeros({3, 3})}, {.name = "join"});
              }),
              "[join] inputs must have the same shape except along axis -1");
  EXPECT_SAYS(invalid([] { nn::concatenate({zeros({2, 3}), zeros({2})}, {.name = "join"}); }), "(2, 3), (2,)");
  EXPECT_SAYS(invalid([] { nn::concatenate({zeros({2, 3})}, {.axis = 2, .name = "join"}); }), "[join] axis 2");
}

TEST(Dot, SaysWhatIsWrong) {
  EXPECT_SAYS(invalid([] { nn::Dot({}, {.name = "dot"}); }), "[dot] axes has 0 elements");
  EXPECT_SAYS(invalid([] { nn::Dot({1, 2, 1}, {.name = "dot"}); }), "[dot] axes has 3 elements");
  const nn::Dot dot({1}, {.name = "dot"});
  EXPECT_SAYS(invalid([&] { dot({zeros({2, 3})}); }), "[dot] takes 2 inputs, but got 1");
  EXPECT_SAYS(invalid([&] { dot({zeros({2}), zeros({2, 3})}); }), "[dot] takes inputs of rank 2 or more");
  EXPECT_SAYS(invalid([&] {
                dot({zeros({2, 3}), zeros({2, 4})});
              }),
              "the same size along axes 1 and 1, but have (2, 3), (2, 4)");
  EXPECT_SAYS(invalid([] { nn::dot({zeros({2, 3}), zeros({2, 3})}, {0}); }), "sums over axis 0, the batch");
  EXPECT_SAYS(invalid([&] { dot({zeros({1, 1, 1, 1, 1, 1}), zeros({1, 1, 1, 1, 1, 1})}); }), "more than 8 axes");
}

}  // namespace
}  // namespace brio
