// The cells of Keras: SimpleRNNCell, LSTMCell, GRUCell, and a stack of cells that acts as one cell.
//
//   nn::RNN layer(nn::StackedRNNCells({nn::LSTMCell(64), nn::LSTMCell(32)}), {.return_sequences = true});
//
// While training, `dropout` drops inputs and `recurrent_dropout` states. The choice is drawn once per call and is the
// same in all time steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/activation.h"
#include "brio/nn/layers/recurrent_cell.h"

namespace brio::nn {

struct SimpleRNNCellOptions {
  ActivationFunction activation = "tanh";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// h = activation(x · kernel + h · recurrent_kernel + bias)
class SimpleRNNCell : public Layer {
 public:
  explicit SimpleRNNCell(int64_t units, SimpleRNNCellOptions options = {});
  static Layer from_config(Fields& fields);
};

struct LSTMCellOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;  // the forget gate's bias starts at 1
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// States h and c; the gates stand in the order input, forget, candidate, output.
class LSTMCell : public Layer {
 public:
  explicit LSTMCell(int64_t units, LSTMCellOptions options = {});
  static Layer from_config(Fields& fields);
};

struct GRUCellOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  bool reset_after = true;  // the reset gate acts on h · recurrent_kernel, which has its own bias; else on h
  std::optional<uint64_t> seed = {};
  Policy dtype = {};
  std::string name = {};
};
// The gates stand in the order update, reset, candidate.
class GRUCell : public Layer {
 public:
  explicit GRUCell(int64_t units, GRUCellOptions options = {});
  static Layer from_config(Fields& fields);
};

// Each cell gets the result of the cell before it. The states are those of all cells, one after the other.
class StackedRNNCells : public Layer {
 public:
  explicit StackedRNNCells(std::vector<Layer> cells, LayerOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
