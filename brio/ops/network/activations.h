// The activations of Keras 3 and tf.nn, with their definitions, defaults and gradients at the kinks. relu, sigmoid,
// tanh, softplus, exp (elementwise.h), softmax and log_softmax (composites.h) are ops of their own.
//
//   nn::Dense(64, {.activation = "gelu"})   // by name: brio/nn/activation.h
//   gelu(x, true)
#pragma once

#include <optional>

#include "brio/ir/tensor.h"

namespace brio {

struct ReluOptions {
  double negative_slope = 0;
  std::optional<double> max_value = {};
  double threshold = 0;
};
// x from threshold to max_value, max_value above; negative_slope (x - threshold) below.
Tensor relu(const Tensor& x, const ReluOptions& options);
Tensor relu6(const Tensor& x);                                    // relu, at most 6
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2);  // x above 0, negative_slope x below
Tensor prelu(const Tensor& x, const Tensor& alpha);               // leaky, with slopes that are learnt
Tensor crelu(const Tensor& x, int axis = -1);                     // relu(x) and relu(-x), one after the other
Tensor elu(const Tensor& x, double alpha = 1);                    // x above 0, alpha (exp(x) - 1) below
Tensor selu(const Tensor& x);                                     // elu, scaled so that variances stay
Tensor celu(const Tensor& x, double alpha = 1);                   // x above 0, alpha (exp(x / alpha) - 1) below
Tensor gelu(const Tensor& x, bool approximate = false);  // x times the normal distribution; or its form with tanh
Tensor silu(const Tensor& x);                            // x sigmoid(x)
Tensor mish(const Tensor& x);                            // x tanh(softplus(x))
Tensor softsign(const Tensor& x);                        // x / (1 + |x|)
Tensor squareplus(const Tensor& x, double b = 4);        // (x + sqrt(x² + b)) / 2
Tensor sparse_plus(const Tensor& x);                     // 0 up to -1, (x + 1)² / 4 up to 1, then x
Tensor log_sigmoid(const Tensor& x);
Tensor hard_sigmoid(const Tensor& x);                         // relu6(x + 3) / 6
Tensor hard_silu(const Tensor& x);                            // x hard_sigmoid(x)
Tensor hard_tanh(const Tensor& x);                            // x within [-1, 1]
Tensor sparse_sigmoid(const Tensor& x);                       // (x + 1) / 2 within [0, 1]
Tensor tanh_shrink(const Tensor& x);                          // x - tanh(x)
Tensor hard_shrink(const Tensor& x, double threshold = 0.5);  // x where |x| > threshold, 0 elsewhere
Tensor soft_shrink(const Tensor& x, double threshold = 0.5);  // x, nearer to 0 by threshold, 0 around it
Tensor threshold(const Tensor& x, double threshold, double default_value);  // x above threshold, else default_value
Tensor glu(const Tensor& x, int axis = -1);        // a sigmoid(b), x being a and b along axis
Tensor sparsemax(const Tensor& x, int axis = -1);  // the point of the simplex that is nearest to x

}  // namespace brio
