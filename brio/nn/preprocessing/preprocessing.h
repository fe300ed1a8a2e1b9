// Layers that prepare numbers, with Keras' defaults. Normalization and Discretization can learn their parameters from
// data: adapt().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brio/nn/module.h"

namespace brio::nn {

struct RescalingOptions {
  double offset = 0;
  Policy dtype = {};
  std::string name = {};
};
class Rescaling : public Layer {  // x · scale + offset
 public:
  explicit Rescaling(double scale, RescalingOptions options = {});
  static Layer from_config(Fields& fields);
};

struct NormalizationOptions {
  std::vector<int> axis = {-1};                  // each position along these has its own mean; empty: one for all
  std::vector<double> mean = {}, variance = {};  // default: found by adapt(); one value applies to all positions
  bool invert = false;                           // back from what it gave
  Policy dtype = {};
  std::string name = {};
};
class Normalization : public Layer {  // (x - mean) / sqrt(variance)
 public:
  explicit Normalization(NormalizationOptions options = {});
  void adapt(const Tensor& data) const;
  static Layer from_config(Fields& fields);
};

struct CategoryEncodingOptions {
  std::string output_mode = "multi_hot";  // or "one_hot", "count"
  Policy dtype = {};
  std::string name = {};
};
// Whole numbers below num_tokens become rows of num_tokens: one for each number, or one for each sample that shows
// every number it holds, or how often. A second input to "count" holds weights.
class CategoryEncoding : public Layer {
 public:
  explicit CategoryEncoding(int64_t num_tokens, CategoryEncodingOptions options = {});
  static Layer from_config(Fields& fields);
};

struct DiscretizationOptions {
  std::vector<double> bin_boundaries = {};  // ascending
  std::optional<int64_t> num_bins = {};     // or: how many adapt() should make, equally full
  double epsilon = 0.01;                    // how exactly adapt() divides the data
  std::string output_mode = "int";          // or as CategoryEncoding's
  Policy dtype = {};
  std::string name = {};
};
class Discretization : public Layer {  // the number of the bin that a number falls into
 public:
  explicit Discretization(DiscretizationOptions options = {});
  void adapt(const Tensor& data) const;
  std::vector<double> bin_boundaries() const;
  static Layer from_config(Fields& fields);
};

}  // namespace brio::nn
