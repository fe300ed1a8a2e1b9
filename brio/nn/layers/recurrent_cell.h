// Cell: one step of a recurrent layer, (input, states…) → (output, states…). nn::RNN walks one along a sequence.
//
//   class Leaky : public nn::Cell {
//    public:
//     Leaky() : Cell("leaky") {}
//     std::string_view kind() const override { return "Leaky"; }
//     std::vector<int64_t> state_sizes() const override { return {8}; }
//
//    protected:
//     nn::Tensors call_all(const nn::Tensors& in, const nn::Call&) override {
//       const Tensor h = in[1] * 0.9f + in[0] * 0.1f;
//       return {h, h};
//     }
//   };
//   nn::RNN layer(nn::layer<Leaky>(), {.return_sequences = true});
//
// Random numbers that call_all() draws are new in every step.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

class Cell : public MultiModule {
 public:
  using MultiModule::MultiModule;

  virtual std::vector<int64_t> state_sizes() const = 0;  // of one sample: a state is (batch, size)
  virtual int64_t output_size() const { return state_sizes().at(0); }
  virtual Tensors initial_states(Size batch) const;  // zeros
  // True: the output is the first of the new states, so it needs no memory of its own.
  virtual bool output_is_state() const { return false; }
  // The cells that it consists of; each walks along the results of the one before. A single cell returns itself.
  virtual std::vector<Cell*> stack() { return {this}; }

  // A walk along a sequence (time, batch, …). Work that is the same for all steps (the product of the inputs with
  // their kernel, random draws) is done before it. `elements`, (time, …) each, are a step's other inputs.
  struct Walk {
    Tensors elements;
    std::function<Tensors(const Tensors& element, const Tensors& states)> step;  // → output, states…
  };
  virtual Walk walk(const Tensor& sequence, const Call& how);
};

}  // namespace brio::nn
