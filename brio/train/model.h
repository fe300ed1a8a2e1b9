// Models: a module with the ways to train it. They live in namespace nn, beside the layers that they are made of, and
// in this room because training is to the right of nn.
//
//   nn::Sequential model({nn::Dense(64, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})});
//   model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
//   auto history = model.fit(x, y, {.epochs = 10, .batch_size = 32, .validation_split = 0.1});
//   double last = history["val_loss"].back();
//   Tensor p = model.predict(x_new);
//
// A training step (forward, backward, update, metrics) is one plan, made at the first batch of a shape.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/loss.h"
#include "brio/nn/metric.h"
#include "brio/nn/module.h"
#include "brio/nn/optimizer.h"
#include "brio/train/batch_source.h"
#include "brio/train/callback.h"
#include "brio/train/logs.h"

namespace brio::train {
class Trainer;
}

namespace brio::nn {

struct CompileOptions {
  Optimizer optimizer = "rmsprop";
  Loss loss = {};
  std::vector<Metric> metrics = {};
  std::vector<Metric> weighted_metrics = {};  // these see the sample weights
};

struct ValidationData {
  Tensor x = {}, y = {}, sample_weight = {};
};

using Callbacks = std::vector<std::shared_ptr<train::Callback>>;

struct FitOptions {
  int64_t epochs = 1;
  int64_t batch_size = 32;
  double validation_split = 0;          // the last share of the rows is kept for validation
  ValidationData validation_data = {};  // goes before validation_split
  bool shuffle = true;                  // anew in each epoch
  int verbose = 1;                      // 0 nothing, 1 a bar, 2 a line per epoch
  int64_t initial_epoch = 0;
  Tensor sample_weight = {};
  std::optional<int64_t> steps_per_epoch = {};
  int64_t validation_batch_size = 0;  // 0: batch_size
  int64_t validation_freq = 1;        // in epochs
  bool stop_at_nan = true;            // a loss that is not finite is an error
  Callbacks callbacks = {};
};

struct EvaluateOptions {
  int64_t batch_size = 32;
  int verbose = 1;
  Tensor sample_weight = {};
  std::optional<int64_t> steps = {};
  Callbacks callbacks = {};
};

struct PredictOptions {
  int64_t batch_size = 32;
};

// A handle: copies share weights, optimizer and plans.
class Model : public Layer {
 public:
  explicit Model(Layer layer);

  void compile(CompileOptions options) const;
  train::History fit(const Tensor& x, const Tensor& y, FitOptions options = {}) const;
  // From a source of batches; batch_size, shuffle, sample_weight and validation_split are the source's affair.
  train::History fit(train::BatchSource& batches, FitOptions options = {}) const;
  // The loss, then the metrics in the order of compile().
  train::Logs evaluate(const Tensor& x, const Tensor& y, EvaluateOptions options = {}) const;
  train::Logs evaluate(train::BatchSource& batches, EvaluateOptions options = {}) const;
  Tensor predict(const Tensor& x, PredictOptions options = {}) const;

  Optimizer optimizer() const;  // of compile()
  std::vector<Tensor> get_weights() const;
  void set_weights(const std::vector<Tensor>& weights) const;

  std::string summary_text() const;
  void summary() const;  // to stdout

 private:
  std::shared_ptr<train::Trainer> trainer_;
};

struct SequentialOptions {
  std::optional<Shape> input_shape = {};  // of one sample: the weights are made at once
  std::string name = {};
};

class Sequential : public Model {
 public:
  explicit Sequential(std::initializer_list<Layer> layers = {}, SequentialOptions options = {});
  explicit Sequential(std::vector<Layer> layers, SequentialOptions options = {});
  void add(Layer layer) const;
  const std::vector<Layer>& layers() const { return module_->modules(); }
};

}  // namespace brio::nn
