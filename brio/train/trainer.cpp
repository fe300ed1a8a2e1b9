// What compile() sets up, and the metrics. Steps are in trainer_step.cpp, the loops in trainer_loops.cpp.
#include "brio/train/trainer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/nn/chain.h"
#include "brio/nn/optimizers/loss_scale_optimizer.h"
#include "brio/profile/recorder.h"

namespace brio::train {
namespace {

// Small gradients vanish in float16: Keras scales the loss by itself where layers compute in it.
bool computes_in_f16(const nn::Module& module) {
  if (module.policy().mixed() && module.policy().compute() == f16) return true;
  return std::ranges::any_of(module.modules(), [](const nn::Layer& l) { return computes_in_f16(l.module()); });
}

}  // namespace

Trainer::~Trainer() { profile::forget_key(this); }

void Trainer::require_compiled(const char* what) const {
  if (!compiled_)
    throw InvalidArgument(cat("[", what, "] '", module_->name(),
                              "' is not compiled; call compile({.optimizer = \"adam\", "
                              ".loss = …}) before ",
                              what));
}

bool Trainer::has_own_step() const {
  return compiled_ && (compiled_->options.train_step || compiled_->options.test_step);
}

// Whether it was compiled with one: without, what layers add is the loss.
bool Trainer::has_loss() const {
  const nn::CompileOptions& o = compiled_->options;
  return o.loss.defined() ||
         std::ranges::any_of(o.outputs, [](const nn::OutputOptions& output) { return output.loss.defined(); });
}

nn::Optimizer Trainer::optimizer() const {
  if (!compiled_)
    throw InvalidArgument(cat("[optimizer] '", module_->name(), "' is not compiled; call compile() first"));
  return compiled_->options.optimizer;
}

void Trainer::compile(nn::CompileOptions options) {
  if (options.steps_per_execution < 1)
    throw InvalidArgument(
        cat("[compile] steps_per_execution is ", options.steps_per_execution, "; it must be 1 or more"));
  if (!options.outputs.empty() &&
      (options.loss.defined() || !options.metrics.empty() || !options.weighted_metrics.empty()))
    throw InvalidArgument("[compile] loss and metrics are given both for the model and for its outputs; choose one");
  if (options.auto_scale_loss && computes_in_f16(*module_) && !options.optimizer.scales_loss())
    options.optimizer = nn::LossScaleOptimizer(options.optimizer);
  const Turn turn(turns_);
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
  c.judged.clear();
  // y may leave out what has neither a loss nor a metric.
  for (size_t i = 0; i < o.outputs.size(); ++i)
    if (o.outputs[i].loss.defined() || !o.outputs[i].metrics.empty() || !o.outputs[i].weighted_metrics.empty())
      c.judged.push_back(i);
  if (o.outputs.size() == n || c.judged.size() != n) c.judged.clear();
  if (!o.outputs.empty() && o.outputs.size() != n && c.judged.empty() && (n > 0 || has_loss()))
    throw InvalidArgument(cat("[compile] options for ", o.outputs.size(), " outputs are given, but y has ", n));
  if (n > 1 && o.outputs.empty() && !(o.metrics.empty() && o.weighted_metrics.empty()))
    throw InvalidArgument(cat("[compile] metrics are given, but y has ", n,
                              " outputs; give those of each: {.outputs = {{.loss = …, .metrics = {…}}, …}}"));
  const std::vector<std::string> names = output_names(c.judged.empty() ? n : o.outputs.size());
  c.outputs.clear();
  for (size_t k = 0; k < n; ++k) {
    const size_t i = c.judged.empty() ? k : c.judged[k];
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
  compiled_->gated_apply.reset();
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

void Trainer::prepare(const char* what, const Batch& batch, bool training) {
  Compiled& c = *compiled_;
  if (batch.x.empty()) throw InvalidArgument(cat("[", what, "] a batch has no x"));
  const bool own = static_cast<bool>(training ? c.options.train_step : c.options.test_step);
  if (batch.y.empty() && !own && has_loss())
    throw InvalidArgument(cat("[", what, "] there is no y, but the loss",
                              c.options.loss.defined() ? cat(" '", c.options.loss.name(), "'") : std::string(),
                              " compares predictions with it"));
  if (batch.sample_weight.size() > 1 && batch.sample_weight.size() != batch.y.size())
    throw InvalidArgument(cat("[", what, "] ", batch.sample_weight.size(), " sample weights are given for ",
                              batch.y.size(), " outputs; give one for each, or one for all"));
  if (c.class_weights.defined() && training && (batch.y.size() != 1 || !batch.sample_weight.empty()))
    throw InvalidArgument("[fit] class_weight is for models of one output, and not beside sample_weight");
  if (!own) make_outputs(batch.y.size());
  if (own && !module_->built()) {
    if (!std::exchange(tried_to_build_, true)) build_for_own_step(batch);
  } else {
    note_inputs(batch);
  }
}

// A step of the user's own may call the model with something else than x, or not at all: what it calls, it builds.
void Trainer::build_for_own_step(const Batch& batch) {
  try {
    note_inputs(batch);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): where it matters, the step meets it again
  }
}

void Trainer::note_inputs(const Batch& batch) {
  const std::lock_guard lock(making_);
  seen_.clear();
  for (const Tensor& x : batch.x) seen_.push_back(x.aval());
  if (module_->built()) return;
  std::vector<nn::Spec> specs;
  for (const Aval& aval : seen_) specs.emplace_back(aval.shape, aval.dtype);
  module_->build(specs);
}

void Trainer::reset_metrics() {
  if (!compiled_) return;
  const Turn turn(turns_);
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
    for (size_t i = 0; i < c.own_results.size(); ++i) logs.set((*c.own_names)[i], c.own_results[i].item<float>());
    return logs;
  }
  logs.set("loss", c.loss.read());
  const bool many = c.outputs.size() > 1;
  if (many)
    for (const Output& output : c.outputs)
      if (output.options.loss.defined()) logs.set(output.loss.name(), output.loss.read());
  // Two of one name are two keys, by Keras' rules: a weighted one says so, and otherwise they are numbered.
  std::map<std::string, int> seen;
  const auto add = [&](const Output& output, const nn::Metric& metric, bool weighted) {
    const std::string prefix = many ? output.name + "_" : std::string();
    std::string name = prefix + metric.name();
    if (weighted && seen.contains(name)) name = prefix + "weighted_" + metric.name();
    if (const int before = seen[name]++; before > 0) name += cat("_", before);
    logs.set(name, metric.read());
  };
  for (const Output& output : c.outputs)
    for (const nn::Metric& metric : output.options.metrics) add(output, metric, false);
  for (const Output& output : c.outputs)
    for (const nn::Metric& metric : output.options.weighted_metrics) add(output, metric, true);
  return logs;
}

// A step of the user's own need not name its loss.
double Trainer::read_loss() const {
  if (compiled_->own_results.empty()) return compiled_->loss.read();
  for (size_t i = 0; i < compiled_->own_results.size(); ++i)
    if ((*compiled_->own_names)[i] == "loss") return compiled_->own_results[i].item<float>();
  return 0;
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
