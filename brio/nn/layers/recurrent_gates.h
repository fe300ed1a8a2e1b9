// Shared by SimpleRNN, LSTM and GRU, for recurrent_cells.cpp and recurrent.cpp: a kernel, a recurrent kernel and a
// bias that hold the gates side by side.
#pragma once

#include <memory>

#include "brio/nn/layers/recurrent_cells.h"

namespace brio::nn {

enum class Gates : uint8_t { simple, lstm, gru };
std::string_view layer_kind(Gates gates);  // "LSTM"

// The options of all of them.
struct GateOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  bool reset_after = true;
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};

// From the options of one kind of cell or layer.
template <typename Options>
GateOptions gate_options(const Options& o) {
  GateOptions g;
  g.activation = o.activation;
  if constexpr (requires { o.recurrent_activation; }) g.recurrent_activation = o.recurrent_activation;
  g.use_bias = o.use_bias;
  g.kernel_initializer = o.kernel_initializer;
  g.recurrent_initializer = o.recurrent_initializer;
  g.bias_initializer = o.bias_initializer;
  if constexpr (requires { o.unit_forget_bias; }) g.unit_forget_bias = o.unit_forget_bias;
  g.kernel_regularizer = o.kernel_regularizer;
  g.recurrent_regularizer = o.recurrent_regularizer;
  g.bias_regularizer = o.bias_regularizer;
  g.kernel_constraint = o.kernel_constraint;
  g.recurrent_constraint = o.recurrent_constraint;
  g.bias_constraint = o.bias_constraint;
  g.dropout = o.dropout;
  g.recurrent_dropout = o.recurrent_dropout;
  if constexpr (requires { o.reset_after; }) g.reset_after = o.reset_after;
  g.seed = o.seed;
  g.dtype = o.dtype;
  g.name = o.name;
  return g;
}

void list_fields(Fields& fields, Gates gates, int64_t& units, GateOptions& options);
std::shared_ptr<Cell> make_cell(Gates gates, int64_t units, GateOptions options);

}  // namespace brio::nn
