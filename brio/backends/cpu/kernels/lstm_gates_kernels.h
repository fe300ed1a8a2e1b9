// The gates and new states of an LSTM for rows of f32, and their gradients: one pass, in which everything between the
// products of a step stays in registers.
#pragma once

#include <cstdint>

namespace brio::cpu {

// Rows of x, product and dz have four gates of `units` each; those of the others `units`.
struct LstmGatesCall {
  int64_t units;
  const float *x, *product, *c;
  const float *dh, *dc;    // backward: the cotangents of the new states
  float *h_out, *c_out;    // forward
  float *dz_out, *dc_out;  // backward
};
using LstmGatesFn = void (*)(const LstmGatesCall& call, int64_t begin, int64_t end);  // rows
struct LstmGatesFns {
  LstmGatesFn forward, backward;
};
LstmGatesFns find_lstm_gates_fns();

}  // namespace brio::cpu
