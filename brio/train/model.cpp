#include "brio/train/model.h"

#include <cmath>
#include <iostream>

#include "brio/base/error.h"
#include "brio/nn/chain.h"
#include "brio/nn/summary.h"
#include "brio/ops/random.h"
#include "brio/train/trainer.h"

namespace brio::nn {
namespace {

std::optional<Generator::State> shuffle_state(const FitOptions& options) {
  if (!options.shuffle) return {};
  return random::generator().advance(static_cast<uint64_t>(std::max<int64_t>(options.epochs, 1)));
}

Tensor rows_of(const Tensor& x, int64_t begin, int64_t end) {
  return x.defined() ? train::row_range(x, begin, end) : x;
}

}  // namespace

Model::Model(Layer layer) : Layer(std::move(layer)), trainer_(std::make_shared<train::Trainer>(module_)) {}

void Model::compile(CompileOptions options) const { trainer_->compile(std::move(options)); }

train::History Model::fit(const Tensor& x, const Tensor& y, FitOptions options) const {
  trainer_->require_compiled("fit");
  if (!(options.validation_split >= 0 && options.validation_split < 1))
    throw InvalidArgument(cat("[fit] validation_split is ", options.validation_split, "; it lies in [0, 1)"));
  // Made first for its checks: every row count is known to agree afterwards.
  train::ArraySource whole(x, y, options.sample_weight, {.batch_size = options.batch_size});
  ValidationData held = options.validation_data;
  int64_t rows = whole.rows();
  if (!held.x.defined() && options.validation_split > 0) {
    const int64_t all = rows;
    rows = static_cast<int64_t>(std::floor(static_cast<double>(all) * (1 - options.validation_split)));
    if (rows == 0 || rows == all)
      throw InvalidArgument(cat("[fit] ", all,
                                " rows cannot be split by validation_split = ", options.validation_split,
                                ": one of the parts would be empty; give more rows or another share"));
    held = {rows_of(x, rows, all), rows_of(y, rows, all), rows_of(options.sample_weight, rows, all)};
  }
  std::optional<train::ArraySource> validation;
  if (held.x.defined())
    validation.emplace(
        held.x, held.y, held.sample_weight,
        train::ArraySourceOptions{.batch_size = options.validation_batch_size > 0 ? options.validation_batch_size
                                                                                  : options.batch_size});
  train::ArraySource batches(rows_of(x, 0, rows), rows_of(y, 0, rows), rows_of(options.sample_weight, 0, rows),
                             {.batch_size = options.batch_size, .shuffle = shuffle_state(options)});
  return trainer_->fit(batches, validation ? &*validation : nullptr, options);
}

train::History Model::fit(train::BatchSource& batches, FitOptions options) const {
  trainer_->require_compiled("fit");
  if (options.validation_split != 0)
    throw InvalidArgument("[fit] validation_split cannot cut a source of batches; give validation_data");
  std::optional<train::ArraySource> validation;
  const ValidationData& held = options.validation_data;
  if (held.x.defined())
    validation.emplace(held.x, held.y, held.sample_weight,
                       train::ArraySourceOptions{.batch_size = options.batch_size});
  return trainer_->fit(batches, validation ? &*validation : nullptr, options);
}

train::Logs Model::evaluate(const Tensor& x, const Tensor& y, EvaluateOptions options) const {
  trainer_->require_compiled("evaluate");
  train::ArraySource batches(x, y, options.sample_weight, {.batch_size = options.batch_size});
  return trainer_->evaluate(batches, options);
}

train::Logs Model::evaluate(train::BatchSource& batches, EvaluateOptions options) const {
  return trainer_->evaluate(batches, options);
}

Tensor Model::predict(const Tensor& x, PredictOptions options) const { return trainer_->predict(x, options); }
Optimizer Model::optimizer() const { return trainer_->optimizer(); }

std::vector<Tensor> Model::get_weights() const {
  std::vector<Tensor> weights;
  for (const Variable& variable : variables()) {
    const Tensor value = variable.value();
    weights.push_back(Tensor::from_bytes(value.array().data(), value.aval()));  // a copy: training goes on in place
  }
  return weights;
}

void Model::set_weights(const std::vector<Tensor>& weights) const {
  std::vector<Variable> all = variables();
  if (weights.size() != all.size())
    throw InvalidArgument(cat("[set_weights] ", weights.size(), " tensors are given for ", all.size(),
                              " weights of '", name(), "'",
                              built() ? "" : ", which is not built yet: call build() first"));
  for (size_t i = 0; i < all.size(); ++i) all[i].assign(weights[i]);
}

std::string Model::summary_text() const {
  Shape input = trainer_->input_shape();
  if (const auto* chain = dynamic_cast<const Chain*>(module_.get()); chain && input.rank() == 0)
    input = chain->built_for();
  const bool with_slots = trainer_->compiled() && trainer_->optimizer().variables().size() > 2;
  return summary_table(*module_, input, with_slots ? trainer_->optimizer().variables() : std::vector<Variable>());
}

void Model::summary() const { std::cout << summary_text() << std::flush; }

Sequential::Sequential(std::initializer_list<Layer> layers, SequentialOptions options)
    : Sequential(std::vector<Layer>(layers), std::move(options)) {}
Sequential::Sequential(std::vector<Layer> layers, SequentialOptions options)
    : Model(Layer(std::make_shared<Chain>(std::move(layers), std::move(options.name), options.input_shape))) {}
void Sequential::add(Layer layer) const { static_cast<Chain&>(*module_).add(std::move(layer)); }

}  // namespace brio::nn
