// The module of all recurrent layers, for recurrent.cpp and the wrappers.
#pragma once

#include "brio/nn/layers/recurrent.h"
#include "brio/nn/layers/recurrent_cell.h"

namespace brio::nn {

class RecurrentModule : public MultiModule {
 public:
  // `kind` is "RNN", or that of a layer that has its cell's options.
  RecurrentModule(std::string_view kind, Layer cell, RNNOptions options);

  std::string_view kind() const override { return kind_; }
  void describe(Fields& fields) override;
  const RNNOptions& options() const { return options_; }
  void set_zero_output_for_mask(bool zero) { options_.zero_output_for_mask = zero; }
  size_t state_count() const { return cell().state_sizes().size(); }
  void reset_states();
  const std::vector<Variable>& states() const { return states_; }

 protected:
  void create_all(const std::vector<Shape>& inputs) override;
  void check_all(const std::vector<Shape>& inputs) const override;
  Tensors call_all(const Tensors& inputs, const Call& how) override;
  Tensors compute_masks(const Tensors& inputs, const Call& how, size_t results) const override;

 private:
  struct Walked {
    Tensor last, sequence;  // (batch, …) and (time, batch, …), the second only where it was asked for
    Tensors states;
  };
  Cell& cell() const { return static_cast<Cell&>(modules()[0].module()); }
  Walked walk(Cell& cell, const Tensor& sequence, const Tensors& states, const Tensor& mask, bool keep,
              const Call& how);
  Tensor time_major_mask(const Tensor& mask, const Shape& input) const;

  std::string kind_;
  RNNOptions options_;
  std::vector<Variable> states_;  // of a stateful layer, once built
};

void list_fields(Fields& fields, RNNOptions& options);

}  // namespace brio::nn
