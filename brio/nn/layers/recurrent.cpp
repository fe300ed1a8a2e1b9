#include "brio/nn/layers/recurrent.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/layers/recurrent_gates.h"
#include "brio/nn/layers/recurrent_module.h"
#include "brio/nn/names.h"
#include "brio/ops/control/control.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// "LSTM" → "lstm", "SimpleRNN" → "simple_rnn": as Keras names a layer that was given no name.
std::string_view base_name(std::string_view kind) {
  return kind == "SimpleRNN" ? "simple_rnn" : kind == "LSTM" ? "lstm" : kind == "GRU" ? "gru" : "rnn";
}

// (batch, time, …) ↔ (time, batch, …)
Tensor swap_time(const Tensor& x) { return swapaxes(x, 0, 1); }

Tensor in_dtype(const Tensor& x, DType dtype) {
  return x.dtype() == dtype || !is_floating(x.dtype()) ? x : cast(x, dtype);
}

template <typename Options>
RNNOptions loop_options(const Options& o) {
  return {o.return_sequences,     o.return_state,         o.go_backwards, o.stateful, o.unroll,
          o.zero_output_for_mask, o.activity_regularizer, o.dtype,        o.name};
}

// The layer is named first: its cell's weights carry that name.
std::shared_ptr<RecurrentModule> make_layer(Gates gates, int64_t units, GateOptions cell, RNNOptions loop) {
  const std::string_view kind = layer_kind(gates);
  if (loop.name.empty()) loop.name = unique_name(base_name(kind));
  cell.name = cat(loop.name, "/", base_name(kind), "_cell");
  return std::make_shared<RecurrentModule>(kind, Layer(make_cell(gates, units, std::move(cell))), std::move(loop));
}

Layer layer_from_config(Gates gates, Fields& f) {
  auto loop = options_from<RNNOptions>(f);
  GateOptions cell;
  int64_t units = 0;
  list_fields(f, loop);
  list_fields(f, gates, units, cell);
  cell.dtype = loop.dtype;
  return Layer(make_layer(gates, units, std::move(cell), std::move(loop)));
}

}  // namespace

void list_fields(Fields& f, RNNOptions& o) {
  f("return_sequences", o.return_sequences);
  f("return_state", o.return_state);
  f("go_backwards", o.go_backwards);
  f("stateful", o.stateful);
  f("unroll", o.unroll);
  f("zero_output_for_mask", o.zero_output_for_mask);
  f("activity_regularizer", o.activity_regularizer);
}

RecurrentModule::RecurrentModule(std::string_view kind, Layer cell, RNNOptions options)
    : MultiModule(base_name(kind), {.dtype = options.dtype, .name = options.name}),
      kind_(kind),
      options_(std::move(options)) {
  const auto* inside = dynamic_cast<const Cell*>(&cell.module());
  if (!inside)
    refuse(cat("'", cell.name(), "' is a ", cell.module().kind(),
               ", which is no cell; give it nn::LSTMCell or a class derived from nn::Cell"));
  if (inside->state_sizes().empty())
    refuse(cat("the cell '", cell.name(), "' has no states; use nn::TimeDistributed"));
  add_module(std::move(cell));
  supports_masking_ = true;
  activity_regularizer_ = options_.activity_regularizer;
}

void RecurrentModule::describe(Fields& f) {
  list_fields(f, options_);
  if (kind_ != "RNN") return cell().describe(f);
  std::optional<Layer> inside = modules()[0];
  f("cell", inside);
}

