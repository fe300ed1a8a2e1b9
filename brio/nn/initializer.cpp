#include "brio/nn/initializer.h"

#include <array>
#include <cmath>
#include <numbers>

#include "brio/base/error.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/random.h"
#include "brio/ops/shape_ops.h"

namespace brio {

void set_random_seed(uint64_t seed) { random::set_seed(seed); }

namespace nn {
namespace {

constexpr double kCutStddev = 0.87962566103423978;  // of a standard normal that is cut at ±2

// Normal numbers between -2 and 2, by the inverse of the normal's integral: one uniform number each, so the result is
// a pure function of seed and index like every other draw. The inverse error function is Giles' polynomial
// ("Approximating the erfinv function", 2010) in w = -log(1 - x²); |x| ≤ erf(√2) keeps w below 5, where its central
// branch alone is needed. Its error, some 1e-7, is far below what an initial weight can tell.
Tensor cut_normal(const Shape& shape, DType dtype, std::optional<uint64_t> seed) {
  constexpr double kErfOfCut = 0.95449973610364158;  // erf(√2): the share of a normal within two deviations
  constexpr std::array<double, 9> kGiles = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                            -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                            -0.00417768164,  0.246640727,    1.50140941};
  const Tensor one = constant(1, dtype);
  const Tensor unit = random::uniform(shape, {.dtype = dtype, .seed = seed});
  const Tensor x = unit * constant(2 * kErfOfCut, dtype) - constant(kErfOfCut, dtype);
  const Tensor w = neg(log((one - x) * (one + x))) - constant(2.5, dtype);
  Tensor p = constant(kGiles[0], dtype);
  for (size_t i = 1; i < kGiles.size(); ++i) p = p * w + constant(kGiles[i], dtype);
  const Tensor z = p * x * constant(std::numbers::sqrt2, dtype);
  return maximum(minimum(z, constant(2, dtype)), constant(-2, dtype));
}

struct Fans {
  double in = 1, out = 1;
};
Fans fans_of(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return {};
  if (rank == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double window = 1;
  for (int i = 0; i < rank - 2; ++i) window *= static_cast<double>(shape[i]);
  return {window * static_cast<double>(shape[rank - 2]), window * static_cast<double>(shape[rank - 1])};
}

constexpr std::string_view kNames[] = {"zeros",
                                       "ones",
                                       "constant",
                                       "random_uniform",
                                       "random_normal",
                                       "truncated_normal",
                                       "variance_scaling",
                                       "glorot_uniform",
                                       "glorot_normal",
                                       "he_uniform",
                                       "he_normal",
                                       "lecun_uniform",
                                       "lecun_normal"};

Initializer by_name(std::string_view name) {
  if (name == "zeros" || name == "zero" || name == "constant" || name == "Zeros") return constant_initializer(0);
  if (name == "ones" || name == "one" || name == "Ones") return constant_initializer(1);
  if (name == "random_uniform" || name == "uniform" || name == "RandomUniform") return random_uniform();
  if (name == "random_normal" || name == "normal" || name == "RandomNormal") return random_normal();
  if (name == "truncated_normal" || name == "TruncatedNormal") return truncated_normal();
  if (name == "variance_scaling" || name == "VarianceScaling") return variance_scaling();
  struct Row {
    std::string_view name, also;
    double scale;
    Fan fan;
    Spread spread;
  };
  constexpr Row rows[] = {
      {"glorot_uniform", "GlorotUniform", 1, Fan::average, Spread::uniform},
      {"glorot_normal", "GlorotNormal", 1, Fan::average, Spread::truncated_normal},
      {"he_uniform", "HeUniform", 2, Fan::in, Spread::uniform},
      {"he_normal", "HeNormal", 2, Fan::in, Spread::truncated_normal},
      {"lecun_uniform", "LecunUniform", 1, Fan::in, Spread::uniform},
      {"lecun_normal", "LecunNormal", 1, Fan::in, Spread::truncated_normal},
  };
  for (const Row& row : rows)
    if (name == row.name || name == row.also)
      return variance_scaling({.scale = row.scale, .mode = row.fan, .distribution = row.spread});
  throw_unknown("initializer", name, kNames);
}

}  // namespace

Initializer::Initializer(std::string_view name) : Initializer(by_name(name)) { name_ = name; }

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  Tensor value = function_(shape, dtype);
  if (!(value.aval() == Aval{shape, dtype}))
    throw InvalidArgument(cat("[initializer] '", name_, "' gave ", value.dtype(), " of shape ", value.shape(),
                              " where ", dtype, " of shape ", shape, " was asked for"));
  return value;
}

Initializer constant_initializer(double value) {
  return {value == 0   ? "zeros"
          : value == 1 ? "ones"
                       : "constant",
          [value](const Shape& shape, DType dtype) { return full(shape, value, dtype); }};
}

Initializer random_uniform(RandomUniformOptions o) {
  return {"random_uniform", [o](const Shape& shape, DType dtype) {
            return random::uniform(shape, {.low = o.minval, .high = o.maxval, .dtype = dtype, .seed = o.seed});
          }};
}

Initializer random_normal(RandomNormalOptions o) {
  return {"random_normal", [o](const Shape& shape, DType dtype) {
            return random::normal(shape, {.mean = o.mean, .stddev = o.stddev, .dtype = dtype, .seed = o.seed});
          }};
}

Initializer truncated_normal(RandomNormalOptions o) {
  if (!(o.stddev >= 0)) throw InvalidArgument(cat("[initializer] stddev is ", o.stddev, "; it must be ≥ 0"));
  return {"truncated_normal", [o](const Shape& shape, DType dtype) {
            return cut_normal(shape, dtype, o.seed) * constant(o.stddev, dtype) + constant(o.mean, dtype);
          }};
}

Initializer variance_scaling(VarianceScalingOptions o) {
  if (!(o.scale > 0)) throw InvalidArgument(cat("[initializer] the scale is ", o.scale, "; it must be above 0"));
  return {"variance_scaling", [o](const Shape& shape, DType dtype) {
            const Fans fans = fans_of(shape);
            const double fan = o.mode == Fan::in ? fans.in : o.mode == Fan::out ? fans.out : (fans.in + fans.out) / 2;
            const double variance = o.scale / std::max(1.0, fan);
            switch (o.distribution) {
              case Spread::uniform: {
                const double limit = std::sqrt(3 * variance);
                return random_uniform({.minval = -limit, .maxval = limit, .seed = o.seed})(shape, dtype);
              }
              case Spread::normal:
                return random_normal({.stddev = std::sqrt(variance), .seed = o.seed})(shape, dtype);
              case Spread::truncated_normal: break;
            }
            return truncated_normal({.stddev = std::sqrt(variance) / kCutStddev, .seed = o.seed})(shape, dtype);
          }};
}

}  // namespace nn
}  // namespace brio
