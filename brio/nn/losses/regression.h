// Losses for numbers: errors, absolute, squared, relative, logarithmic; Huber; log cosh; the angle between vectors.
// y_true and y_pred have one shape; the mean is taken over the last axis.
#pragma once

#include "brio/nn/losses/loss.h"

namespace brio::nn {

class MeanSquaredError : public Loss {
 public:
  explicit MeanSquaredError(LossOptions options = {});
};
class MeanAbsoluteError : public Loss {
 public:
  explicit MeanAbsoluteError(LossOptions options = {});
};
class MeanAbsolutePercentageError : public Loss {
 public:
  explicit MeanAbsolutePercentageError(LossOptions options = {});
};
class MeanSquaredLogarithmicError : public Loss {
 public:
  explicit MeanSquaredLogarithmicError(LossOptions options = {});
};
class LogCosh : public Loss {
 public:
  explicit LogCosh(LossOptions options = {});
};

struct HuberOptions {
  double delta = 1;  // errors above it count linearly
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
class Huber : public Loss {
 public:
  explicit Huber(HuberOptions options = {});
};

struct CosineSimilarityOptions {
  int axis = -1;
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// From -1, the same direction, to 1.
class CosineSimilarity : public Loss {
 public:
  explicit CosineSimilarity(CosineSimilarityOptions options = {});
};

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred);
Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred);
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred);
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred);
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred);
Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta = 1);
Tensor cosine_similarity(const Tensor& y_true, const Tensor& y_pred, int axis = -1);

}  // namespace brio::nn
