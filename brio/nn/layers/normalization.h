// Normalisation as layers, with Keras' defaults. Statistics are float32 (float64 for float64), whatever the policy.
#pragma once

#include <string>
#include <vector>

#include "brio/nn/initializer.h"
#include "brio/nn/module.h"

namespace brio::nn {

// gamma and beta, if a layer has them; once built.
class ScaledLayer : public Layer {
 public:
  Variable gamma() const;
  Variable beta() const;

 protected:
  using Layer::Layer;
};

struct BatchNormalizationOptions {
  int64_t axis = -1;  // of the features: each is normalised over the others
  double momentum = 0.99, epsilon = 1e-3;
  bool center = true, scale = true;
  Initializer beta_initializer = "zeros", gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros", moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
  bool synchronized = false;  // over several devices: not available yet
  Policy dtype = {};
  std::string name = {};
};
// Uses the statistics of the batch while training, and the moving averages follow these. Otherwise, and if it is
// frozen by set_trainable(false), it uses the moving averages. Steps that a mask leaves out do not count.
class BatchNormalization : public ScaledLayer {
 public:
  explicit BatchNormalization(BatchNormalizationOptions options = {});
  Variable moving_mean() const;
  Variable moving_variance() const;
  static Layer from_config(Fields& fields);
};

struct LayerNormalizationOptions {
  std::vector<int> axis = {-1};  // of every sample, over these together
  double epsilon = 1e-3;
  bool center = true, scale = true;
  Initializer beta_initializer = "zeros", gamma_initializer = "ones";
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
  Policy dtype = {};
  std::string name = {};
};
class LayerNormalization : public ScaledLayer {
 public:
  explicit LayerNormalization(LayerNormalizationOptions options = {});
  static Layer from_config(Fields& fields);
};

struct GroupNormalizationOptions {
  int64_t groups = 32;  // of the features; 1: all together; -1: each by itself
  int64_t axis = -1;
  double epsilon = 1e-3;
  bool center = true, scale = true;
  Initializer beta_initializer = "zeros", gamma_initializer = "ones";
  Regularizer beta_regularizer = {}, gamma_regularizer = {};
  Constraint beta_constraint = {}, gamma_constraint = {};
  Policy dtype = {};
  std::string name = {};
};
// Normalises each sample over a group of its features and all other axes.
class GroupNormalization : public ScaledLayer {
 public:
  explicit GroupNormalization(GroupNormalizationOptions options = {});
  static Layer from_config(Fields& fields);
};

struct RMSNormalizationOptions {
  std::vector<int> axis = {-1};
  double epsilon = 1e-6;
  Policy dtype = {};
  std::string name = {};
};
// x / sqrt(mean(x²) + epsilon), times a weight.
class RMSNormalization : public Layer {
 public:
  explicit RMSNormalization(RMSNormalizationOptions options = {});
  static Layer from_config(Fields& fields);
};

struct UnitNormalizationOptions {
  std::vector<int> axis = {-1};
  Policy dtype = {};
  std::string name = {};
};
// Scales to length 1 along the axes.
class UnitNormalization : public Layer {
 public:
  explicit UnitNormalization(UnitNormalizationOptions options = {});
  static Layer from_config(Fields& fields);
};

struct SpectralNormalizationOptions {
  int64_t power_iterations = 1;
  Policy dtype = {};
  std::string name = {};
};
// A layer whose kernel (or embeddings) is divided by its largest singular value at each training call.
class SpectralNormalization : public Layer {
 public:
  explicit SpectralNormalization(Layer layer, SpectralNormalizationOptions options = {});
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
