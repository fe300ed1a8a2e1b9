#include "brio/nn/layers/recurrent_cells.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/nn/layers/recurrent_gates.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/lstm_gates.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

struct GatesRow {
  std::string_view layer, cell, name;
  int64_t gates;
  size_t states;
};
constexpr GatesRow kGates[] = {{"SimpleRNN", "SimpleRNNCell", "simple_rnn_cell", 1, 1},
                               {"LSTM", "LSTMCell", "lstm_cell", 4, 2},
                               {"GRU", "GRUCell", "gru_cell", 3, 1}};
const GatesRow& row(Gates gates) { return kGates[static_cast<size_t>(gates)]; }

// The columns [first, last) of a matrix, or of the last axis of a vector.
Tensor columns(const Tensor& x, int64_t first, int64_t last) {
  return x.rank() == 1 ? slice(x, {{first, last}}) : slice(x, {{}, {first, last}});
}

class GateCell : public Cell {
 public:
  GateCell(Gates gates, int64_t units, GateOptions options)
      : Cell(row(gates).name, {.dtype = options.dtype, .name = options.name}),
        gates_(gates),
        units_(units),
        options_(std::move(options)) {
    if (units <= 0)
      throw InvalidArgument(cat("[", name(), "] units is ", units, "; a ", row(gates_).layer, " needs one or more"));
    for (const double rate : {options_.dropout, options_.recurrent_dropout})
      if (!(rate >= 0 && rate < 1))
        throw InvalidArgument(
            cat("[", name(), "] a dropout rate is ", rate, "; it is the share to drop, 0 ≤ rate < 1"));
    if (options_.seed) generator_.emplace(*options_.seed);
    will_have_weights();
  }
  std::string_view kind() const override { return row(gates_).cell; }
  Generator* own_generator() override { return generator_ ? &*generator_ : nullptr; }
  void describe(Fields& f) override { list_fields(f, gates_, units_, options_); }
  std::vector<int64_t> state_sizes() const override { return std::vector(row(gates_).states, units_); }
  bool output_is_state() const override { return true; }

  Walk walk(const Tensor& sequence, const Call& how) override {
    if (sequence.shape()[2] != kernel_.shape()[0])
      throw InvalidArgument(cat("[", name(), "] was built for ", kernel_.shape()[0], " features, but the input has ",
                                sequence.shape()[2]));
    const DType dtype = policy().compute();
    const AutocastScope scope(dtype);
    const Weights weights = read(dtype, sequence.shape()[1], sequence.shape()[2], how.training);
    return {{project(cast(sequence, dtype), weights)},
            [this, weights](const Tensors& element, const Tensors& states) {
              return gates_ == Gates::lstm  ? lstm_step(weights, element[0], states)
                     : gates_ == Gates::gru ? gru_step(weights, element[0], states)
                                            : simple_step(weights, element[0], states);
            }};
  }

 protected:
  void create_all(const std::vector<Shape>& inputs) override {
    const int64_t wide = row(gates_).gates * units_;
    kernel_ = add_weight("kernel", {inputs[0][1], wide},
                         {.initializer = options_.kernel_initializer,
                          .regularizer = options_.kernel_regularizer,
                          .constraint = options_.kernel_constraint});
    recurrent_kernel_ = add_weight("recurrent_kernel", {units_, wide},
                                   {.initializer = options_.recurrent_initializer,
                                    .regularizer = options_.recurrent_regularizer,
                                    .constraint = options_.recurrent_constraint});
    if (!options_.use_bias) return;
    Initializer initializer = options_.bias_initializer;
    if (gates_ == Gates::lstm && options_.unit_forget_bias)
      initializer = {"unit_forget_bias", [this](const Shape&, DType dtype) {
                       const Initializer& other = options_.bias_initializer;
                       return concat({other({units_}, dtype), ones({units_}, dtype), other({2 * units_}, dtype)}, 0);
                     }};
    bias_ = add_weight("bias", two_biases() ? Shape{2, wide} : Shape{wide},
                       {.initializer = initializer,
                        .regularizer = options_.bias_regularizer,
                        .constraint = options_.bias_constraint});
  }

