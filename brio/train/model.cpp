#include "brio/train/model.h"

#include <cmath>
#include <iostream>

#include "brio/base/error.h"
#include "brio/nn/chain.h"
#include "brio/nn/config.h"
#include "brio/nn/names.h"
#include "brio/nn/summary.h"
#include "brio/ops/random/random.h"
#include "brio/train/auto_batch.h"
#include "brio/train/trainer.h"

namespace brio::nn {
namespace {

constexpr int64_t kUsualBatch = 32;  // if it is not chosen yet

std::optional<Generator::State> shuffle_state(const FitOptions& options) {
  if (!options.shuffle) return {};
  return random::generator().advance(static_cast<uint64_t>(std::max<int64_t>(options.epochs, 1)));
}

train::TensorList rows_of(const train::TensorList& all, int64_t begin, int64_t end) {
  train::TensorList rows;
  for (const Tensor& x : all) rows.push_back(train::row_range(x, begin, end));
  return rows;
}

}  // namespace

Model::Model(Layer layer) : Layer(std::move(layer)), trainer_(std::make_shared<train::Trainer>(module_)) {}

Model::Model(std::vector<Symbol> inputs, std::vector<Symbol> outputs, std::string name)
    : Model(Layer(std::make_shared<FunctionalModule>(std::move(inputs), std::move(outputs), std::move(name)))) {}
Model::Model(const Symbol& input, const Symbol& output, std::string name)
    : Model(std::vector<Symbol>{input}, std::vector<Symbol>{output}, std::move(name)) {}

Model clone_model(const Model& model) { return Model(clone(model)); }
Model model_from_json(std::string_view json) { return Model(layer_from_json(json)); }

void Model::compile(CompileOptions options) const { trainer_->compile(std::move(options)); }

train::History Model::fit(const train::TensorList& x, const train::TensorList& y, FitOptions options) const {
  trainer_->require_compiled("fit");
  if (!(options.validation_split >= 0 && options.validation_split < 1))
    throw InvalidArgument(cat("[fit] validation_split is ", options.validation_split, "; it lies in [0, 1)"));
  // Made first for its checks: afterwards all row counts agree.
  const int64_t batch_size = options.batch_size.rows_or(kUsualBatch);
  train::ArraySource whole(x, y, options.sample_weight, {.batch_size = batch_size});
  int64_t rows = whole.rows();
  const ValidationData& given = options.validation_data;
  if (given.x.empty() && !given.dataset && options.validation_split > 0) {
    const int64_t all = rows;
    rows = static_cast<int64_t>(std::floor(static_cast<double>(all) * (1 - options.validation_split)));
    if (rows == 0 || rows == all)
      throw InvalidArgument(cat("[fit] ", all,
                                " rows cannot be split by validation_split = ", options.validation_split,
                                ": one of the parts would be empty; give more rows or another share"));
    options.validation_data = {
        rows_of(x, rows, all), rows_of(y, rows, all), rows_of(options.sample_weight, rows, all), {}};
  }
  train::ArraySource batches(rows_of(x, 0, rows), rows_of(y, 0, rows), rows_of(options.sample_weight, 0, rows),
                             {.batch_size = batch_size,
                              .shuffle = shuffle_state(options),
                              .continues = options.steps_per_epoch.has_value()});
  const auto validation = validation_source(options);
  if (!options.batch_size.automatic()) return trainer_->fit(batches, validation.get(), options);
  if (options.accumulate > 1)
    throw InvalidArgument(cat("[fit] batch_size is \"auto\" beside accumulate = ", options.accumulate,
                              ", which is for batches of a size that you want; give that size"));
  if (!options.checkpoint.directory.empty())
    throw InvalidArgument(
        "[fit] batch_size is \"auto\", which follows from times: a run could not go on with the same bits; with "
        "checkpoints "
        "give the size");
  train::AutoBatchSource searching(batches);
  return trainer_->fit(searching, validation.get(), options);
}

train::History Model::fit(train::BatchSource& batches, FitOptions options) const {
  trainer_->require_compiled("fit");
  if (options.validation_split != 0)
    throw InvalidArgument("[fit] validation_split cannot cut a source of batches; give validation_data");
  if (options.batch_size.automatic())
    throw InvalidArgument(
        "[fit] batch_size = \"auto\" cuts tensors into batches; those of a dataset are cut already: leave batch_size "
        "out and choose the size in its batch(), or give fit the tensors x and y");
  return trainer_->fit(batches, validation_source(options).get(), options);
}

train::History Model::fit(const data::Dataset& batches, FitOptions options) const {
  train::DatasetSource source = source_of(batches, "fit", options.steps_per_epoch.has_value());
  return fit(source, std::move(options));
}

// The data in validation_data; null: none.
std::unique_ptr<train::BatchSource> Model::validation_source(const FitOptions& options) const {
  const ValidationData& held = options.validation_data;
  if (held.dataset) return std::make_unique<train::DatasetSource>(source_of(*held.dataset, "fit"));
  if (held.x.empty()) return nullptr;
  return std::make_unique<train::ArraySource>(
      held.x, held.y, held.sample_weight,
      train::ArraySourceOptions{.batch_size = options.validation_batch_size > 0
                                                  ? options.validation_batch_size
                                                  : options.batch_size.rows_or(kUsualBatch)});
}

// Named fields are matched with the names of the model's inputs, and with those of the layers of its outputs.
train::DatasetSource Model::source_of(const data::Dataset& dataset, const char* caller, bool continues) const {
  train::DatasetSourceOptions options{
      .called_by = caller, .continues = continues, .any_rows = trainer_->has_own_step()};
  if (const auto* graph = dynamic_cast<const FunctionalModule*>(module_.get())) {
    for (const Symbol& input : graph->inputs()) options.inputs.push_back(input.node()->layer.name());
    for (const Symbol& output : graph->outputs()) options.outputs.push_back(output.node()->layer.name());
  }
  return train::DatasetSource(dataset, std::move(options));
}

train::Logs Model::evaluate(const train::TensorList& x, const train::TensorList& y, EvaluateOptions options) const {
  trainer_->require_compiled("evaluate");
  train::ArraySource batches(x, y, options.sample_weight, {.batch_size = options.batch_size});
  return trainer_->evaluate(batches, options);
}

train::Logs Model::evaluate(train::BatchSource& batches, EvaluateOptions options) const {
  return trainer_->evaluate(batches, options);
}

train::Logs Model::evaluate(const data::Dataset& batches, EvaluateOptions options) const {
  train::DatasetSource source = source_of(batches, "evaluate");
  return evaluate(source, std::move(options));
}

Tensors Model::predict_all(const train::TensorList& x, PredictOptions options) const {
  train::ArraySource batches(x, {}, {}, {.batch_size = options.batch_size});
  return trainer_->predict(batches, options);
}
Tensors Model::predict_all(const data::Dataset& batches, PredictOptions options) const {
  train::DatasetSource source = source_of(batches, "predict");
  return trainer_->predict(source, options);
}
Tensor Model::predict(const train::TensorList& x, PredictOptions options) const {
  return only_output(predict_all(x, std::move(options)));
}
Tensor Model::predict(const data::Dataset& batches, PredictOptions options) const {
  return only_output(predict_all(batches, std::move(options)));
}
Tensor Model::only_output(const Tensors& all) const {
  if (all.size() != 1)
    throw InvalidArgument(cat("[predict] '", name(), "' has ", all.size(), " outputs; get them by predict_all"));
  return all[0];
}

train::Logs Model::train_on_batch(const train::TensorList& x, const train::TensorList& y,
                                  BatchOptions options) const {
  return trainer_->train_on_batch({x, y, options.sample_weight}, options.class_weight);
}
train::Logs Model::test_on_batch(const train::TensorList& x, const train::TensorList& y, BatchOptions options) const {
  return trainer_->test_on_batch({x, y, options.sample_weight});
}
Tensor Model::predict_on_batch(const train::TensorList& x) const {
  if (x.empty() || !x[0].defined() || x[0].rank() == 0)
    throw InvalidArgument("[predict_on_batch] x must have an axis that numbers the samples");
  return predict(x, {.batch_size = std::max<int64_t>(1, x[0].shape()[0]), .verbose = 0});
}
void Model::reset_metrics() const { trainer_->reset_metrics(); }
train::Turns& Model::turns() const { return trainer_->turns(); }

Layer Model::get_layer(std::string_view wanted) const {
  std::vector<std::string_view> known;
  for (const Layer& layer : layers()) {
    if (layer.name() == wanted) return layer;
    known.push_back(layer.name());
  }
  throw_unknown("layer", wanted, known);
}
Layer Model::get_layer(size_t index) const {
  if (index >= layers().size())
    throw InvalidArgument(
        cat("[get_layer] there is no layer ", index, " in '", name(), "', which has ", layers().size()));
  return layers()[index];
}

bool Model::compiled() const { return trainer_->compiled(); }
Optimizer Model::optimizer() const { return trainer_->optimizer(); }

std::string Model::summary_text() const {
  const bool with_slots = trainer_->compiled() && trainer_->optimizer().variables().size() > 2;
  return summary_table(*module_, trainer_->input_specs(),
                       with_slots ? trainer_->optimizer().variables() : std::vector<Variable>());
}

void Model::summary() const { std::cout << summary_text() << std::flush; }

Sequential::Sequential(std::initializer_list<Layer> layers, SequentialOptions options)
    : Sequential(std::vector<Layer>(layers), std::move(options)) {}
Sequential::Sequential(std::vector<Layer> layers, SequentialOptions options)
    : Model(Layer(std::make_shared<Chain>(std::move(layers), std::move(options.name), options.input_shape))) {}
void Sequential::add(Layer layer) const { static_cast<Chain&>(*module_).add(std::move(layer)); }

}  // namespace brio::nn
