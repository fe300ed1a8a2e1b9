// EinsumDense: activation(einsum(equation, x, kernel) + bias).
//
//   nn::EinsumDense("abc,cd->abd", {kUnknown, 64}, {.bias_axes = "d"})   // as Dense(64)
//   nn::EinsumDense("...x,xy->...y", {64})                              // the same for any rank
#pragma once

#include <string>
#include <vector>

#include "brio/nn/activation.h"
#include "brio/nn/initializer.h"
#include "brio/nn/module.h"

namespace brio::nn {

struct EinsumDenseOptions {
  ActivationFunction activation = "linear";
  std::string bias_axes = {};  // labels of the output axes that have a bias; empty: no bias
  Initializer kernel_initializer = "glorot_uniform", bias_initializer = "zeros";
  Regularizer kernel_regularizer = {}, bias_regularizer = {}, activity_regularizer = {};
  Constraint kernel_constraint = {}, bias_constraint = {};
  Policy dtype = {};
  std::string name = {};
};

// The equation is "x,kernel->y", "...x,kernel->...y" or "x...,kernel->y...". output_shape has the sizes of y's
// labels, without the batch and the axes of "..."; kUnknown: the size follows from the input.
class EinsumDense : public Layer {
 public:
  EinsumDense(std::string equation, std::vector<int64_t> output_shape, EinsumDenseOptions options = {});
  Variable kernel() const;  // once built
  Variable bias() const;
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