  void check_all(const std::vector<Shape>& inputs) const override {
    const Shape& x = inputs[0];
    if (inputs.size() != 1 + row(gates_).states)
      throw InvalidArgument(cat("[", name(), "] takes an input and ", row(gates_).states, " states, but got ",
                                inputs.size(), " tensors; call it as cell.call({x, states…})"));
    if (x.rank() != 2)
      throw InvalidArgument(cat("[", name(), "] takes the input of one time step, (batch, features), but got shape ",
                                x, "; a layer such as nn::RNN walks along a sequence"));
    for (size_t i = 1; i < inputs.size(); ++i)
      if (!(inputs[i] == Shape{x[0], units_}))
        throw InvalidArgument(cat("[", name(), "] state ", i - 1, " has shape ", inputs[i], "; for this input it is ",
                                  Shape{x[0], units_}));
  }

  Tensors call_all(const Tensors& inputs, const Call& how) override {
    const Walk one = walk(expand_dims(inputs[0], 0), how);
    return one.step({squeeze(one.elements[0], {0})}, Tensors(inputs.begin() + 1, inputs.end()));
  }

 private:
  // The weights in the dtype in which it computes, and what this call drops: one mask, or one for each gate.
  struct Weights {
    Tensor kernel, bias, recurrent_bias;
    Tensors recurrent;  // the whole kernel; or the gates that are multiplied at one time; or, with masks, each gate
    Tensors dropped, recurrent_dropped;
  };

  bool two_biases() const { return gates_ == Gates::gru && options_.reset_after; }

  Weights read(DType dtype, Size batch, Size features, bool training) {
    Weights w{cast(kernel_, dtype), {}, {}, {}, {}, {}};
    const Tensor recurrent = cast(recurrent_kernel_, dtype);
    auto gates = [&](int64_t first, int64_t last) {
      w.recurrent.push_back(columns(recurrent, first * units_, last * units_));
    };
    if (training && options_.recurrent_dropout > 0 && gates_ != Gates::simple)
      for (int64_t g = 0; g < row(gates_).gates; ++g) gates(g, g + 1);
    else if (gates_ == Gates::gru && !options_.reset_after) gates(0, 2), gates(2, 3);
    else w.recurrent = {recurrent};
    if (options_.use_bias) {
      w.bias = cast(bias_, dtype);
      if (two_biases()) {
        w.recurrent_bias = squeeze(slice(w.bias, {{1, 2}}), {0});
        w.bias = squeeze(slice(w.bias, {{0, 1}}), {0});
      }
    }
    if (!training) return w;
    // As Keras: gates share the mask of the inputs unless states are dropped too.
    const int64_t masks = options_.recurrent_dropout > 0 ? row(gates_).gates : 1;
    for (int64_t i = 0; i < masks; ++i) {
      if (options_.dropout > 0) w.dropped.push_back(draw({batch, features}, options_.dropout, dtype));
      if (options_.recurrent_dropout > 0)
        w.recurrent_dropped.push_back(draw({batch, units_}, options_.recurrent_dropout, dtype));
    }
    return w;
  }

  // 0 where something is dropped, else 1 / (1 - rate).
  Tensor draw(const Shape& shape, double rate, DType dtype) {
    const Tensor unit = random::uniform(shape, {.generator = generator_ ? &*generator_ : nullptr});
    return select(greater_equal(unit, constant(rate, f32)), constant(1 / (1 - rate), dtype), constant(0, dtype));
  }

  // x · kernel + bias of all time steps, as one product.
  Tensor project(const Tensor& x, const Weights& w) const {
    const Shape& s = x.shape();
    auto product = [&](const Tensor& part, const Tensor& kernel) {
      const Tensor z = matmul(reshape(part, {s[0] * s[1], s[2]}), kernel);
      return reshape(z, {s[0], s[1], kernel.shape()[1]});
    };
    Tensor z;
    if (w.dropped.size() <= 1) z = product(w.dropped.empty() ? x : x * w.dropped[0], w.kernel);
    else {
      Tensors parts;
      for (int64_t g = 0; g < row(gates_).gates; ++g)
        parts.push_back(
            product(x * w.dropped[static_cast<size_t>(g)], columns(w.kernel, g * units_, (g + 1) * units_)));
      z = concat(parts, -1);
    }
    return w.bias.defined() ? z + w.bias : z;
  }

