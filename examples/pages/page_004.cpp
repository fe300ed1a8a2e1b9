// "Why does training slow down after 1500 iterations, with high RAM usage?": its three listings.
#include <cmath>

#include "listings.h"

using namespace brio;

struct Data {
  Tensor features = random::uniform({320, 4}, {.seed = 1});
  Tensor labels = sum(features, 1, true);
};

nn::Sequential small_model() { return nn::Sequential({nn::Dense(8, {.activation = "relu"}), nn::Dense(1)}); }
Tensor compute_loss(const Tensor& predictions, const Tensor& labels) { return mean(square(predictions - labels)); }

// 1: a loop of one's own over a pipeline. Its memory does not grow, whatever is left in it.
void loop_over_a_pipeline(const Data& data) {
  const data::Dataset batches =
      data::from_tensor_slices({data.features, data.labels}, data::Structure::named_tensors({"features", "labels"}))
          .shuffle(1000)
          .batch(32)
          .prefetch();
  const nn::Sequential model = small_model();
  const nn::Adam optimizer(0.01);
  std::vector<double> losses;
  for (int epoch = 0; epoch < 10; ++epoch) {
    data::Iterator iterator = batches.iterator();
    for (data::Item batch; iterator.next(batch);) {
      GradientTape tape;
      const Tensor loss = compute_loss(model(batch["features"]), batch["labels"]);
      optimizer.apply_gradients(tape.gradient(loss, model.trainable_variables()), model.trainable_variables());
      losses.push_back(loss.item<float>());
    }
  }
  expect(losses.size() == 100 && losses.back() < 0.5 * losses.front(), "the loop trains");
}

// 2: gradients of several small batches before each step: `accumulate` is that for a batch that memory does not hold.
void accumulate_gradients(const Data& data) {
  const auto trained = [&](int64_t parts) {
    set_random_seed(3);
    const nn::Sequential model = small_model();
    const nn::SGD optimizer(0.01);
    model.compile({.optimizer = optimizer, .loss = "mse"});
    model.fit(data.features, data.labels, {.epochs = 5, .batch_size = 80, .accumulate = parts, .verbose = 0});
    expect(optimizer.iterations().item<int64_t>() == 20, "a step for each batch, however many parts");
    return model.evaluate(data.features, data.labels, {.verbose = 0})["loss"];
  };
  const double whole = trained(1), in_parts = trained(8);
  expect(std::abs(in_parts - whole) < 1e-4 * whole, "parts come to what the whole batch does");
}

// 3: mixed precision: half the memory for what lies between the layers.
void train_in_mixed_precision(const Data& data) {
  nn::set_global_policy("mixed_float16");
  const nn::Sequential model = small_model();
  nn::set_global_policy("float32");
  model.compile({.optimizer = nn::Adam(0.01), .loss = "mse"});
  expect(falls(model.fit(data.features, data.labels, {.epochs = 10, .verbose = 2})["loss"]),
         "mixed precision trains");
  expect(model.layers()[0].module().policy().compute() == f16, "in float16");
}

int main() {
  set_random_seed(1);
  const Data data;
  loop_over_a_pipeline(data);
  accumulate_gradients(data);
  train_in_mixed_precision(data);
}
