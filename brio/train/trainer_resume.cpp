// What a run is between two steps, and how another process goes on from there.
#include <algorithm>
#include <iostream>
#include <map>

#include "brio/base/error.h"
#include "brio/nn/random_streams.h"
#include "brio/nn/weight_paths.h"
#include "brio/train/trainer.h"
#include "brio/train/weight_source.h"

namespace brio::train {
namespace {

using NamedVariable = std::pair<std::string, Variable>;

void add(std::vector<NamedVariable>& all, const std::vector<nn::WeightEntry>& entries) {
  for (const nn::WeightEntry& entry : entries)
    for (size_t i = 0; i < entry.variables.size(); ++i)
      all.emplace_back(entry.path.empty() ? std::to_string(i) : cat(entry.path, "/", i), entry.variables[i]);
}

std::vector<NamedVariable> variables_of(const std::shared_ptr<nn::Module>& module, const nn::Optimizer& optimizer) {
  std::vector<NamedVariable> all;
  add(all, nn::weight_entries(nn::Layer(module)));
  add(all, nn::weight_entries(optimizer));
  return all;
}

}  // namespace

// Those whose numbers are of the epoch so far, in a fixed order.
std::vector<nn::Metric> Trainer::metrics() const {
  std::vector<nn::Metric> all = {compiled_->loss};
  for (const Output& output : compiled_->outputs) {
    all.push_back(output.loss);
    for (const auto* list : {&output.options.metrics, &output.options.weighted_metrics})
      all.insert(all.end(), list->begin(), list->end());
  }
  return all;
}

std::vector<formats::NamedArray> Trainer::values_of_metrics() const {
  std::vector<formats::NamedArray> values;
  const std::vector<nn::Metric> all = metrics();
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<Variable> variables = all[i].variables();
    for (size_t k = 0; k < variables.size(); ++k) {
      const Array value = value_of(variables[k]);
      values.emplace_back(cat("metrics/", i, "/", k), Tensor::from_bytes(value.data(), value.aval).array());
    }
  }
  return values;
}

RunState Trainer::state_of_run(const BatchSource& batches, const nn::Callbacks& callbacks, int64_t epoch,
                               int64_t step) {
  RunState state{.epoch = epoch, .step = step};
  if (precision_) state.precision = name_of_precision(*precision_);
  state.order = batches.order();
  state.position = batches.position();
  state.random = random::generator().state();
  for (const Generator* generator : nn::generators_of(*module_)) state.layer_random.push_back(generator->state());
  for (const auto& callback : callbacks) callback->save(state.callbacks.emplace_back());
  for (const auto& [name, variable] : variables_of(module_, compiled_->options.optimizer))
    state.tensors.emplace_back(name, value_of(variable));
  return state;
}

// All is compared first, then assigned.
void Trainer::go_on(const RunState& state, BatchSource& batches) {
  const Turn turn(turns_);
  if (state.precision) {
    take_precision(nn::Policy(*state.precision).compute());
    std::cerr << "brio: [fit] precision: " << *state.precision << ", as the run chose that goes on\n";
  }
  // Weights and slots are made by the first batch; metrics that make their variables at the first use are used once.
  Batch batch;
  batches.reset(state.epoch);
  if (!batches.next(batch)) throw InvalidArgument("[fit] there are no batches to go on with; give it data");
  prepare("fit", batch, true);
  prepare_weights();
  if (!has_own_step()) run(Kind::test, batch);

  std::vector<NamedVariable> variables = variables_of(module_, compiled_->options.optimizer);
  const std::vector<nn::Metric> all = metrics();
  for (size_t i = 0; state.step > 0 && i < all.size(); ++i) {
    const std::vector<Variable> own = all[i].variables();
    for (size_t k = 0; k < own.size(); ++k) variables.emplace_back(cat("metrics/", i, "/", k), own[k]);
  }
  std::map<std::string, Array> values(state.tensors.begin(), state.tensors.end());
  const auto fail = [](const std::string& why) {
    throw InvalidArgument(cat("[fit] the checkpoint is of another model or another compile(): ", why,
                              "; make them as in the run that goes on, or take another directory"));
  };
  for (const auto& [name, variable] : variables) {
    const auto found = values.find(name);
    if (found == values.end()) fail(cat("it has no ", name, " (", variable.name(), ")"));
    if (found->second.aval != variable.impl()->aval)
      fail(cat(name, " (", variable.name(), ") is ", variable.dtype(), " of shape ", variable.shape(),
               ", but it has ", found->second.aval.dtype, " of shape ", found->second.aval.shape));
  }
  if (values.size() != variables.size())
    fail(cat("it has ", values.size(), " tensors, but here are ", variables.size()));
  const std::vector<Generator*> generators = nn::generators_of(*module_);
  if (generators.size() != state.layer_random.size())
    fail(cat("its layers drew from ", state.layer_random.size(), " generators, but here are ", generators.size()));

  for (auto& [name, variable] : variables) variable.assign(Tensor(values.at(name)));
  for (size_t i = 0; i < generators.size(); ++i) generators[i]->restore(state.layer_random[i]);
  random::generator().restore(state.random);
  batches.reset(state.epoch);
  if (state.position) batches.go_to(*state.position);
}

}  // namespace brio::train
