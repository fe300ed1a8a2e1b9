#include "brio/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/nn/chain.h"
#include "brio/nn/loss_scale_optimizer.h"
#include "brio/nn/mask.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/indexing.h"
#include "brio/ops/shape_ops.h"
#include "brio/ops/sorting.h"
#include "brio/train/progress_bar.h"

namespace brio::train {
namespace {

// Keras shows and keeps logs by name.
Logs by_name(const Logs& logs, std::string_view prefix = {}) {
  std::vector<Logs::Row> rows(logs.begin(), logs.end());
  std::ranges::sort(rows, {}, &Logs::Row::first);
  Logs sorted;
  for (const auto& [name, value] : rows) sorted.set(cat(prefix, name), value);
  return sorted;
}

void check_finite(double loss, int64_t epoch, int64_t step, double rate) {
  if (std::isfinite(loss)) return;
  throw InvalidArgument(cat("[fit] the loss became ", loss, " by step ", step, " of epoch ", epoch + 1,
                            "; lower the learning rate (now ", rate,
                            "), clip the gradients (clipnorm), or look for values in x and y that are not finite. "
                            "FitOptions::stop_at_nan = false trains on"));
}

// Small gradients vanish in float16: Keras scales the loss by itself where layers compute in it.
bool computes_in_f16(const nn::Module& module) {
  if (module.policy().mixed() && module.policy().compute() == f16) return true;
  return std::ranges::any_of(module.modules(), [](const nn::Layer& l) { return computes_in_f16(l.module()); });
}

// What a source of batches asks of tensors.
void check_rows(const Batch& batch) {
  const ArraySource checked(batch.x, batch.y, batch.sample_weight, {});
  static_cast<void>(checked);
}

// The class numbers of labels, one-hot or not.
Tensor class_numbers(const Tensor& y) {
  if (y.rank() >= 2 && y.shape()[y.rank() - 1] > 1) return argmax(y, -1, i32);
  const Tensor labels = y.rank() >= 2 ? squeeze(y, {-1}) : y;
  return cast(labels, i32);
}

}  // namespace

void Trainer::require_compiled(const char* what) const {
  if (!compiled_)
    throw InvalidArgument(cat("[", what, "] '", module_->name(),
                              "' is not compiled; call compile({.optimizer = \"adam\", "
                              ".loss = …}) before ",
                              what));
  const nn::CompileOptions& o = compiled_->options;
  const bool has_loss =
      o.loss.defined() || o.train_step ||
      std::ranges::any_of(o.outputs, [](const nn::OutputOptions& output) { return output.loss.defined(); });
  if (!has_loss)
    throw InvalidArgument(cat("[", what, "] '", module_->name(),
                              "' was compiled without a loss; name one: "
                              "compile({.loss = \"mse\"})"));
}

nn::Optimizer Trainer::optimizer() const {
  if (!compiled_)
    throw InvalidArgument(cat("[optimizer] '", module_->name(), "' is not compiled; call compile() first"));
  return compiled_->options.optimizer;
}

void Trainer::compile(nn::CompileOptions options) {
  if (!options.outputs.empty() &&
      (options.loss.defined() || !options.metrics.empty() || !options.weighted_metrics.empty()))
    throw InvalidArgument("[compile] loss and metrics are given both for the model and for its outputs; choose one");
  if (options.auto_scale_loss && computes_in_f16(*module_) && !options.optimizer.scales_loss())
    options.optimizer = nn::LossScaleOptimizer(options.optimizer);
  Compiled compiled;
  compiled.options = std::move(options);
  compiled_ = std::move(compiled);
}

std::vector<std::string> Trainer::output_names(size_t n) const {
  std::vector<std::string> names;
  const auto* graph = dynamic_cast<const nn::FunctionalModule*>(module_.get());
  for (size_t i = 0; i < n; ++i)
    names.push_back(graph && graph->outputs().size() == n ? graph->outputs()[i].node()->layer.name()
                                                          : cat("output_", i + 1));
  for (size_t i = 1; i < n; ++i)  // one layer may give several outputs
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      names[i] += cat("_", i);
  return names;
}

void Trainer::make_outputs(size_t n) {
  Compiled& c = *compiled_;
  if (c.outputs.size() == n) return;
  const nn::CompileOptions& o = c.options;
  if (!o.outputs.empty() && o.outputs.size() != n)
    throw InvalidArgument(cat("[compile] options for ", o.outputs.size(), " outputs are given, but y has ", n));
  if (n > 1 && o.outputs.empty() && !(o.metrics.empty() && o.weighted_metrics.empty()))
    throw InvalidArgument(cat("[compile] metrics are given, but y has ", n,
                              " outputs; give those of each: {.outputs = {{.loss = …, .metrics = {…}}, …}}"));
  const std::vector<std::string> names = output_names(n);
  c.outputs.clear();
  for (size_t i = 0; i < n; ++i) {
    nn::OutputOptions options =
        o.outputs.empty() ? nn::OutputOptions{o.loss, 1, o.metrics, o.weighted_metrics} : o.outputs[i];
    c.outputs.push_back({names[i], std::move(options), nn::Mean({.name = names[i] + "_loss"})});
  }
  forget_steps();
}

void Trainer::forget_steps() {
  compiled_->train.clear();
  compiled_->test.clear();
  compiled_->part.clear();
  compiled_->apply.reset();
}

void Trainer::set_class_weight(const std::map<int64_t, double>& class_weight) {
  Compiled& c = *compiled_;
  std::vector<float> table;
  if (!class_weight.empty()) {
    const int64_t last = class_weight.rbegin()->first;
    if (class_weight.begin()->first < 0 || last >= 1 << 24)
      throw InvalidArgument(cat("[fit] class_weight names the class ",
                                class_weight.begin()->first < 0 ? class_weight.begin()->first : last,
                                "; classes are numbers from 0 on"));
    table.assign(static_cast<size_t>(last) + 2, 1);
    for (const auto& [number, weight] : class_weight) table[static_cast<size_t>(number)] = static_cast<float>(weight);
  }
  const std::vector<float> before =
      c.class_weights.defined() ? c.class_weights.to_vector<float>() : std::vector<float>();
  if (table == before) return;
  c.class_weights = table.empty() ? Tensor() : Tensor::from(table, Shape{static_cast<int64_t>(table.size())});
  forget_steps();
}

// A weight per sample, for each output; empty where all count alike.
TensorList Trainer::weights_of(const Batch& batch, bool training) const {
  TensorList weights = batch.sample_weight;
  if (training && compiled_->class_weights.defined()) {
    const Tensor& table = compiled_->class_weights;
    const Tensor classes = class_numbers(batch.y[0]);
    const Tensor others = constant(table.shape()[0] - 1, i32);
    const Tensor known = logical_and(greater_equal(classes, constant(0, i32)), less(classes, others));
    weights = {gather(table, select(known, classes, others))};
  }
  if (weights.size() == 1 && batch.y.size() > 1) weights.assign(batch.y.size(), Tensor(weights[0]));
  return weights;
}

Trainer::Total Trainer::total_loss(const Batch& batch, const std::vector<Tensor>& y_pred, const TensorList& weights,
                                   const Tensor& all_rows) {
  Compiled& c = *compiled_;
  const Tensor rows = constant(batch.rows(), f32);
  Total total;
  size_t losses = 0;
  for (size_t i = 0; i < c.outputs.size(); ++i) {
    const Output& output = c.outputs[i];
    if (!output.options.loss.defined()) continue;
    auto [loss, count, by_rows] = output.options.loss.reduce(
        batch.y[i], y_pred[i], i < weights.size() ? weights[i] : Tensor(), nn::mask_of(y_pred[i]));
    if (loss.rank() != 0)
      throw InvalidArgument(cat("[fit] the loss '", output.options.loss.name(), "' has shape ", loss.shape(),
                                "; training needs a reduction other than none"));
    if (c.outputs.size() > 1) output.loss.update_state(loss, rows);
    if (output.options.loss_weight != 1) loss = loss * constant(output.options.loss_weight, loss.dtype());
    total.loss = losses == 0 ? loss : total.loss + loss;
    total.by_rows &= by_rows;
    total.count = count;
    ++losses;
  }
  // Means are put together by what counts in them, and what weights cost with them. Where losses are sums, a part of
  // a batch bears its share of that.
  const bool part_of_sum = all_rows.defined() && !total.count.defined();
  for (const Tensor& loss : module_->losses()) {
    const Tensor cost = cast(loss, total.loss.dtype());
    total.loss = total.loss + (part_of_sum ? cost * cast(rows / all_rows, cost.dtype()) : cost);
  }
  if (!all_rows.defined()) c.loss.update_state(total.loss, rows);  // of parts, the accumulator knows it at the end
  total.one_count = losses == 1 || total.by_rows;
  if (total.by_rows) total.count = rows;
  return total;
}

std::vector<Tensor> Trainer::own_step(const nn::Step& step, const Batch& batch) {
  std::vector<Tensor> results;
  compiled_->own_names.clear();
  for (auto& [name, value] : step(batch)) {
    if (!value.defined() || value.rank() != 0)
      throw InvalidArgument(cat("[fit] the step gave '", name, "' as ",
                                value.defined() ? cat("a tensor of shape ", value.shape()) : std::string("none"),
                                "; the logs take scalars"));
    compiled_->own_names.push_back(name);
    results.push_back(cast(value, f32));
  }
  return results;
}

std::vector<Tensor> Trainer::forward(const Batch& batch, bool training) {
  std::vector<Tensor> y_pred = (*module_)(std::vector<Tensor>(batch.x), {.training = training});
  if (y_pred.size() != compiled_->outputs.size())
    throw InvalidArgument(cat("[fit] '", module_->name(), "' has ", y_pred.size(), " outputs, but y has ",
                              compiled_->outputs.size(), "; give one for each"));
  return y_pred;
}

std::vector<Tensor> Trainer::step(const Batch& batch, bool training) {
  Compiled& c = *compiled_;
  if (const nn::Step& own = training ? c.options.train_step : c.options.test_step) return own_step(own, batch);
  const TensorList weights = weights_of(batch, training);
  std::vector<Tensor> y_pred, gradients;
  if (training) {
    GradientTape tape;
    y_pred = forward(batch, true);
    gradients = tape.gradient(c.options.optimizer.scale_loss(total_loss(batch, y_pred, weights).loss), weights_);
  } else {
    y_pred = forward(batch, false);
    total_loss(batch, y_pred, weights);
  }
  update_metrics(batch, y_pred, weights);
  // Last, so that every other reader of the weights and of the step count comes before they are written in place.
  if (training) c.options.optimizer.apply_gradients(std::move(gradients), weights_);
  return {};
}

// One part of a batch of `all_rows`.
std::vector<Tensor> Trainer::part_of_step(const Batch& batch, const Tensor& all_rows) {
  const TensorList weights = weights_of(batch, true);
  GradientTape tape;
  const std::vector<Tensor> y_pred = forward(batch, true);
  auto [loss, count, by_rows, one_count] = total_loss(batch, y_pred, weights, all_rows);
  if (!one_count)
    throw InvalidArgument(
        "[fit] accumulate cannot put the losses of several outputs together where they are sums, "
        "weighted means or under masks: what counts differs from output to output");
  // Gradients keep the size that the whole batch would give them: a count of 1 stands for all rows.
  if (count.defined()) {
    count = cast(count, f32) / all_rows;
    loss = loss * cast(count, loss.dtype());
  }
  std::vector<Tensor> gradients = tape.gradient(compiled_->options.optimizer.scale_loss(loss), weights_);
  update_metrics(batch, y_pred, weights);
  accumulator_.add(std::move(gradients), loss, count);
  return {};
}

void Trainer::update_metrics(const Batch& batch, const std::vector<Tensor>& y_pred, const TensorList& weights) {
  for (size_t i = 0; i < compiled_->outputs.size(); ++i) {
    const nn::OutputOptions& o = compiled_->outputs[i].options;
    for (const nn::Metric& metric : o.metrics) metric.update_state(batch.y[i], y_pred[i]);
    for (const nn::Metric& metric : o.weighted_metrics)
      metric.update_state(batch.y[i], y_pred[i], i < weights.size() ? weights[i] : Tensor(), nn::mask_of(y_pred[i]));
  }
}

void Trainer::prepare(const char* what, const Batch& batch, bool training) {
  Compiled& c = *compiled_;
  if (batch.x.empty()) throw InvalidArgument(cat("[", what, "] a batch has no x"));
  const bool own = static_cast<bool>(training ? c.options.train_step : c.options.test_step);
  if (batch.y.empty() && !own)
    throw InvalidArgument(cat("[", what, "] there is no y, but the loss",
                              c.options.loss.defined() ? cat(" '", c.options.loss.name(), "'") : std::string(),
                              " compares predictions with it"));
  if (batch.sample_weight.size() > 1 && batch.sample_weight.size() != batch.y.size())
    throw InvalidArgument(cat("[", what, "] ", batch.sample_weight.size(), " sample weights are given for ",
                              batch.y.size(), " outputs; give one for each, or one for all"));
  if (c.class_weights.defined() && training && (batch.y.size() != 1 || !batch.sample_weight.empty()))
    throw InvalidArgument("[fit] class_weight is for models of one output, and not beside sample_weight");
  if (!own) make_outputs(batch.y.size());
  note_inputs(batch);
}

void Trainer::note_inputs(const Batch& batch) {
  seen_.clear();
  for (const Tensor& x : batch.x) seen_.push_back(x.aval());
  if (module_->built()) return;
  std::vector<nn::Spec> specs;
  for (const Aval& aval : seen_) specs.emplace_back(aval.shape, aval.dtype);
  module_->build(specs);
}

void Trainer::run(Kind kind, const Batch& batch, const Tensor& all_rows) {
  std::vector<Traced>& steps = kind == Kind::train  ? compiled_->train
                               : kind == Kind::test ? compiled_->test
                                                    : compiled_->part;
  const size_t n_x = batch.x.size(), n_y = batch.y.size(), n_weights = batch.sample_weight.size();
  auto found = std::ranges::find_if(
      steps, [&](const Traced& t) { return t.n_x == n_x && t.n_y == n_y && t.n_weights == n_weights; });
  if (found == steps.end()) {
    auto body = [=, this](const std::vector<Tensor>& all) {
      const auto at = [&](size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
      Batch tensors;
      tensors.x.assign(at(0), at(n_x));
      tensors.y.assign(at(n_x), at(n_x + n_y));
      tensors.sample_weight.assign(at(n_x + n_y), at(n_x + n_y + n_weights));
      return kind == Kind::part ? part_of_step(tensors, all.back()) : step(tensors, kind == Kind::train);
    };
    steps.push_back({n_x, n_y, n_weights, std::make_unique<detail::TracedFunction>(body)});
    found = steps.end() - 1;
  }
  arguments_.clear();
  for (const TensorList* list : {&batch.x, &batch.y, &batch.sample_weight})
    arguments_.insert(arguments_.end(), list->begin(), list->end());
  if (all_rows.defined()) arguments_.push_back(all_rows);
  results_.clear();
  found->function->call(arguments_.data(), arguments_.size(), results_);
  arguments_.clear();  // the source may fill the same memory again
  if (!results_.empty()) compiled_->own_results.swap(results_);
}

void Trainer::run_parts(const Batch& batch, int64_t parts) {
  if (compiled_->options.train_step)
    throw InvalidArgument("[fit] accumulate cuts batches for Brio's own step; do it in the train_step that you gave");
  accumulator_.build(weights_);
  const int64_t rows = batch.rows(), size = (rows + parts - 1) / parts;
  if (!all_rows_.defined()) all_rows_ = Tensor(Array::allocate({Shape(), f32}, Owner::input));
  *all_rows_.impl()->array.as<float>() = static_cast<float>(rows);  // nobody else holds it
  try {
    for (int64_t begin = 0; begin < rows; begin += size) {
      const int64_t end = std::min(begin + size, rows);
      for (const auto& [whole, piece] :
           {std::pair{&batch.x, &part_.x}, {&batch.y, &part_.y}, {&batch.sample_weight, &part_.sample_weight}}) {
        piece->clear();
        for (const Tensor& tensor : *whole) piece->push_back(row_range(tensor, begin, end));
      }
      run(Kind::part, part_, all_rows_);
    }
    for (TensorList* list : {&part_.x, &part_.y, &part_.sample_weight}) list->clear();  // the source's memory
  } catch (...) {  // the parts before it must not count in the next batch
    accumulator_ = {};
    forget_steps();
    throw;
  }
  if (!compiled_->apply)
    compiled_->apply = std::make_unique<detail::TracedFunction>([this](const std::vector<Tensor>& rows_of_batch) {
      compiled_->loss.update_state(accumulator_.loss(), rows_of_batch[0]);
      accumulator_.apply(compiled_->options.optimizer);
      return std::vector<Tensor>();
    });
  results_.clear();
  compiled_->apply->call(&all_rows_, 1, results_);
}

void Trainer::reset_metrics() {
  if (!compiled_) return;
  compiled_->loss.reset_state();
  compiled_->own_results.clear();
  const nn::CompileOptions& o = compiled_->options;
  for (const auto* list : {&o.metrics, &o.weighted_metrics})
    for (const nn::Metric& metric : *list) metric.reset_state();
  for (const nn::OutputOptions& output : o.outputs)
    for (const auto* list : {&output.metrics, &output.weighted_metrics})
      for (const nn::Metric& metric : *list) metric.reset_state();
  for (const Output& output : compiled_->outputs) output.loss.reset_state();
}

Logs Trainer::read_metrics() const {
  const Compiled& c = *compiled_;
  Logs logs;
  if (!c.own_results.empty()) {
    for (size_t i = 0; i < c.own_results.size(); ++i) logs.set(c.own_names[i], c.own_results[i].item<float>());
    return logs;
  }
  logs.set("loss", c.loss.read());
  const bool many = c.outputs.size() > 1;
  if (many)
    for (const Output& output : c.outputs)
      if (output.options.loss.defined()) logs.set(output.loss.name(), output.loss.read());
  for (const Output& output : c.outputs) {
    const std::string prefix = many ? output.name + "_" : std::string();
    for (const auto* list : {&output.options.metrics, &output.options.weighted_metrics})
      for (const nn::Metric& metric : *list) logs.set(prefix + metric.name(), metric.read());
  }
  return logs;
}

// A step of the user's own need not name its loss.
double Trainer::read_loss() const {
  if (compiled_->own_results.empty()) return compiled_->loss.read();
  for (size_t i = 0; i < compiled_->own_results.size(); ++i)
    if (compiled_->own_names[i] == "loss") return compiled_->own_results[i].item<float>();
  return 0;
}

void Trainer::check_loss(int64_t epoch, int64_t step) const {
  check_finite(read_loss(), epoch, step, optimizer().learning_rate().item<double>());
}

Progress Trainer::progress_of(int64_t epochs, std::optional<int64_t> steps) {
  Progress progress;
  progress.epochs = epochs;
  progress.steps = steps;
  progress.read = [this] { return by_name(read_metrics()); };
  progress.model = nn::Layer(module_);
  if (compiled_) progress.optimizer = compiled_->options.optimizer;
  return progress;
}

History Trainer::fit(BatchSource& batches, BatchSource* validation, const nn::FitOptions& options) {
  require_compiled("fit");
  if (options.epochs < 0) throw InvalidArgument(cat("[fit] epochs is ", options.epochs, "; it must be 0 or more"));
  if (options.steps_per_epoch && *options.steps_per_epoch <= 0)
    throw InvalidArgument(cat("[fit] steps_per_epoch is ", *options.steps_per_epoch, "; it must be 1 or more"));
  if (options.accumulate <= 0)
    throw InvalidArgument(cat("[fit] accumulate is ", options.accumulate, "; it must be 1 or more"));
  if (options.validation_freq <= 0)
    throw InvalidArgument(cat("[fit] validation_freq is ", options.validation_freq, "; it must be 1 or more"));
  set_class_weight(options.class_weight);
  auto history = std::make_shared<HistoryCallback>();
  nn::Callbacks callbacks;
  for (const auto& callback : options.callbacks)
    if (callback) callbacks.push_back(callback);
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  callbacks.push_back(history);

  Progress progress =
      progress_of(options.epochs, options.steps_per_epoch ? options.steps_per_epoch : batches.steps());
  progress.initial_epoch = options.initial_epoch;
  const int64_t most_steps = options.steps_per_epoch.value_or(INT64_MAX);

  for (const auto& callback : callbacks) callback->on_train_begin(progress);
  Logs logs;
  Batch batch;
  bool prepared = false;
  for (int64_t epoch = progress.initial_epoch; epoch < options.epochs && !progress.stop_training; ++epoch) {
    reset_metrics();
    batches.reset(epoch);
    if (!options.steps_per_epoch) progress.steps = batches.steps();  // it may have chosen how many
    for (const auto& callback : callbacks) callback->on_epoch_begin(progress, epoch);
    auto checked = std::chrono::steady_clock::now();
    int64_t step = 0;
    while (step < most_steps && !progress.stop_training && batches.next(batch)) {
      if (!progress.batch_choice && batches.choice(false)) {
        progress.batch_choice = *batches.choice(false);
        forget_steps();  // of the other sizes, with their memory
      }
      for (const auto& callback : callbacks) callback->on_train_batch_begin(progress, step);
      while (!train(batch, options.accumulate, prepared, batches)) {
      }
      for (const auto& callback : callbacks) callback->on_train_batch_end(progress, step);
      ++step;
      if (const auto now = std::chrono::steady_clock::now();
          options.stop_at_nan && now - checked > std::chrono::seconds(1)) {
        checked = now;
        check_loss(epoch, step);
      }
    }
    if (step == 0) throw InvalidArgument(cat("[fit] epoch ", epoch + 1, " has no batches; give it data"));
    if (options.stop_at_nan && !progress.stop_training) check_loss(epoch, step);
    logs = by_name(read_metrics());
    if (validation && (epoch + 1) % options.validation_freq == 0) {
      Progress of_validation = progress;
      of_validation.steps = options.validation_steps ? options.validation_steps : validation->steps();
      const Logs found = run_tests(*validation, options.validation_steps, of_validation, callbacks);
      for (const auto& [name, value] : by_name(found, "val_")) logs.set(name, value);
    }
    for (const auto& callback : callbacks) callback->on_epoch_end(progress, epoch, logs);
  }
  if (prepared) compiled_->options.optimizer.finalize_variable_values(weights_);
  if (const BatchChoice* choice = batches.choice(true)) progress.batch_choice = *choice;
  for (const auto& callback : callbacks) callback->on_train_end(progress, logs);
  history->history.batch_choice = progress.batch_choice;
  return std::move(history->history);
}

// One step. False: there was no memory for it, and the batch is now a smaller one of the same rows.
bool Trainer::train(Batch& batch, int64_t accumulate, bool& prepared, BatchSource& batches) {
  try {
    prepare("fit", batch, true);
    if (!prepared) prepare_weights();
    prepared = true;
    if (accumulate > 1) run_parts(batch, accumulate);
    else run(Kind::train, batch);
    return true;
  } catch (const ResourceError&) {
    arguments_.clear();
    if (!batches.take_back(batch)) throw;
    forget_steps();
    trim_host_memory();
    batches.next(batch);
    return false;
  }
}

// Which weights are trained may have changed since the last run: layers can be frozen.
void Trainer::prepare_weights() {
  std::vector<Variable> weights = module_->trainable_variables();
  if (weights.empty() && !compiled_->options.train_step)
    throw InvalidArgument(cat("[fit] '", module_->name(), "' has no trainable weights: there is nothing to fit"));
  if (weights != weights_) forget_steps();
  weights_ = std::move(weights);
  compiled_->options.optimizer.build(weights_);
}

Logs Trainer::run_tests(BatchSource& batches, std::optional<int64_t> steps, Progress& progress,
                        const nn::Callbacks& callbacks) {
  reset_metrics();
  batches.reset(0);
  for (const auto& callback : callbacks) callback->on_test_begin(progress);
  Batch batch;
  int64_t step = 0;
  for (; (!steps || step < *steps) && !progress.stop_training && batches.next(batch); ++step) {
    for (const auto& callback : callbacks) callback->on_test_batch_begin(progress, step);
    prepare("evaluate", batch, false);
    run(Kind::test, batch);
    for (const auto& callback : callbacks) callback->on_test_batch_end(progress, step);
  }
  if (step == 0) throw InvalidArgument("[evaluate] there are no batches; give it data");
  Logs logs = read_metrics();
  for (const auto& callback : callbacks) callback->on_test_end(progress, by_name(logs));
  return logs;
}

Logs Trainer::evaluate(BatchSource& batches, const nn::EvaluateOptions& options) {
  require_compiled("evaluate");
  nn::Callbacks callbacks;
  if (options.verbose > 0) callbacks.push_back(std::make_shared<ProgressBar>(options.verbose));
  for (const auto& callback : options.callbacks)
    if (callback) callbacks.push_back(callback);
  Progress progress = progress_of(1, options.steps ? options.steps : batches.steps());
  return run_tests(batches, options.steps, progress, callbacks);
}

Logs Trainer::train_on_batch(const Batch& batch, const std::map<int64_t, double>& class_weight) {
  require_compiled("train_on_batch");
  set_class_weight(class_weight);
  check_rows(batch);
  prepare("train_on_batch", batch, true);
  prepare_weights();
  run(Kind::train, batch);
  return read_metrics();
}

Logs Trainer::test_on_batch(const Batch& batch) {
  require_compiled("test_on_batch");
  check_rows(batch);
  prepare("test_on_batch", batch, false);
  run(Kind::test, batch);
  return read_metrics();
}

namespace {

// Batches one after the other.
Array joined(const std::vector<Array>& parts) {
  Aval aval = parts[0].aval;
  int64_t rows = 0;
  for (const Array& part : parts) rows += part.aval.shape[0];
  aval.shape.set(0, rows);
  Array whole = Array::allocate(aval);
  size_t at = 0;
  for (const Array& part : parts) {
    Aval fits = part.aval;
    fits.shape.set(0, rows);
    if (!(fits == aval))
      throw InvalidArgument(cat("[predict] predictions of shapes ", parts[0].aval.shape, " and ", part.aval.shape,
                                " cannot be joined; pad the input so that all batches are alike"));
    std::memcpy(whole.as<char>() + at, part.data(), part.aval.bytes());
    at += part.aval.bytes();
  }
  return whole;
}

}  // namespace

std::vector<Tensor> Trainer::predict(BatchSource& batches, const nn::PredictOptions& options) {
  if (!predict_)
    predict_ = std::make_unique<detail::TracedFunction>(
        [this](const std::vector<Tensor>& batch) { return (*module_)(batch, {.training = false}); });
  batches.reset(0);
  Progress progress = progress_of(1, batches.steps());
  for (const auto& callback : options.callbacks) callback->on_predict_begin(progress);
  std::vector<std::vector<Array>> all;  // by output, then by batch
  int64_t step = 0;
  for (Batch batch; batches.next(batch) && !progress.stop_training; ++step) {
    for (const auto& callback : options.callbacks) callback->on_predict_batch_begin(progress, step);
    note_inputs(batch);
    std::vector<Tensor> results;
    predict_->call(batch.x.data(), batch.x.size(), results);
    all.resize(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].rank() == 0 || results[i].shape()[0] != batch.rows())
        throw InvalidArgument(cat("[predict] '", module_->name(), "' made shape ", results[i].shape(), " of ",
                                  batch.rows(), " rows; a prediction has one row for each"));
      all[i].push_back(results[i].array());
    }
    for (const auto& callback : options.callbacks) callback->on_predict_batch_end(progress, step);
  }
  for (const auto& callback : options.callbacks) callback->on_predict_end(progress);
  std::vector<Tensor> predictions;
  for (const std::vector<Array>& parts : all) predictions.emplace_back(joined(parts));
  return predictions;
}

std::vector<nn::Spec> Trainer::input_specs() const {
  std::vector<nn::Spec> specs;
  for (const Aval& aval : seen_) specs.emplace_back(aval.shape, aval.dtype);
  if (const auto* graph = dynamic_cast<const nn::FunctionalModule*>(module_.get())) {
    specs.clear();
    for (const nn::Symbol& input : graph->inputs()) specs.push_back(input.spec());
  } else if (const auto* chain = dynamic_cast<const nn::Chain*>(module_.get()); chain && specs.empty()) {
    specs = chain->built_for();
  }
  for (nn::Spec& spec : specs)
    if (spec.rank() > 0) spec.dims[0] = nn::kUnknown;
  return specs;
}

}  // namespace brio::train
