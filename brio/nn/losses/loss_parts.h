// Shared by losses and metrics: checks of y_true, y_pred, weights and masks, and conversions between their shapes.
// Not for users.
#pragma once

#include <string>
#include <string_view>

#include "brio/ir/tensor.h"
#include "brio/nn/epsilon.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"

namespace brio::nn {

inline std::string or_default(std::string name, std::string_view otherwise) {
  return name.empty() ? std::string(otherwise) : std::move(name);
}

struct Pair {
  Tensor a, b;
};
// Where two tensors differ in rank by a last axis of size 1, one of them gains or loses it: a (batch,) beside a
// (batch, 1) becomes (batch, 1).
Pair to_same_rank(const Tensor& a, const Tensor& b);

// Throws InvalidArgument unless both are given and the predictions are floating-point.
void require(std::string_view loss, const Tensor& y_true, const Tensor& y_pred);
void require_same_shape(std::string_view loss, const Tensor& y_true, const Tensor& y_pred, std::string_view hint);
// y_true (a) in the dtype and shape of y_pred (b), which are checked.
Pair compared(std::string_view loss, const Tensor& y_true, const Tensor& y_pred,
              std::string_view hint = "reshape one of them");

// The same for losses of differences. As in Keras, targets of size 1 broadcast along an axis of predictions, and the
// other way round.
Pair compared_broadcast(std::string_view loss, const Tensor& y_true, const Tensor& y_pred);

// The class numbers that go with predictions whose classes lie along `axis` (not negative): y_true without an axis of
// size 1 there, as integers.
Tensor class_numbers(std::string_view loss, const Tensor& y_true, const Tensor& y_pred, int axis);

Axes axes_from(int first, int rank);  // first, …, rank - 1
// The mean over the axes from `first` on; axes of size 1 need no arithmetic.
Tensor mean_from(const Tensor& x, int first);
inline Tensor mean_last(const Tensor& x) { return x.rank() == 0 ? x : mean_from(x, x.rank() - 1); }

// Probabilities away from 0 and 1, so that their logarithms are finite.
Tensor clipped(const Tensor& p);

// Booleans: what both masks allow; one of them may be undefined.
Tensor both_masks(std::string_view what, const Tensor& a, const Tensor& b);
// Weights (or undefined) times the mask's counts.
Tensor with_mask(std::string_view what, const Tensor& weight, const Tensor& counts);

// What kind of labels y_true holds beside such predictions, as Keras tells them apart.
enum class LabelKind : uint8_t { binary, sparse, one_hot };
LabelKind label_kind(const Shape& y_true, const Shape& y_pred);

}  // namespace brio::nn