void RecurrentModule::check_all(const std::vector<Shape>& inputs) const {
  const Shape& x = inputs[0];
  if (kind_ == "RNN" ? x.rank() < 3 : x.rank() != 3)
    refuse(cat("takes sequences, (batch, time, features), but got shape ", x,
               x.rank() == 2 ? "; add an axis with expand_dims(x, -1)" : ""));
  const std::vector<int64_t> sizes = cell().state_sizes();
  if (inputs.size() != 1 && inputs.size() != 1 + sizes.size())
    refuse(cat("takes a sequence, or a sequence and ", sizes.size(), " initial states, but got ", inputs.size(),
               " inputs"));
  for (size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i] != Shape{x[0], sizes[i - 1]})
      refuse(cat("the initial state ", i - 1, " has shape ", inputs[i], "; for this sequence it is ",
                 Shape{x[0], sizes[i - 1]}));
  if (built() && !states_.empty() && states_[0].shape()[0] != x[0])
    refuse(cat("is stateful and keeps states for batches of ", states_[0].shape()[0], ", but got ", x[0],
               "; give it batches of one size (Input(…, {.batch_size = n}))"));
}

void RecurrentModule::create_all(const std::vector<Shape>& inputs) {
  const Shape& x = inputs[0];
  Shape step{x[0]};
  for (int i = 2; i < x.rank(); ++i) step.push_back(x[i]);
  std::vector<Spec> specs{Spec(step)};
  for (const int64_t size : cell().state_sizes()) specs.emplace_back(Shape{x[0], size});
  if (options_.stateful && !x[0].known())
    refuse(
        "is stateful and keeps states for batches of one size, which is not known here; give it (Input(…, "
        "{.batch_size = n}))");
  const EagerScope scope;
  states_.clear();
  if (options_.stateful)
    for (const Tensor& state : cell().initial_states(int64_t{x[0]}))
      states_.emplace_back(cast(state, policy().variable()),
                           VariableOptions{.name = cat(name(), "/rnn_state"), .trainable = false});
  cell().build(specs);
}

void RecurrentModule::reset_states() {
  for (Variable& state : states_) state.assign(zeros(state.shape(), state.dtype()));
}

// (time, batch, 1): broadcasts to outputs and states.
Tensor RecurrentModule::time_major_mask(const Tensor& mask, const Shape& input) const {
  if (!mask.defined()) return {};
  if (mask.dtype() != boolean || mask.shape() != Shape{input[0], input[1]})
    refuse(cat("the mask is ", mask.dtype(), " of shape ", mask.shape(), "; for this sequence it is bool of shape ",
               Shape{input[0], input[1]}));
  return expand_dims(transpose(mask), -1);
}

RecurrentModule::Walked RecurrentModule::walk(Cell& cell, const Tensor& sequence, const Tensors& states,
                                              const Tensor& mask, bool keep, const Call& how) {
  const DType dtype = cell.policy().compute();
  Cell::Walk walk = cell.walk(in_dtype(sequence, dtype), how);
  // A step that the mask leaves out needs the output before it. So does the last step if no sequence is returned.
  const bool carries_output = mask.defined() || (!keep && !cell.output_is_state());
  Tensors carried, elements = walk.elements;
  for (const Tensor& state : states) carried.push_back(in_dtype(state, dtype));
  if (carries_output) carried.push_back(zeros({sequence.shape()[1], cell.output_size()}, dtype));
  if (mask.defined()) elements.push_back(mask);

  auto body = [&](const Tensors& before, const Tensors& element) {
    const Tensors old(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(states.size()));
    const Tensors own(element.begin(), element.begin() + static_cast<std::ptrdiff_t>(walk.elements.size()));
    Tensors made = walk.step(own, old);
    if (made.size() != 1 + states.size())
      refuse(cat("the cell '", cell.name(), "' gave ", made.size(), " tensors; it must give its output and ",
                 states.size(), " states"));
    if (mask.defined()) {
      const Tensor& counts = element.back();
      made[0] = select(counts, made[0], options_.zero_output_for_mask ? constant(0, made[0].dtype()) : before.back());
      for (size_t i = 0; i < states.size(); ++i) made[i + 1] = select(counts, made[i + 1], old[i]);
    }
    ScanStep step{{made.begin() + 1, made.end()}, {}};
    if (carries_output) step.carried.push_back(made[0]);
    if (keep) step.results.push_back(made[0]);
    return step;
  };
  const ScanStep end = scan(body, carried, elements, {.reverse = options_.go_backwards});
  Walked walked{carries_output ? end.carried.back() : end.carried[0], keep ? end.results[0] : Tensor(), end.carried};
  walked.states.resize(states.size());
  return walked;
}

