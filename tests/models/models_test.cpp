// The networks of brio/models: as many parameters as their authors say, and they learn.
#include "brio/models/models.h"

#include "tests/nn/golden_values.h"

namespace brio {
namespace {

int64_t trainable(const nn::Model& model) {
  int64_t count = 0;
  for (const Variable& v : model.trainable_variables()) count += v.shape().elements();
  return count;
}

TEST(Models, HaveThePublishedNumberOfParameters) {
  EXPECT_EQ(models::lenet5().count_params(), 61'706);
  EXPECT_EQ(models::small_cnn().count_params(), 34'826);         // Keras' "Simple MNIST convnet"
  EXPECT_EQ(models::separable_cnn().count_params(), 2'010'378);  // counted by Keras
  EXPECT_EQ(trainable(models::resnet18()), 11'689'512);          // torchvision
  EXPECT_EQ(trainable(models::resnet50()), 25'557'032);          // torchvision
  EXPECT_EQ(models::mobilenet_v2().count_params(), 3'538'984);   // keras.applications
  EXPECT_EQ(models::lstm_forecaster().count_params(), 5'153);    // Keras' weather forecast
  EXPECT_EQ(models::vit().count_params(), 5'717'416);            // timm, vit_tiny_patch16_224
}

TEST(Models, Gpt2HasItsParameters) {
  // 124,439,808 for GPT-2 small, of which this one has a twelfth of the blocks and of the words.
  const int64_t width = 768, block = 12 * width * width + 13 * width, words = 4000;
  const nn::Model small = models::gpt2({.vocabulary = words, .depth = 1});
  EXPECT_EQ(small.count_params(), words * width + 1024 * width + block + 2 * width);
  EXPECT_EQ(50257 * width + 1024 * width + 12 * block + 2 * width, 124'439'808);
}

// A few steps on one batch lower the loss.
void expect_learns(const nn::Model& model, const Tensor& x, const Tensor& y, const nn::Loss& loss, int steps = 6) {
  model.compile({.optimizer = nn::Adam(2e-3), .loss = loss});
  const auto history = model.fit(x, y, {.epochs = steps, .batch_size = x.shape()[0], .shuffle = false, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front()) << model.name();
}

TEST(Models, Learn) {
  set_random_seed(1);
  auto pictures = [](int64_t size, int64_t channels) {
    return random::normal({4, size, size, channels}, {.seed = 1});
  };
  const Tensor labels({0, 1, 2, 3}, i32);
  const nn::Loss loss = "sparse_categorical_crossentropy";
  expect_learns(models::lenet5(), pictures(32, 1), labels, loss);
  expect_learns(models::small_cnn(), pictures(28, 1), labels, loss);
  expect_learns(models::separable_cnn({.input = {32, 32, 3}}), pictures(32, 3), labels, loss);
  expect_learns(models::resnet18({.input = {32, 32, 3}, .classes = 4}), pictures(32, 3), labels, loss);
  expect_learns(models::mobilenet_v2({.input = {32, 32, 3}, .classes = 4}), pictures(32, 3), labels, loss);
  expect_learns(models::vit({.image = 32, .patch = 8, .classes = 4, .width = 24, .depth = 2}), pictures(32, 3),
                labels, loss);
  expect_learns(models::lstm_forecaster({.steps = 12, .features = 3, .units = 8}),
                random::normal({8, 12, 3}, {.seed = 1}), random::normal({8, 1}, {.seed = 2}), "mse");
}

TEST(Models, Gpt2LearnsASequence) {
  set_random_seed(1);
  const nn::Model model =
      models::gpt2({.vocabulary = 11, .context = 16, .width = 24, .depth = 2, .heads = 3, .dropout = 0});
  std::vector<int32_t> text(2 * 17);
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<int32_t>((i * i) % 11);
  const Tensor all = Tensor::from(text, {2, 17});
  const Tensor x = slice(all, {{0, 2}, {0, 16}}), y = slice(all, {{0, 2}, {1, 17}});
  expect_learns(model, x, y, nn::SparseCategoricalCrossentropy({.from_logits = true}), 20);
  // A word changes nothing before it.
  const Tensor before = model(x);
  std::vector<int32_t> changed = x.to_vector<int32_t>();
  changed[10] = (changed[10] + 1) % 11;
  const Tensor after = model(Tensor::from(changed, {2, 16}));
  const std::vector<float> a = slice(before, {{0, 1}, {0, 10}, {0, 11}}).to_vector<float>();
  const std::vector<float> b = slice(after, {{0, 1}, {0, 10}, {0, 11}}).to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5);
}

TEST(Models, SayWhatCannotBe) {
  EXPECT_SAYS(golden::invalid([] { models::vit({.image = 30}); }), "must tile a picture of 30");
  EXPECT_SAYS(golden::invalid([] { models::gpt2({.heads = 5}); }), "5 heads must share a width of 768");
  const nn::Model model = models::gpt2({.vocabulary = 5, .context = 4, .width = 8, .depth = 1, .heads = 2});
  EXPECT_SAYS(golden::invalid([&] { model(zeros({1, 5}, i32)); }), "at most 4 steps of time");
}

}  // namespace
}  // namespace brio
