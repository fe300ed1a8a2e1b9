// The metrics that are the mean of a loss of the same name. They have a namespace of their own, as in Keras:
//
//   nn::Metric error = nn::metrics::MeanAbsoluteError();      // nn::MeanAbsoluteError is the loss
#pragma once

#include <optional>

#include "brio/nn/metrics/metric.h"

namespace brio::nn::metrics {

class MeanSquaredError : public Metric {
 public:
  explicit MeanSquaredError(MetricOptions options = {});
};
class MeanAbsoluteError : public Metric {
 public:
  explicit MeanAbsoluteError(MetricOptions options = {});
};
class MeanAbsolutePercentageError : public Metric {
 public:
  explicit MeanAbsolutePercentageError(MetricOptions options = {});
};
class MeanSquaredLogarithmicError : public Metric {
 public:
  explicit MeanSquaredLogarithmicError(MetricOptions options = {});
};
class Hinge : public Metric {
 public:
  explicit Hinge(MetricOptions options = {});
};
class SquaredHinge : public Metric {
 public:
  explicit SquaredHinge(MetricOptions options = {});
};
class CategoricalHinge : public Metric {
 public:
  explicit CategoricalHinge(MetricOptions options = {});
};
class KLDivergence : public Metric {
 public:
  explicit KLDivergence(MetricOptions options = {});
};
class Poisson : public Metric {
 public:
  explicit Poisson(MetricOptions options = {});
};

struct CosineSimilarityOptions {
  int axis = -1;
  std::string name = {};
};
// Of opposite sign to the loss: 1 is the same direction.
class CosineSimilarity : public Metric {
 public:
  explicit CosineSimilarity(CosineSimilarityOptions options = {});
};

struct CrossentropyOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  std::string name = {};
};
class BinaryCrossentropy : public Metric {
 public:
  explicit BinaryCrossentropy(CrossentropyOptions options = {});
};
class CategoricalCrossentropy : public Metric {
 public:
  explicit CategoricalCrossentropy(CrossentropyOptions options = {});
};

struct SparseCrossentropyOptions {
  bool from_logits = false;
  std::optional<int64_t> ignore_class = {};
  int axis = -1;
  std::string name = {};
};
class SparseCategoricalCrossentropy : public Metric {
 public:
  explicit SparseCategoricalCrossentropy(SparseCrossentropyOptions options = {});
};

}  // namespace brio::nn::metrics
