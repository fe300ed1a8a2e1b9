#include "brio/cli/network.h"

#include <algorithm>
#include <cmath>

#include "brio/base/error.h"
#include "brio/brio.h"
#include "brio/cli/arguments.h"
#include "brio/nn/functional.h"

namespace brio::cli {
namespace {

// What pictures go through first: pixels to -1 … 1, changed a little while training. Writing is not mirrored.
std::vector<nn::Layer> first_layers(const Job& job) {
  const bool grey = job.shape.back() == 1;
  std::vector<nn::Layer> layers = {nn::Rescaling(1 / 127.5, {.offset = -1})};
  if (!grey) layers.push_back(nn::RandomFlip("horizontal"));
  const double shift = grey ? 0.07 : 0.1;
  layers.push_back(nn::RandomTranslation({shift}, {shift}));
  layers.push_back(nn::RandomRotation({grey ? 0.03 : 0.05}));
  layers.push_back(nn::RandomZoom({grey ? 0.07 : 0.2}));
  return layers;
}

nn::Model small_network(const Job& job) {
  std::vector<nn::Layer> layers = {nn::InputLayer(job.shape)};
  for (nn::Layer& layer : first_layers(job)) layers.push_back(std::move(layer));
  int64_t side = std::min(job.shape[0], job.shape[1]);
  for (const int64_t filters : {32, 64, 128, 192}) {
    layers.push_back(nn::Conv2D(filters, {3}, {.padding = "same", .use_bias = false}));
    layers.push_back(nn::BatchNormalization({.momentum = 0.9}));  // sets are often small: few steps an epoch
    layers.push_back(nn::Activation("relu"));
    if (side >= 4) layers.push_back(nn::MaxPooling2D());
    side /= 2;
  }
  layers.push_back(nn::GlobalAveragePooling2D());
  layers.push_back(nn::Dropout(0.3));
  layers.push_back(nn::Dense(static_cast<int64_t>(job.classes.size()), {.activation = "softmax"}));
  return nn::Sequential(std::move(layers), {.name = "cnn"});
}

nn::Model around(const Job& job, const nn::Model& network) {
  const nn::Symbol picture = nn::Input(job.shape);
  nn::Symbol x = picture;
  for (const nn::Layer& layer : first_layers(job)) x = layer(x);
  return {picture, network(x), network.name() + "_classifier"};
}

// A column that never changes in training, such as that of categories which are yet to come, stays as it is.
nn::Layer normalization_of(const Tensor& x) {
  const int64_t rows = x.shape()[0], columns = x.shape()[1];
  const float* cells = x.array().as<float>();
  std::vector<double> means, variances;
  for (int64_t column = 0; column < columns; ++column) {
    double sum = 0, squares = 0;
    for (int64_t row = 0; row < rows; ++row) sum += static_cast<double>(cells[row * columns + column]);
    const double mean = sum / static_cast<double>(rows);
    for (int64_t row = 0; row < rows; ++row)
      squares += std::pow(static_cast<double>(cells[row * columns + column]) - mean, 2);
    means.push_back(mean);
    variances.push_back(squares > 0 ? squares / static_cast<double>(rows) : 1);
  }
  return nn::Normalization({.mean = std::move(means), .variance = std::move(variances)});
}

nn::Model table_network(const Job& job) {
  const nn::Layer normalized = normalization_of(job.x);
  const nn::Layer last =
      job.classes.empty() ? nn::Layer(nn::Dense(1))
                          : nn::Layer(nn::Dense(static_cast<int64_t>(job.classes.size()), {.activation = "softmax"}));
  std::vector<nn::Layer> layers = {nn::InputLayer(job.shape),
                                   normalized,
                                   nn::Dense(64, {.activation = "relu"}),
                                   nn::Dropout(0.1),
                                   nn::Dense(64, {.activation = "relu"}),
                                   nn::Dropout(0.1),
                                   last};
  // Values come out in their own units.
  if (job.classes.empty()) layers.push_back(nn::Rescaling(job.scale, {.offset = job.mean}));
  return nn::Sequential(std::move(layers), {.name = "mlp"});
}

// What is added to the last value: a network that learns nothing says that all stays as it is.
nn::Model series_network(const Job& job) {
  const int64_t window = job.shape[0];
  const nn::Symbol values = nn::Input({window});
  const nn::Symbol x =
      nn::Normalization({.axis = {}, .mean = {job.mean}, .variance = {job.scale * job.scale}})(values);
  nn::Symbol h = nn::Dense(64, {.activation = "relu"})(x);
  h = nn::Dense(64, {.activation = "relu"})(h);
  const nn::Symbol change = nn::Dense(job.outputs, {.kernel_initializer = "zeros"})(h);
  nn::Symbol last = nn::Reshape({static_cast<int>(window), 1})(x);
  last = nn::Flatten()(nn::Cropping1D(std::vector<Padding>{{window - 1, 0}})(last));
  const nn::Symbol sum = nn::Add()(std::vector<nn::Symbol>{change, last});
  return {values, nn::Rescaling(job.scale, {.offset = job.mean})(sum), "forecaster"};
}

}  // namespace

Network make_network(const std::string& name, const Job& job) {
  const bool table = job.kind == "table";
  if (name.ends_with(".keras")) {
    nn::Model model = nn::load_model(name, {.compile = false});
    std::vector<int64_t> sample(job.shape);
    sample.insert(sample.begin(), 1);
    Shape result;
    try {
      result = model.output_shape(Shape(sample));
    } catch (const Error& error) {
      throw Misuse(
          cat("the model of ", name, " does not take samples of shape ", Shape(job.shape), ": ", error.what()));
    }
    const auto wanted = job.classes.empty() ? job.outputs : static_cast<int64_t>(job.classes.size());
    if (result.rank() != 2 || result[1] != wanted)
      throw Misuse(cat("the model of ", name, " gives ", result, ", but there ",
                       job.classes.empty() ? cat("are ", wanted, " values") : cat("are ", wanted, " classes"),
                       " to predict"));
    return {model, name, 3e-4};
  }
  if (job.kind == "series") {
    if (!name.empty() && name != "mlp")
      throw Misuse(cat("--model is ", name, "; for a forecast it is mlp or a .keras file"));
    return {series_network(job), "forecaster", 1e-3};
  }
  if (table) {
    if (!name.empty() && name != "mlp")
      throw Misuse(cat("--model is ", name, "; for a table it is mlp or a .keras file"));
    return {table_network(job), "mlp", 3e-3};
  }
  const auto classes = static_cast<int64_t>(job.classes.size());
  if (name.empty() || name == "cnn") return {small_network(job), "cnn", 3e-3};
  if (name == "separable")
    return {around(job, models::separable_cnn({.input = job.shape, .classes = classes})), name, 1e-3};
  if (name == "resnet18")
    return {around(job, models::resnet18({.input = job.shape, .classes = classes})), name, 1e-3};
  if (name == "mobilenet")
    return {around(job, models::mobilenet_v2({.input = job.shape, .classes = classes})), name, 1e-3};
  throw Misuse(cat("--model is ", name, "; it is cnn, separable, resnet18, mobilenet or a .keras file"));
}

void compile(const Network& network, const Job& job, int64_t steps) {
  const int64_t warm = std::max<int64_t>(1, steps / 20);
  const nn::AdamW optimizer(nn::CosineDecay({.initial_learning_rate = network.rate / 20,
                                             .decay_steps = std::max<int64_t>(1, steps - warm),
                                             .alpha = 0.01,
                                             .warmup_target = network.rate,
                                             .warmup_steps = warm}),
                            {.weight_decay = 0.05});
  if (job.classes.empty()) network.model.compile({.optimizer = optimizer, .loss = "mse", .metrics = {"mae"}});
  else
    network.model.compile(
        {.optimizer = optimizer, .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
}

}  // namespace brio::cli
