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

// What one of several outputs is judged by.
struct OutputOptions {
  Loss loss = {};  // none: this output has no part in the loss
  double loss_weight = 1;
  std::vector<Metric> metrics = {};
  std::vector<Metric> weighted_metrics = {};
};

// A step of one's own returns numbers by name, which the logs show: those of the last batch.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
using Step = std::function<NamedTensors(const train::Batch&)>;

struct CompileOptions {
  Optimizer optimizer = "rmsprop";
  Loss loss = {};
  std::vector<Metric> metrics = {};
  std::vector<Metric> weighted_metrics = {};  // these see the sample weights
  // Of a model of several outputs, in their order. Otherwise each has the loss above.
  std::vector<OutputOptions> outputs = {};
  bool auto_scale_loss = true;      // layers that compute in float16 get a LossScaleOptimizer around the optimizer
  int64_t steps_per_execution = 1;  // callbacks hear of batches once for so many
  // In place of forward pass, gradients and update; traced like them. `test` is what evaluate() does.
  Step train_step = {}, test_step = {};
};

struct ValidationData {
  train::TensorList x = {}, y = {}, sample_weight = {};
  std::optional<data::Dataset> dataset = {};  // in their place
};

using Callbacks = std::vector<std::shared_ptr<train::Callback>>;

struct FitOptions {
  int64_t epochs = 1;
  // "auto" tries sizes on the first steps and takes the one of the best throughput that fits the memory; the history
  // has the choice. Which it is follows from times: to have the same bits again, give the number.
  train::BatchSize batch_size = 32;
  // A batch is gone through in so many parts whose gradients are added up: the same step as the whole batch makes, in
  // the memory of a part. Only batch normalisation sees the difference, as it looks at each part by itself.
  int64_t accumulate = 1;
  double validation_split = 0;          // the last share of the rows is kept for validation
  ValidationData validation_data = {};  // goes before validation_split
  bool shuffle = true;                  // anew in each epoch
  int verbose = 1;                      // 0 nothing, 1 a bar, 2 a line per epoch
  int64_t initial_epoch = 0;
  train::TensorList sample_weight = {};
  std::map<int64_t, double> class_weight = {};  // samples of a class count so much; of others, 1
  std::optional<int64_t> steps_per_epoch = {};
  int64_t validation_batch_size = 0;  // 0: batch_size, or 32 where that is "auto"
  std::optional<int64_t> validation_steps = {};
  int64_t validation_freq = 1;  // in epochs
  // Bytes that the process may take; 0: what the machine, or its control group, has. What a step takes is known
  // before the first one: see step_memory.h.
  int64_t memory_limit = 0;
  train::OnMemory memory = train::OnMemory::say;
  // A loss or gradients that are not finite: a line says so and training goes on; or the step is left out and looked
  // into, and training stops or goes on.
  train::OnBadNumber on_bad_number = train::OnBadNumber::warn;
  Callbacks callbacks = {};
  // Says after the first minute and at the end what limits the run, what would help and by how much. What it tries
  // out at the end changes no result. `doctor_traces`: it may trace the model anew for that.
  bool doctor = false, doctor_traces = true;
  // The state of the run is kept in a directory; with `resume` a run that was cut off goes on from its last
  // checkpoint, and ends with the same bits as if it never had been. Where there is none it begins.
  train::CheckpointOptions checkpoint = {};
  bool resume = false;
  // SIGINT and SIGTERM end training after the step, with a checkpoint where there are any, and then the process, by
  // the same signal. False: fit returns, and History::stopped_by says which it was.
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
  bool include_optimizer = true;  // and what compile() was given
  std::string about = {};         // a text that goes with the model; about_model() reads it
};
struct LoadWeightsOptions {
  bool skip_mismatch = false;  // what does not fit stays as it is, with a line that says so
};

// A handle: copies share weights, optimizer and plans. Where a model has several inputs or outputs, x and y are
// lists: model.fit({a, b}, {u, v}).
class Model : public Layer {
 public:
  explicit Model(Layer layer);
  // Of a graph of layers; see functional.h.
  Model(const Symbol& input, const Symbol& output, std::string name = {});
  Model(std::vector<Symbol> inputs, std::vector<Symbol> outputs, std::string name = {});

  void compile(CompileOptions options) const;
  train::History fit(const train::TensorList& x, const train::TensorList& y, FitOptions options = {}) const;
  // From batches: of a dataset whose elements are (x, y) or (x, y, sample_weight), or of a source of one's own.
  // batch_size, shuffle, sample_weight and validation_split are their affair.
  train::History fit(const data::Dataset& batches, FitOptions options = {}) const;
  train::History fit(train::BatchSource& batches, FitOptions options = {}) const;
  // The loss, then the metrics in the order of compile().
  train::Logs evaluate(const train::TensorList& x, const train::TensorList& y, EvaluateOptions options = {}) const;
  train::Logs evaluate(const data::Dataset& batches, EvaluateOptions options = {}) const;
  train::Logs evaluate(train::BatchSource& batches, EvaluateOptions options = {}) const;
  Tensor predict(const train::TensorList& x, PredictOptions options = {}) const;
  Tensor predict(const data::Dataset& batches, PredictOptions options = {}) const;     // of x, whatever follows it
  Tensors predict_all(const train::TensorList& x, PredictOptions options = {}) const;  // of every output
  Tensors predict_all(const data::Dataset& batches, PredictOptions options = {}) const;

  // One step on one batch. Metrics add up until reset_metrics().
  train::Logs train_on_batch(const train::TensorList& x, const train::TensorList& y, BatchOptions options = {}) const;
  train::Logs test_on_batch(const train::TensorList& x, const train::TensorList& y, BatchOptions options = {}) const;
  Tensor predict_on_batch(const train::TensorList& x) const;
  void reset_metrics() const;
  // Threads that use one model take turns; whoever reads or sets its metrics in several calls takes one for them all.
  train::Turns& turns() const;

  // NAME.keras: the config, the weights, what compile() was given and the state of the optimizer. Keras loads it, the
  // Python door too, and load_model(). Files are written aside, synced and renamed, with a checksum.
  void save(const std::string& path, SaveOptions options = {}) const;
  // NAME.weights.h5, as Keras has it, or NAME.safetensors: weights and the state of the optimizer.
  void save_weights(const std::string& path, SaveOptions options = {}) const;
  // From these and from .keras files. All is compared first: a load that fails leaves the model as it was.
  void load_weights(const std::string& path, LoadWeightsOptions options = {}) const;

  bool compiled() const;
  Optimizer optimizer() const;  // of compile()
  const std::vector<Layer>& layers() const { return module_->modules(); }
  Layer get_layer(std::string_view name) const;  // throws InvalidArgument: the names that there are
  Layer get_layer(size_t index) const;

  std::string summary_text() const;
  void summary() const;  // to stdout

 private:
  std::unique_ptr<train::BatchSource> validation_source(const FitOptions& options) const;
  Tensor only_output(const Tensors& all) const;
  train::DatasetSource source_of(const data::Dataset& dataset, const char* caller, bool continues = false) const;
  std::shared_ptr<train::Trainer> trainer_;
};

// The same model with weights of its own, freshly made, and not compiled.
Model clone_model(const Model& model);
Model model_from_json(std::string_view json);

struct LoadModelOptions {
  bool compile = true;  // as it was compiled, with the optimizer where it stood
};
// The model of a .keras file, whoever wrote it. Throws InvalidArgument and formats::DataError.
Model load_model(const std::string& path, LoadModelOptions options = {});
// The text that save() was given to go with the model.
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
