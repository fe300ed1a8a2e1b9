// Recurrent layers: SimpleRNN, LSTM, GRU, and RNN over any cell. (batch, time, features) → (batch, units), or with
// return_sequences (batch, time, units); with return_state the last states follow.
//
//   Tensor last = nn::LSTM(64)(x);
//   nn::Tensors all = nn::LSTM(64, {.return_sequences = true, .return_state = true}).call({x});   // {y, h, c}
//   Tensor from = nn::LSTM(64)({x, h, c});                                                        // initial states
//
// A time step that the mask leaves out keeps the states, and returns the output of the step before it again (or 0,
// with zero_output_for_mask). go_backwards starts at the last step, and returns results in that order. A stateful
// layer starts where the previous call ended; the first call fixes its batch size. `unroll` is Keras' and has no
// effect here: a loop costs no more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/activation.h"
#include "brio/nn/layers/recurrent_cell.h"

namespace brio::nn {

struct RNNOptions {
  bool return_sequences = false, return_state = false, go_backwards = false;
  bool stateful = false, unroll = false, zero_output_for_mask = false;
  Regularizer activity_regularizer = {};
  Policy dtype = {};
  std::string name = {};
};
class RNN : public Layer {
 public:
  explicit RNN(Layer cell, RNNOptions options = {});
  static Layer from_config(Fields& fields);
};

struct SimpleRNNOptions {
  ActivationFunction activation = "tanh";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<uint64_t> seed = {};
  bool return_sequences = false, return_state = false, go_backwards = false;
  bool stateful = false, unroll = false, zero_output_for_mask = false;
  Policy dtype = {};
  std::string name = {};
};
class SimpleRNN : public Layer {
 public:
  explicit SimpleRNN(int64_t units, SimpleRNNOptions options = {});
  static Layer from_config(Fields& fields);
};

struct LSTMOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;  // the forget gate's bias starts at 1
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  std::optional<uint64_t> seed = {};
  bool return_sequences = false, return_state = false, go_backwards = false;
  bool stateful = false, unroll = false, zero_output_for_mask = false;
  Policy dtype = {};
  std::string name = {};
};
class LSTM : public Layer {
 public:
  explicit LSTM(int64_t units, LSTMOptions options = {});
  static Layer from_config(Fields& fields);
};

struct GRUOptions {
  ActivationFunction activation = "tanh";
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, recurrent_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, recurrent_constraint = {}, bias_constraint = {};
  double dropout = 0, recurrent_dropout = 0;
  bool reset_after = true;  // see GRUCellOptions
  std::optional<uint64_t> seed = {};
  bool return_sequences = false, return_state = false, go_backwards = false;
  bool stateful = false, unroll = false, zero_output_for_mask = false;
  Policy dtype = {};
  std::string name = {};
};
class GRU : public Layer {
 public:
  explicit GRU(int64_t units, GRUOptions options = {});
  static Layer from_config(Fields& fields);
};

// Stateful layers, including inner ones, start from zeros again.
void reset_states(const Layer& layer);
// The states that a stateful layer keeps from one batch to the next; empty before it is built.
std::vector<Variable> kept_states(const Layer& layer);

}  // namespace brio::nn
