// "Why is my model training so slow in Python 3.5?": its three listings. The host language describes the work, and
// that is all it does, so its age does not matter.
#include "listings.h"

using namespace brio;

struct Data {
  Tensor x = random::uniform({2000, 100}, {.seed = 1});
  Tensor y = cast(sum(x, 1, true) > 50.f, f32);
};

nn::Sequential small_model() {
  return nn::Sequential({nn::Dense(64, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})},
                        {.input_shape = Shape{100}});
}

// 1: fit, as in examples/mlp.cpp; the batch size is found by itself.
void train_a_basic_model(const Data& data) {
  const nn::Sequential model = small_model();
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  const train::History history = model.fit(data.x, data.y, {.epochs = 10, .batch_size = "auto", .verbose = 2});
  expect(falls(history["loss"]), "fit lowers the loss");
  expect(history.batch_choice->batch_size >= 32, "a batch size was chosen");
}

// 2: a training step as a function: recorded once, then only run.
void use_a_function(const Data& data) {
  const nn::Sequential model = small_model();
  const nn::Adam optimizer;
  const nn::BinaryCrossentropy loss_of;
  auto train_step = function([&](const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    const Tensor loss = loss_of(labels, model(images));
    optimizer.apply_gradients(tape.gradient(loss, model.trainable_variables()), model.trainable_variables());
  });
  const auto before = loss_of(data.y, model(data.x)).item<float>();
  data::Iterator batches = data::from_tensor_slices({data.x, data.y}).batch(50).repeat(10).iterator();
  for (data::Item item; batches.next(item);) train_step(item[0], item[1]);
  expect(loss_of(data.y, model(data.x)).item<float>() < 0.9f * before, "the function trains");
  expect(train_step.traces() == 1, "and was recorded once");
}

// 3: batches from a dataset that works ahead.
void feed_a_dataset(const Data& data) {
  const Tensor standard = (data.x - mean(data.x)) / sqrt(variance(data.x));
  const data::Dataset batches = data::from_tensor_slices({standard, data.y}).batch(32).prefetch();
  const nn::Sequential model = small_model();
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  expect(falls(model.fit(batches, {.epochs = 5, .verbose = 2})["loss"]), "fit takes a dataset");
}

int main() {
  set_random_seed(1);
  const Data data;
  train_a_basic_model(data);
  use_a_function(data);
  feed_a_dataset(data);
}
