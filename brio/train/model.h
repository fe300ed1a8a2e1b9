// Models: a module with methods for training it. They are in namespace nn, with the layers that they are made from,
// and in this room because training may use nn, but nn may not use training.
//
//   nn::Sequential model({nn::Dense(64, {.activation = "relu"}), nn::Dense(1, {.activation = "sigmoid"})});
//   model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
//   auto history = model.fit(x, y, {.epochs = 10, .batch_size = 32, .validation_split = 0.1});
//   double last = history["val_loss"].back();
//   Tensor p = model.predict(x_new);
//
// A training step (forward, backward, update, metrics) is one plan, made at the first batch of a shape.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/functional.h"
#include "brio/nn/losses/loss.h"
#include "brio/nn/metrics/metric.h"
#include "brio/nn/module.h"
#include "brio/nn/optimizers/optimizer.h"
#include "brio/train/bad_numbers.h"
#include "brio/train/batch_source.h"
#include "brio/train/callback.h"
#include "brio/train/checkpoints.h"
#include "brio/train/dataset_source.h"
#include "brio/train/logs.h"
#include "brio/train/step_memory.h"

namespace brio::train {
class Trainer;
class Turns;
}  // namespace brio::train

namespace brio::nn {

// Loss and metrics for one of several outputs.
struct OutputOptions {
  Loss loss = {};  // none: this output does not count in the loss
  double loss_weight = 1;
  std::vector<Metric> metrics = {};
  std::vector<Metric> weighted_metrics = {};
};

// Your own step returns numbers by name, which the logs show: those of the last batch.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
using Step = std::function<NamedTensors(const train::Batch&)>;

struct CompileOptions {
  Optimizer optimizer = "rmsprop";
  Loss loss = {};
  std::vector<Metric> metrics = {};
  std::vector<Metric> weighted_metrics = {};  // these use the sample weights
  // For a model with several outputs, in their order. By default each output has the loss above.
  std::vector<OutputOptions> outputs = {};
  bool auto_scale_loss = true;      // puts a LossScaleOptimizer around the optimizer if layers compute in float16
  int64_t steps_per_execution = 1;  // batch callbacks are called once for so many steps
  // Replace forward pass, gradients and update, and are traced like them. evaluate() uses `test`.
  Step train_step = {}, test_step = {};
};

struct ValidationData {
  train::TensorList x = {}, y = {}, sample_weight = {};
  std::optional<data::Dataset> dataset = {};  // used instead of these
};

using Callbacks = std::vector<std::shared_ptr<train::Callback>>;

struct FitOptions {
  int64_t epochs = 1;
  // "auto" tries sizes on the first steps and takes the one with the best throughput that fits the memory; the
  // history has the choice. It depends on measured times: to get the same bits again, give the number.
  train::BatchSize batch_size = 32;
  // Splits a batch into so many parts and adds up their gradients: the same step as for the whole batch, in the
  // memory of a part. Only batch normalisation gives other results, because it sees each part separately.
  int64_t accumulate = 1;
  double validation_split = 0;          // the last share of the rows is held out for validation
  ValidationData validation_data = {};  // takes precedence over validation_split
  bool shuffle = true;                  // again in each epoch
  int verbose = 1;                      // 0 nothing, 1 a bar, 2 a line per epoch
  int64_t initial_epoch = 0;
  train::TensorList sample_weight = {};
  std::map<int64_t, double> class_weight = {};  // weight of the samples of a class; default 1
  std::optional<int64_t> steps_per_epoch = {};
  int64_t validation_batch_size = 0;  // 0: batch_size, or 32 if that is "auto"
  std::optional<int64_t> validation_steps = {};
  int64_t validation_freq = 1;  // in epochs
  // Bytes that the process may take; 0: what the machine, or its control group, has. The memory of a step is known
  // before the first one runs: see step_memory.h.
  int64_t memory_limit = 0;
  train::OnMemory memory = train::OnMemory::say;
  // What to do about a loss or gradients that are not finite. Either print a line and continue training, or leave the
  // step out and find the cause; training then stops or continues.
  train::OnBadNumber on_bad_number = train::OnBadNumber::warn;
  Callbacks callbacks = {};
  // Reports after the first minute and at the end what limits the run, what would help and by how much. The trials at
  // the end change no result. `doctor_traces`: they may trace the model again.
  bool doctor = false, doctor_traces = true;
  // Keeps the state of the run in a directory. With `resume`, a run that was cut off continues from its last
  // checkpoint and ends with the same bits as an uninterrupted run. Without a checkpoint the run starts.
  train::CheckpointOptions checkpoint = {};
  bool resume = false;
  // SIGINT and SIGTERM end training after the step, with a checkpoint if these are on, and then end the process by
  // the same signal. False: fit returns, and History::stopped_by names the signal.
  bool exit_on_signal = true;
};

struct EvaluateOptions {
  int64_t batch_size = 32;
  int verbose = 1;
  train::TensorList sample_weight = {};
  std::optional<int64_t> steps = {};
  Callbacks callbacks = {};
};

struct PredictOptions {
  int64_t batch_size = 32;
  int verbose = 1;  // 0 nothing, 1 a bar, 2 a line
  std::optional<int64_t> steps = {};
  Callbacks callbacks = {};
};

struct BatchOptions {
  train::TensorList sample_weight = {};
  std::map<int64_t, double> class_weight = {};
};

struct SaveOptions {
  bool overwrite = true;
  bool include_optimizer = true;  // and the arguments of compile()
  std::string about = {};         // a text to store with the model; about_model() reads it
};
struct LoadWeightsOptions {
  bool skip_mismatch = false;  // weights that do not fit stay unchanged; a line says so
};

// A handle: copies share weights, optimizer and plans. If a model has several inputs or outputs, x and y are lists:
// model.fit({a, b}, {u, v}).
class Model : public Layer {
 public:
  explicit Model(Layer layer);
  // From a graph of layers; see functional.h.
  Model(const Symbol& input, const Symbol& output, std::string name = {});
  Model(std::vector<Symbol> inputs, std::vector<Symbol> outputs, std::string name = {});

