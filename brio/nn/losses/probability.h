// Losses for probabilities: cross-entropies, also focal and generalised ones, Kullback-Leibler divergence, Poisson.
//
//   nn::Loss loss = nn::CategoricalCrossentropy({.from_logits = true, .label_smoothing = 0.1});
//   nn::Loss loss = nn::SparseCategoricalCrossentropy({.ignore_class = 255});
//
// If a sigmoid or softmax has just made the predictions, a cross-entropy is computed from the input of that op, which
// never overflows and is one fused op. This works inside function() and fit, and in eager code under a tape.
// Otherwise probabilities are clipped to [1e-7, 1 - 1e-7].
#pragma once

#include <optional>

#include "brio/nn/losses/loss.h"

namespace brio::nn {

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
  std::optional<int64_t> ignore_class = {};  // rows with this number are ignored
  int axis = -1;
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// y_true is a class number for each row.
class SparseCategoricalCrossentropy : public Loss {
 public:
  explicit SparseCategoricalCrossentropy(SparseCrossentropyOptions options = {});
};

// The focal losses give good predictions less weight: (1 - p)^gamma.
struct BinaryFocalOptions {
  bool apply_class_balancing = false;  // ones count alpha, zeros 1 - alpha
  double alpha = 0.25, gamma = 2;
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
class BinaryFocalCrossentropy : public Loss {
 public:
  explicit BinaryFocalCrossentropy(BinaryFocalOptions options = {});
};

struct CategoricalFocalOptions {
  std::vector<double> alpha = {0.25};  // one factor for all classes, or one for each
  double gamma = 2;
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
class CategoricalFocalCrossentropy : public Loss {
 public:
  explicit CategoricalFocalCrossentropy(CategoricalFocalOptions options = {});
};

struct GeneralizedCrossentropyOptions {
  double q = 0.5;  // between 0 (cross-entropy) and 1 (absolute error)
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// (1 - p^q) / q of the probability of y_true's class: tolerates wrong labels.
class CategoricalGeneralizedCrossEntropy : public Loss {
 public:
  explicit CategoricalGeneralizedCrossEntropy(GeneralizedCrossentropyOptions options = {});
};

class KLDivergence : public Loss {
 public:
  explicit KLDivergence(LossOptions options = {});
};
class Poisson : public Loss {
 public:
  explicit Poisson(LossOptions options = {});
};

Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                           double label_smoothing = 0, int axis = -1);
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                                double label_smoothing = 0, int axis = -1);
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                                       std::optional<int64_t> ignore_class = {}, int axis = -1);
Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, const BinaryFocalOptions& options = {});
Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred,
                                      const CategoricalFocalOptions& options = {});
Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred, double q = 0.5);
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred);
Tensor poisson(const Tensor& y_true, const Tensor& y_pred);

}  // namespace brio::nn
