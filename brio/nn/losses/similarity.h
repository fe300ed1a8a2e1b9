// Losses for embeddings: those of one class should be close together, those of different classes far apart.
#pragma once

#include "brio/nn/losses/loss.h"

namespace brio::nn {

struct CircleOptions {
  double gamma = 80;            // scale
  double margin = 0.4;          // how far apart classes should be
  bool remove_diagonal = true;  // an embedding is not compared with itself
  Reduction reduction = Reduction::sum_over_batch_size;
  std::string name = {};
};
// y_true is a class number for each row of y_pred, which are vectors of length 1. Rows whose loss is 0 do not count
// in the mean.
class Circle : public Loss {
 public:
  explicit Circle(CircleOptions options = {});
};

// With references, the rows are compared with those instead of with each other.
struct References {
  Tensor labels = {}, embeddings = {};
};
Tensor circle(const Tensor& y_true, const Tensor& y_pred, const CircleOptions& options = {},
              const References& references = {});

}  // namespace brio::nn