  void compile(CompileOptions options) const;
  train::History fit(const train::TensorList& x, const train::TensorList& y, FitOptions options = {}) const;
  // From batches: a dataset whose elements are (x, y) or (x, y, sample_weight), or your own source. batch_size,
  // shuffle, sample_weight and validation_split do not apply.
  train::History fit(const data::Dataset& batches, FitOptions options = {}) const;
  train::History fit(train::BatchSource& batches, FitOptions options = {}) const;
  // Returns the loss, then the metrics in the order of compile().
  train::Logs evaluate(const train::TensorList& x, const train::TensorList& y, EvaluateOptions options = {}) const;
  train::Logs evaluate(const data::Dataset& batches, EvaluateOptions options = {}) const;
  train::Logs evaluate(train::BatchSource& batches, EvaluateOptions options = {}) const;
  Tensor predict(const train::TensorList& x, PredictOptions options = {}) const;
  Tensor predict(const data::Dataset& batches, PredictOptions options = {}) const;     // of x; the rest is ignored
  Tensors predict_all(const train::TensorList& x, PredictOptions options = {}) const;  // of every output
  Tensors predict_all(const data::Dataset& batches, PredictOptions options = {}) const;

  // One step on one batch. Metrics accumulate until reset_metrics().
  train::Logs train_on_batch(const train::TensorList& x, const train::TensorList& y, BatchOptions options = {}) const;
  train::Logs test_on_batch(const train::TensorList& x, const train::TensorList& y, BatchOptions options = {}) const;
  Tensor predict_on_batch(const train::TensorList& x) const;
  void reset_metrics() const;
  // Threads that use one model take turns. Hold one turn to read or set its metrics in several calls.
  train::Turns& turns() const;

  // NAME.keras: the config, the weights, the arguments of compile() and the state of the optimizer. Keras, the Python
  // door and load_model() read it. Files are written under another name, synced and renamed, with a checksum.
  void save(const std::string& path, SaveOptions options = {}) const;
  // NAME.weights.h5, in Keras' format, or NAME.safetensors: weights and the state of the optimizer.
  void save_weights(const std::string& path, SaveOptions options = {}) const;
  // From these and from .keras files. Everything is compared first: a load that fails leaves the model unchanged.
  void load_weights(const std::string& path, LoadWeightsOptions options = {}) const;

  bool compiled() const;
  Optimizer optimizer() const;  // of compile()
  const std::vector<Layer>& layers() const { return module_->modules(); }
  Layer get_layer(std::string_view name) const;  // throws InvalidArgument with the existing names
  Layer get_layer(size_t index) const;

  std::string summary_text() const;
  void summary() const;  // to stdout

 private:
  std::unique_ptr<train::BatchSource> validation_source(const FitOptions& options) const;
  Tensor only_output(const Tensors& all) const;
  train::DatasetSource source_of(const data::Dataset& dataset, const char* caller, bool continues = false) const;
  std::shared_ptr<train::Trainer> trainer_;
};

// The same model with new weights of its own, not compiled.
Model clone_model(const Model& model);
Model model_from_json(std::string_view json);

struct LoadModelOptions {
  bool compile = true;  // as it was compiled, with the state of the optimizer
};
// The model in a .keras file, written by Brio or Keras. Throws InvalidArgument and formats::DataError.
Model load_model(const std::string& path, LoadModelOptions options = {});
// The text that was given to save().
std::string about_model(const std::string& path);

struct SequentialOptions {
  std::optional<Shape> input_shape = {};  // of one sample: the weights are made at once
  std::string name = {};
};

class Sequential : public Model {
 public:
  explicit Sequential(std::initializer_list<Layer> layers = {}, SequentialOptions options = {});
  explicit Sequential(std::vector<Layer> layers, SequentialOptions options = {});
  void add(Layer layer) const;
};

}  // namespace brio::nn