  // h · recurrent_kernel of the gates [first, last), side by side.
  Tensor recur(const Tensor& h, const Weights& w, size_t first, size_t last) const {
    if (w.recurrent_dropped.empty()) return matmul(h, w.recurrent[first == 0 ? 0 : 1]);
    Tensors parts;
    for (size_t g = first; g < last; ++g) parts.push_back(matmul(h * w.recurrent_dropped[g], w.recurrent[g]));
    return parts.size() == 1 ? parts[0] : concat(parts, -1);
  }

  // Are the activations those that lstm_gates has?
  bool is_usual() const {
    return options_.activation.known() && options_.activation.name() == "tanh" &&
           options_.recurrent_activation.known() && options_.recurrent_activation.name() == "sigmoid";
  }
  Tensor gate(const Tensor& z, int64_t g) const { return columns(z, g * units_, (g + 1) * units_); }

  Tensors simple_step(const Weights& w, const Tensor& x, const Tensors& states) const {
    const Tensor h = options_.activation(x + recur(states[0], w, 0, 1));
    return {h, h};
  }

  Tensors lstm_step(const Weights& w, const Tensor& x, const Tensors& states) const {
    const Tensor product = recur(states[0], w, 0, 4);
    if (x.dtype() == f32 && is_usual()) {
      const LstmStates next = lstm_gates(x, product, states[1]);
      return {next.h, next.h, next.c};
    }
    const Tensor z = x + product;
    const Tensor in = options_.recurrent_activation(gate(z, 0)), forget = options_.recurrent_activation(gate(z, 1));
    const Tensor c = forget * states[1] + in * options_.activation(gate(z, 2));
    const Tensor h = options_.recurrent_activation(gate(z, 3)) * options_.activation(c);
    return {h, h, c};
  }

  Tensors gru_step(const Weights& w, const Tensor& x, const Tensors& states) const {
    const Tensor& before = states[0];
    Tensor inner = recur(before, w, 0, options_.reset_after ? 3 : 2);
    if (w.recurrent_bias.defined()) inner = inner + w.recurrent_bias;
    const Tensor update = options_.recurrent_activation(gate(x, 0) + gate(inner, 0));
    const Tensor reset = options_.recurrent_activation(gate(x, 1) + gate(inner, 1));
    const Tensor candidate = options_.activation(
        gate(x, 2) + (options_.reset_after ? reset * gate(inner, 2) : recur(reset * before, w, 2, 3)));
    const Tensor h = update * before + (constant(1, before.dtype()) - update) * candidate;
    return {h, h};
  }

  Gates gates_;
  int64_t units_;
  GateOptions options_;
  std::optional<Generator> generator_;
  Variable kernel_, recurrent_kernel_, bias_;
};

Layer cell_from_config(Gates gates, Fields& f) {
  auto o = options_from<GateOptions>(f);
  int64_t units = 0;
  list_fields(f, gates, units, o);
  return Layer(make_cell(gates, units, std::move(o)));
}

class Stack : public Cell {
 public:
  Stack(std::vector<Layer> cells, const LayerOptions& o) : Cell("stacked_rnn_cells", o) {
    if (cells.empty()) throw InvalidArgument(cat("[", name(), "] has no cells; give it one or more"));
    for (Layer& cell : cells) {
      if (!dynamic_cast<Cell*>(&cell.module()))
        throw InvalidArgument(cat("[", name(), "] '", cell.name(), "' is a ", cell.module().kind(),
                                  ", which is no cell; give it cells such as nn::LSTMCell"));
      add_module(std::move(cell));
    }
  }
  std::string_view kind() const override { return "StackedRNNCells"; }
  void describe(Fields& f) override {
    std::vector<Layer> cells = modules();
    f("cells", cells);
  }
  std::vector<int64_t> state_sizes() const override {
    std::vector<int64_t> all;
    for (const Layer& layer : modules())
      for (const int64_t size : cell(layer).state_sizes()) all.push_back(size);
    return all;
  }
  int64_t output_size() const override { return cell(modules().back()).output_size(); }
  Tensors initial_states(Size batch) const override {
    Tensors all;
    for (const Layer& layer : modules())
      for (Tensor& state : cell(layer).initial_states(batch)) all.push_back(std::move(state));
    return all;
  }
  std::vector<Cell*> stack() override {
    std::vector<Cell*> all;
    for (const Layer& layer : modules())
      for (Cell* inside : cell(layer).stack()) all.push_back(inside);
    return all;
  }

