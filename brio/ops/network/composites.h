// Fused forms that carry their plain definition: a backend may run them in one pass; if it cannot, the plain ops run.
// Softmax and the losses use the last axis and never overflow.
#pragma once

#include <string_view>

#include "brio/ir/op.h"
#include "brio/ir/tensor.h"

namespace brio {

namespace op {
extern const OpDef linear, softmax, log_softmax, softmax_xent, softmax_xent_grad, softmax_xent_value_and_grad,
    sigmoid_xent, softsign;
}

enum class FusedActivation : uint8_t { none, relu, sigmoid, tanh };
std::string_view name_of(FusedActivation activation);

struct LinearOptions {
  FusedActivation activation = FusedActivation::none;
  bool transpose_a = false, transpose_b = false;
};
// activation(matmul(a, b) + bias) for a of rank ≥ 2, b of rank 2 and a bias of as many elements as there are columns.
Tensor linear(const Tensor& a, const Tensor& b, const Tensor& bias, LinearOptions options = {});

Tensor softmax(const Tensor& x, int axis = -1);
Tensor log_softmax(const Tensor& x, int axis = -1);

// Cross-entropy of softmax(logits) against labels, one loss per row of the last axis. Integer labels are class
// numbers, one per row; a number out of range is an error during the run. Floating-point labels are probabilities, of
// the shape of logits.
Tensor softmax_xent(const Tensor& logits, const Tensor& labels);
// Its gradient with respect to the logits, `g` being the cotangent of the losses; and both at once.
Tensor softmax_xent_grad(const Tensor& logits, const Tensor& labels, const Tensor& g);
struct ValueAndGrad {
  Tensor value, gradient;
};
ValueAndGrad softmax_xent_value_and_grad(const Tensor& logits, const Tensor& labels, const Tensor& g);

// Cross-entropy of sigmoid(logits) against probabilities, elementwise: max(x, 0) - x z + log(1 + exp(-|x|)).
Tensor sigmoid_xent(const Tensor& logits, const Tensor& labels);

// Attributes, for kernels.
inline FusedActivation linear_activation(Attrs attrs) { return static_cast<FusedActivation>(attrs[0]); }
inline bool xent_is_sparse(Attrs attrs) { return attrs[0] != 0; }
// For kernels: throws InvalidArgument for the first class number outside of the logits' last axis.
void check_labels(const OpDef& op, const Shape& logits, DType label_dtype, const void* labels);
[[noreturn]] void throw_bad_label(const OpDef& op, const Shape& logits, int64_t label, int64_t row);

}  // namespace brio
