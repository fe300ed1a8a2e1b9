// The work of an LSTM on the products of a time step: four gates and the new states. As plain ops these are a dozen
// passes over small tensors. (Hochreiter and Schmidhuber 1997, in the order of Keras: input, forget, candidate,
// output.)
//
//   z = x + product;  c' = sigmoid(forget) · c + sigmoid(input) · tanh(candidate);  h' = sigmoid(output) · tanh(c')
#pragma once

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
// lstm_gates: x, product, c → h', c'. lstm_gates_grad: x, product, c, cotangents of h' and c' → those of z and c.
extern const OpDef lstm_gates, lstm_gates_grad;
}  // namespace op

struct LstmStates {
  Tensor h, c;
};
// x and product have the shape of c, but the last axis is four times as long: the gates, side by side.
LstmStates lstm_gates(const Tensor& x, const Tensor& product, const Tensor& c);

}  // namespace brio