 protected:
  void check_all(const std::vector<Shape>& inputs) const override {
    if (inputs.size() != 1 + state_sizes().size())
      throw InvalidArgument(cat("[", name(), "] takes an input and ", state_sizes().size(), " states, but got ",
                                inputs.size(), " tensors; call it as cell.call({x, states…})"));
  }
  Tensors call_all(const Tensors& inputs, const Call& how) override {
    Tensors results{inputs[0]};
    size_t at = 1;
    for (const Layer& layer : modules()) {
      Tensors one{results[0]};
      for (size_t i = 0; i < cell(layer).state_sizes().size(); ++i) one.push_back(inputs[at++]);
      one = layer.call(one, {.training = how.training});
      results[0] = one[0];
      results.insert(results.end(), one.begin() + 1, one.end());
    }
    return results;
  }

 private:
  static Cell& cell(const Layer& layer) { return static_cast<Cell&>(layer.module()); }
};

}  // namespace

std::string_view layer_kind(Gates gates) { return row(gates).layer; }

void list_fields(Fields& f, Gates gates, int64_t& units, GateOptions& o) {
  f("units", units);
  f("activation", o.activation);
  if (gates != Gates::simple) f("recurrent_activation", o.recurrent_activation);
  f("use_bias", o.use_bias);
  if (gates == Gates::lstm) f("unit_forget_bias", o.unit_forget_bias);
  f("kernel_initializer", o.kernel_initializer);
  f("recurrent_initializer", o.recurrent_initializer);
  f("bias_initializer", o.bias_initializer);
  f("kernel_regularizer", o.kernel_regularizer);
  f("recurrent_regularizer", o.recurrent_regularizer);
  f("bias_regularizer", o.bias_regularizer);
  f("kernel_constraint", o.kernel_constraint);
  f("recurrent_constraint", o.recurrent_constraint);
  f("bias_constraint", o.bias_constraint);
  f("dropout", o.dropout);
  f("recurrent_dropout", o.recurrent_dropout);
  if (gates == Gates::gru) f("reset_after", o.reset_after);
  f("seed", o.seed);
}

std::shared_ptr<Cell> make_cell(Gates gates, int64_t units, GateOptions options) {
  return std::make_shared<GateCell>(gates, units, std::move(options));
}

SimpleRNNCell::SimpleRNNCell(int64_t units, SimpleRNNCellOptions o)
    : Layer(make_cell(Gates::simple, units, gate_options(o))) {}
Layer SimpleRNNCell::from_config(Fields& f) { return cell_from_config(Gates::simple, f); }

LSTMCell::LSTMCell(int64_t units, LSTMCellOptions o) : Layer(make_cell(Gates::lstm, units, gate_options(o))) {}
Layer LSTMCell::from_config(Fields& f) { return cell_from_config(Gates::lstm, f); }

GRUCell::GRUCell(int64_t units, GRUCellOptions o) : Layer(make_cell(Gates::gru, units, gate_options(o))) {}
Layer GRUCell::from_config(Fields& f) { return cell_from_config(Gates::gru, f); }

StackedRNNCells::StackedRNNCells(std::vector<Layer> cells, LayerOptions options)
    : Layer(std::make_shared<Stack>(std::move(cells), options)) {}
Layer StackedRNNCells::from_config(Fields& f) {
  auto o = options_from<LayerOptions>(f);
  std::vector<Layer> cells;
  f("cells", cells);
  return StackedRNNCells(std::move(cells), o);
}

}  // namespace brio::nn
