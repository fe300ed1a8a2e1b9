// Initialisers: the first value of a weight. By name, with Keras' defaults, or made with options:
//
//   nn::Dense(64, {.kernel_initializer = "he_normal"})
//   nn::Dense(64, {.kernel_initializer = nn::random_normal({.stddev = 0.01, .seed = 7})})
//   nn::Dense(64, {.bias_initializer = nn::constant_initializer(0.1)})
//
// Without a seed they draw from random::generator(), so set_random_seed() makes weights reproducible.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "brio/base/value_names.h"
#include "brio/ir/tensor.h"
#include "brio/nn/settings.h"

namespace brio {

// Seeds everything that has no seed of its own: initialisers, dropout, shuffling, random::*.
void set_random_seed(uint64_t seed);

namespace nn {

class Initializer {
 public:
  using Function = std::function<Tensor(const Shape&, DType)>;

  Initializer(std::string_view name);  // throws InvalidArgument for an unknown name
  Initializer(const char* name) : Initializer(std::string_view(name)) {}
  Initializer(const std::string& name) : Initializer(std::string_view(name)) {}
  Initializer(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}
  Initializer(Settings settings, Function function)
      : name_(settings.class_name), function_(std::move(function)), settings_(std::move(settings)) {}
  static Initializer from(const Settings& settings);

  const std::string& name() const { return name_; }
  const Settings& settings() const { return settings_; }
  Tensor operator()(const Shape& shape, DType dtype = f32) const;

 private:
  std::string name_;
  Function function_;
  Settings settings_;
};

Initializer constant_initializer(double value = 0);

struct RandomUniformOptions {
  double minval = -0.05, maxval = 0.05;
  std::optional<uint64_t> seed = {};
};
struct RandomNormalOptions {
  double mean = 0, stddev = 0.05;
  std::optional<uint64_t> seed = {};
};
Initializer random_uniform(RandomUniformOptions options = {});
Initializer random_normal(RandomNormalOptions options = {});
// Normal, but at most two deviations from the mean. The deviation is that of the normal before the cut, as in
// Keras.
Initializer truncated_normal(RandomNormalOptions options = {});

enum class Fan : uint8_t { in, out, average };
constexpr auto value_names(Fan) {
  return std::to_array<ValueName<Fan>>({{"fan_in", Fan::in}, {"fan_out", Fan::out}, {"fan_avg", Fan::average}});
}
enum class Spread : uint8_t { uniform, normal, truncated_normal };
constexpr auto value_names(Spread) {
  return std::to_array<ValueName<Spread>>({{"uniform", Spread::uniform},
                                           {"untruncated_normal", Spread::normal},
                                           {"truncated_normal", Spread::truncated_normal},
                                           {"normal", Spread::truncated_normal}});
}
struct VarianceScalingOptions {
  double scale = 1;
  Fan mode = Fan::in;
  Spread distribution = Spread::truncated_normal;
  std::optional<uint64_t> seed = {};
};
// Variance scale / fan. The fans of a matrix are its sides; for a kernel (…, in, out) they include its window.
Initializer variance_scaling(VarianceScalingOptions options = {});

struct OrthogonalOptions {
  double gain = 1;
  std::optional<uint64_t> seed = {};
};
// The axes before the last are rows; the vectors of the shorter side are orthonormal, times the gain.
Initializer orthogonal_initializer(OrthogonalOptions options = {});
Initializer identity_initializer(double gain = 1);  // matrices only

}  // namespace nn
}  // namespace brio
