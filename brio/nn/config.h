// Configs: the options of a layer or model as JSON in Keras' form. Weights are not part of a config.
//
//   std::string json = nn::to_json(model);
//   nn::Layer again = nn::layer_from_json(json);          // the same layers, with fresh weights
//   nn::register_layer("Scale", [](nn::Fields&) { return nn::layer<Scale>(); });   // one of your own
//
// A layer lists its options once, in describe(): the same list writes and reads a config.
//
//   void describe(nn::Fields& f) override { f("factor", factor_); }
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brio/base/value_names.h"
#include "brio/nn/activation.h"
#include "brio/nn/module.h"
#include "brio/ops/network/window.h"

namespace brio {

constexpr auto value_names(DataFormat) {
  return std::to_array<ValueName<DataFormat>>(
      {{"channels_last", DataFormat::channels_last}, {"channels_first", DataFormat::channels_first}});
}

}  // namespace brio

namespace brio::nn {

class Fields {
 public:
  virtual ~Fields() = default;
  virtual bool reading() const = 0;

  // When reading, a value stays unchanged if the config lacks it. A value of another kind throws
  // InvalidArgument.
  virtual void operator()(std::string_view name, bool& value) = 0;
  virtual void operator()(std::string_view name, int64_t& value) = 0;
  virtual void operator()(std::string_view name, double& value) = 0;
  virtual void operator()(std::string_view name, std::string& value) = 0;
  virtual void operator()(std::string_view name, std::optional<bool>& value) = 0;
  virtual void operator()(std::string_view name, std::optional<int64_t>& value) = 0;
  virtual void operator()(std::string_view name, std::optional<uint64_t>& value) = 0;  // a seed
  virtual void operator()(std::string_view name, std::optional<double>& value) = 0;
  virtual void operator()(std::string_view name, std::optional<std::string>& value) = 0;
  virtual void operator()(std::string_view name, std::vector<int64_t>& value) = 0;  // a number is a list of one
  virtual void operator()(std::string_view name, std::vector<int>& value) = 0;      // the same, but -1 is no gap
  virtual void operator()(std::string_view name, std::vector<double>& value) = 0;   // so here
  virtual void operator()(std::string_view name, std::vector<std::string>& value) = 0;
  virtual void operator()(std::string_view name, std::vector<std::vector<int64_t>>& value) = 0;
  virtual void operator()(std::string_view name, Initializer& value) = 0;
  virtual void operator()(std::string_view name, Regularizer& value) = 0;
  virtual void operator()(std::string_view name, Constraint& value) = 0;
  virtual void operator()(std::string_view name, ActivationFunction& value) = 0;
  virtual void operator()(std::string_view name, Policy& value) = 0;
  virtual void operator()(std::string_view name, WindowPadding& value) = 0;
  virtual void operator()(std::string_view name, DataFormat& value) = 0;
  virtual void operator()(std::string_view name, std::optional<Layer>& value) = 0;
  virtual void operator()(std::string_view name, std::vector<Layer>& value) = 0;
};

// Options that every layer's config has: name and dtype. The layer's own describe() adds the rest.
template <typename Options>
Options options_from(Fields& fields) {
  Options options;
  fields("name", options.name);
  fields("dtype", options.dtype);
  return options;
}

// Makes a layer from a config.
using LayerMaker = std::function<Layer(Fields&)>;
void register_layer(std::string_view kind, LayerMaker maker);

std::string to_json(const Layer& layer, int indent = -1);
Layer layer_from_json(std::string_view json);  // throws InvalidArgument: no JSON, an unknown kind, a wrong value
// The same layers with new weights of their own.
Layer clone(const Layer& layer);

}  // namespace brio::nn