Tensors RecurrentModule::call_all(const Tensors& inputs, const Call& how) {
  const Tensor mask = time_major_mask(how.mask(), inputs[0].shape());
  Tensors states(inputs.begin() + 1, inputs.end());
  if (states.empty()) {
    if (options_.stateful) states.assign(states_.begin(), states_.end());
    else states = cell().initial_states(inputs[0].shape()[0]);
  }
  Tensor sequence = swap_time(inputs[0]), last;
  Tensors final_states;
  const std::vector<Cell*> cells = cell().stack();
  for (size_t i = 0, at = 0; i < cells.size(); ++i) {
    const size_t n = cells[i]->state_sizes().size();
    const Tensors own(states.begin() + static_cast<std::ptrdiff_t>(at),
                      states.begin() + static_cast<std::ptrdiff_t>(at + n));
    Walked walked = walk(*cells[i], sequence, own, mask, i + 1 < cells.size() || options_.return_sequences, how);
    sequence = walked.sequence;
    last = walked.last;
    for (Tensor& state : walked.states) final_states.push_back(in_dtype(state, policy().compute()));
    at += n;
  }
  for (size_t i = 0; i < states_.size(); ++i) states_[i].assign(cast(final_states[i], states_[i].dtype()));
  if (options_.return_sequences) {
    if (options_.go_backwards) sequence = reverse(sequence, {0});
    last = swap_time(sequence);
  }
  Tensors results{in_dtype(last, policy().compute())};
  if (options_.return_state) results.insert(results.end(), final_states.begin(), final_states.end());
  return results;
}

Tensors RecurrentModule::compute_masks(const Tensors&, const Call& how, size_t) const {
  return {options_.return_sequences ? how.mask() : Tensor()};
}

RNN::RNN(Layer cell, RNNOptions options)
    : Layer(std::make_shared<RecurrentModule>("RNN", std::move(cell), std::move(options))) {}
Layer RNN::from_config(Fields& f) {
  auto o = options_from<RNNOptions>(f);
  std::optional<Layer> cell;
  list_fields(f, o);
  f("cell", cell);
  if (!cell) throw InvalidArgument("[config] an RNN has no 'cell'; it needs the config of one");
  return RNN(*cell, o);
}

SimpleRNN::SimpleRNN(int64_t units, SimpleRNNOptions o)
    : Layer(make_layer(Gates::simple, units, gate_options(o), loop_options(o))) {}
Layer SimpleRNN::from_config(Fields& f) { return layer_from_config(Gates::simple, f); }

LSTM::LSTM(int64_t units, LSTMOptions o) : Layer(make_layer(Gates::lstm, units, gate_options(o), loop_options(o))) {}
Layer LSTM::from_config(Fields& f) { return layer_from_config(Gates::lstm, f); }

GRU::GRU(int64_t units, GRUOptions o) : Layer(make_layer(Gates::gru, units, gate_options(o), loop_options(o))) {}
Layer GRU::from_config(Fields& f) { return layer_from_config(Gates::gru, f); }

void reset_states(const Layer& layer) {
  if (auto* recurrent = dynamic_cast<RecurrentModule*>(&layer.module())) recurrent->reset_states();
  for (const Layer& inside : layer.module().modules()) reset_states(inside);
}

std::vector<Variable> kept_states(const Layer& layer) {
  const auto* recurrent = dynamic_cast<RecurrentModule*>(&layer.module());
  return recurrent ? recurrent->states() : std::vector<Variable>();
}

}  // namespace brio::nn
