// Losses, with Keras 3's formulas, defaults and names.
//
//   nn::Loss loss = "binary_crossentropy";
//   nn::Loss loss = nn::CategoricalCrossentropy({.from_logits = true, .label_smoothing = 0.1});
//   Tensor value = loss(y_true, y_pred);            // a scalar: the mean over the batch
//   nn::Loss own("mine", [](const Tensor& t, const Tensor& p) { return mean(abs(t - p), -1); });
//
// A cross-entropy of predictions that a sigmoid or softmax has just made is computed from what went into it, which
// never overflows and is one fused op. That holds inside function() and fit, and in eager code under a tape.
// Elsewhere, and for predictions from other places, probabilities are clipped to [1e-7, 1 - 1e-7].
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "brio/ir/tensor.h"

namespace brio::nn {

enum class Reduction : uint8_t { sum_over_batch_size, sum, none, mean, mean_with_sample_weight };

class Loss {
 public:
  // One loss per sample, of shape (batch, d0, … dN-1), from y_true and y_pred.
  using Function = std::function<Tensor(const Tensor&, const Tensor&)>;

  Loss() = default;             // none
  Loss(std::string_view name);  // throws InvalidArgument for an unknown one
  Loss(const char* name) : Loss(std::string_view(name)) {}
  Loss(const std::string& name) : Loss(std::string_view(name)) {}
  Loss(std::string name, Function function, Reduction reduction = Reduction::sum_over_batch_size);

  bool defined() const { return impl_ != nullptr; }
  const std::string& name() const;
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight = {}) const;

 private:
  struct Impl {
    std::string name;
    Function function;
    Reduction reduction;
  };
  std::shared_ptr<const Impl> impl_;
};

struct CrossentropyOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;  // of the classes; for the binary loss, the axis of the mean
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// y_true and y_pred are probabilities of the same shape.
class BinaryCrossentropy : public Loss {
 public:
  explicit BinaryCrossentropy(CrossentropyOptions options = {});
};
// y_true is a probability (one-hot) for each class.
class CategoricalCrossentropy : public Loss {
 public:
  explicit CategoricalCrossentropy(CrossentropyOptions options = {});
};

struct SparseCrossentropyOptions {
  bool from_logits = false;
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// y_true is a class number for each row.
class SparseCategoricalCrossentropy : public Loss {
 public:
  explicit SparseCategoricalCrossentropy(SparseCrossentropyOptions options = {});
};

struct LossOptions {
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
class MeanSquaredError : public Loss {
 public:
  explicit MeanSquaredError(LossOptions options = {});
};

// The losses themselves, one value per sample.
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                           double label_smoothing = 0, int axis = -1);
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                                double label_smoothing = 0, int axis = -1);
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false);
Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred);

// Where two tensors differ in rank by a last axis of size 1, one of them gains or loses it: a (batch,) beside a
// (batch, 1) becomes (batch, 1).
struct Pair {
  Tensor a, b;
};
Pair to_same_rank(const Tensor& a, const Tensor& b);

// The mean over the axes from `first` on; axes of size 1 need no arithmetic.
Tensor mean_from(const Tensor& x, int first);

// What kind of labels y_true holds beside such predictions, as Keras tells them apart.
enum class LabelKind : uint8_t { binary, sparse, one_hot };
LabelKind label_kind(const Shape& y_true, const Shape& y_pred);

}  // namespace brio::nn
