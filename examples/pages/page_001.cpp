// "How can I speed up training?": its three listings. Threads and the read-ahead are there without being asked for;
// mixed precision is one line; separable convolutions are layers as any.
#include <brio/data/engine/sample.h>
#include <brio/formats/decode_picture.h>

#include <cstring>

#include "listings.h"

using namespace brio;

// 1: paths and labels become batches of pictures. Files are read and decoded by the pipeline's threads, after the
// shuffle, which is one of names.
data::Dataset pictures_of(const Pictures& pictures, int64_t batch_size) {
  const auto paths = std::make_shared<const std::vector<std::string>>(pictures.paths);
  const auto n = static_cast<int64_t>(paths->size());
  const data::Dataset numbered =
      data::zip({data::range(n), data::from_tensor_slices({Tensor::from(pictures.labels, {n})})});
  auto load = [paths](data::Sample& sample) {
    const std::string& path = (*paths)[static_cast<size_t>(*sample.read<int64_t>(0))];
    const Array pixels = formats::decode_picture(formats::read_file(path), {path}, {.channels = 3});
    std::memcpy(sample.write(0, pixels.aval), pixels.data(), pixels.aval.bytes());
    sample.pass(1, 1);
  };
  auto preprocess = [](const Tensor& picture, const Tensor& label) {
    return std::tuple(image::resize(picture, 224, 224) / 255.0, label);
  };
  return numbered.map(load, {.structure = data::Structure::tuple_of(2)})
      .map(preprocess)
      .shuffle(data::kAutotune)
      .batch(batch_size)
      .prefetch();
}

void make_an_input_pipeline(const Pictures& pictures) {
  int64_t seen = 0;
  data::Iterator batches = pictures_of(pictures, 32).iterator();
  for (data::Item item; batches.next(item);) {
    expect(item[0].shape() == Shape({item[1].shape()[0], 224, 224, 3}) && item[0].dtype() == f32, "a batch");
    seen += item[1].shape()[0];
  }
  expect(seen == static_cast<int64_t>(pictures.paths.size()), "every picture came once");
}

// 2: float16 for the work, float32 for the weights, and a loss that is scaled so that small gradients survive.
void train_in_mixed_precision() {
  nn::set_global_policy("mixed_float16");
  const nn::Sequential model({nn::Conv2D(32, {3}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                              nn::Dense(10, {.activation = "softmax"})},
                             {.input_shape = Shape{32, 32, 3}});
  nn::set_global_policy("float32");
  const nn::LossScaleOptimizer optimizer{nn::Adam()};
  const nn::CategoricalCrossentropy loss_of;
  const std::vector<Variable> weights = model.trainable_variables();
  auto train_step = function([&](const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    const Tensor loss = loss_of(labels, model(images));
    const std::vector<Tensor> scaled = tape.gradient(optimizer.get_scaled_loss(loss), weights);
    optimizer.apply_gradients(optimizer.get_unscaled_gradients(scaled), weights);
    return loss;
  });
  const Tensor images = random::uniform({4, 32, 32, 3}, {.seed = 3}), labels = one_hot(range(4), 10);
  std::vector<double> losses;
  for (int i = 0; i < 10; ++i) losses.push_back(cast(train_step(images, labels), f32).item<float>());
  expect(falls(losses), "mixed precision trains");
  expect(weights[0].dtype() == f32 && model(images).dtype() == f16, "weights are float32, results float16");
}

// 3: a convolution over each channel, then one over all channels of a point, in place of one over both.
void use_separable_convolutions() {
  const nn::Model model = models::separable_cnn({.input = {32, 32, 3}});
  const nn::Adam optimizer;
  const nn::CategoricalCrossentropy loss_of;
  const std::vector<Variable> weights = model.trainable_variables();
  auto train_step = function([&](const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    const Tensor loss = loss_of(labels, model(images));
    optimizer.apply_gradients(tape.gradient(loss, weights), weights);
    return loss;
  });
  const Tensor images = random::uniform({4, 32, 32, 3}, {.seed = 7}), labels = one_hot(range(4), 10);
  std::vector<double> losses;
  for (int i = 0; i < 10; ++i) losses.push_back(train_step(images, labels).item<float>());
  expect(falls(losses), "separable convolutions train");
}

int main() {
  set_random_seed(1);
  make_an_input_pipeline(Pictures());
  train_in_mixed_precision();
  use_separable_convolutions();
}
