#include "brio/nn/initializer.h"

#include <cmath>

#include "brio/base/error.h"
#include "brio/nn/names.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/linear_algebra/factorizations.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/random/distributions.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {

void set_random_seed(uint64_t seed) { random::set_seed(seed); }

namespace nn {
namespace {

constexpr double kCutStddev = 0.87962566103423978;  // of a standard normal that is cut at ±2

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

Setting seed_setting(const std::optional<uint64_t>& seed) {
  return seed ? Setting(static_cast<int64_t>(*seed)) : Setting();
}
std::optional<uint64_t> seed_of(const Settings& s) {
  if (!s.find("seed")) return {};
  return static_cast<uint64_t>(s.integer("seed", 0));
}

RandomNormalOptions normal_options(const Settings& s) {
  return {.mean = s.number("mean", 0), .stddev = s.number("stddev", 0.05), .seed = seed_of(s)};
}

template <HasValueNames Enum>
Enum choice(const Settings& s, std::string_view key, Enum otherwise) {
  return row_named(key, s.text(key, name_of(otherwise)), value_names(otherwise)).value;
}

// A fan-scaled initialiser that has a name of its own.
template <int scale, Fan fan, Spread spread>
Initializer scaled(const Settings& s) {
  Initializer made = variance_scaling({.scale = scale, .mode = fan, .distribution = spread, .seed = seed_of(s)});
  return {Settings{s.class_name, {{"seed", s.find("seed") ? Setting(s.integer("seed", 0)) : Setting()}}},
          [made](const Shape& shape, DType dtype) { return made(shape, dtype); }};
}

struct InitializerRow {
  std::string_view name, class_name;
  Initializer (*make)(const Settings&);
};
constexpr auto kZeros = [](const Settings&) { return constant_initializer(0); };
constexpr auto kOnes = [](const Settings&) { return constant_initializer(1); };
constexpr auto kConstant = [](const Settings& s) { return constant_initializer(s.number("value", 0)); };
constexpr auto kUniform = [](const Settings& s) {
  return random_uniform(
      {.minval = s.number("minval", -0.05), .maxval = s.number("maxval", 0.05), .seed = seed_of(s)});
};
constexpr auto kNormal = [](const Settings& s) { return random_normal(normal_options(s)); };
constexpr auto kTruncated = [](const Settings& s) { return truncated_normal(normal_options(s)); };
constexpr auto kScaling = [](const Settings& s) {
  return variance_scaling({.scale = s.number("scale", 1),
                           .mode = choice(s, "mode", Fan::in),
                           .distribution = choice(s, "distribution", Spread::truncated_normal),
                           .seed = seed_of(s)});
};
constexpr auto kOrthogonal = [](const Settings& s) {
  return orthogonal_initializer({.gain = s.number("gain", 1), .seed = seed_of(s)});
};
constexpr auto kIdentity = [](const Settings& s) { return identity_initializer(s.number("gain", 1)); };
constexpr InitializerRow kInitializers[] = {
    {"zeros", "Zeros", kZeros},
    {"zero", "Zeros", kZeros},
    {"Zeros", "Zeros", kZeros},
    {"ones", "Ones", kOnes},
    {"one", "Ones", kOnes},
    {"Ones", "Ones", kOnes},
    {"constant", "Constant", kConstant},
    {"Constant", "Constant", kConstant},
    {"random_uniform", "RandomUniform", kUniform},
    {"uniform", "RandomUniform", kUniform},
    {"RandomUniform", "RandomUniform", kUniform},
    {"random_normal", "RandomNormal", kNormal},
    {"normal", "RandomNormal", kNormal},
    {"RandomNormal", "RandomNormal", kNormal},
    {"truncated_normal", "TruncatedNormal", kTruncated},
    {"TruncatedNormal", "TruncatedNormal", kTruncated},
    {"variance_scaling", "VarianceScaling", kScaling},
    {"VarianceScaling", "VarianceScaling", kScaling},
    {"glorot_uniform", "GlorotUniform", scaled<1, Fan::average, Spread::uniform>},
    {"GlorotUniform", "GlorotUniform", scaled<1, Fan::average, Spread::uniform>},
    {"glorot_normal", "GlorotNormal", scaled<1, Fan::average, Spread::truncated_normal>},
    {"GlorotNormal", "GlorotNormal", scaled<1, Fan::average, Spread::truncated_normal>},
    {"he_uniform", "HeUniform", scaled<2, Fan::in, Spread::uniform>},
    {"HeUniform", "HeUniform", scaled<2, Fan::in, Spread::uniform>},
    {"he_normal", "HeNormal", scaled<2, Fan::in, Spread::truncated_normal>},
    {"HeNormal", "HeNormal", scaled<2, Fan::in, Spread::truncated_normal>},
    {"lecun_uniform", "LecunUniform", scaled<1, Fan::in, Spread::uniform>},
    {"LecunUniform", "LecunUniform", scaled<1, Fan::in, Spread::uniform>},
    {"lecun_normal", "LecunNormal", scaled<1, Fan::in, Spread::truncated_normal>},
    {"LecunNormal", "LecunNormal", scaled<1, Fan::in, Spread::truncated_normal>},
    {"orthogonal", "Orthogonal", kOrthogonal},
    {"Orthogonal", "Orthogonal", kOrthogonal},
    {"OrthogonalInitializer", "Orthogonal", kOrthogonal},
    {"identity", "Identity", kIdentity},
    {"Identity", "Identity", kIdentity},
    {"IdentityInitializer", "Identity", kIdentity},
};

Initializer by_name(std::string_view name, Settings settings) {
  const InitializerRow& row = row_named("initializer", name, kInitializers);
  settings.class_name = row.class_name;
  return row.make(settings);
}

}  // namespace

Initializer::Initializer(std::string_view name) : Initializer(by_name(name, {})) { name_ = name; }
Initializer Initializer::from(const Settings& settings) { return by_name(settings.class_name, settings); }

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  Tensor value = function_(shape, dtype);
  if (!(value.aval() == Aval{shape, dtype}))
    throw InvalidArgument(cat("[initializer] '", name_, "' gave ", value.dtype(), " of shape ", value.shape(),
                              " where ", dtype, " of shape ", shape, " was asked for"));
  return value;
}

Initializer constant_initializer(double value) {
  Settings settings{"Constant", {{"value", value}}};
  if (value == 0 || value == 1) settings = {value == 0 ? "Zeros" : "Ones", {}};
  return {std::move(settings), [value](const Shape& shape, DType dtype) {
            return is_floating(dtype) ? full(shape, value, dtype) : cast(full(shape, value, f64), dtype);
          }};
}

Initializer random_uniform(RandomUniformOptions o) {
  return {Settings{"RandomUniform", {{"minval", o.minval}, {"maxval", o.maxval}, {"seed", seed_setting(o.seed)}}},
          [o](const Shape& shape, DType dtype) {
            return random::uniform(shape, {.low = o.minval, .high = o.maxval, .dtype = dtype, .seed = o.seed});
          }};
}

Initializer random_normal(RandomNormalOptions o) {
  return {Settings{"RandomNormal", {{"mean", o.mean}, {"stddev", o.stddev}, {"seed", seed_setting(o.seed)}}},
          [o](const Shape& shape, DType dtype) {
            return random::normal(shape, {.mean = o.mean, .stddev = o.stddev, .dtype = dtype, .seed = o.seed});
          }};
}

Initializer truncated_normal(RandomNormalOptions o) {
  if (!(o.stddev >= 0)) throw InvalidArgument(cat("[initializer] stddev is ", o.stddev, "; it must be ≥ 0"));
  return {Settings{"TruncatedNormal", {{"mean", o.mean}, {"stddev", o.stddev}, {"seed", seed_setting(o.seed)}}},
          [o](const Shape& shape, DType dtype) {
            return random::truncated_normal(shape,
                                            {.mean = o.mean, .stddev = o.stddev, .dtype = dtype, .seed = o.seed});
          }};
}

Initializer variance_scaling(VarianceScalingOptions o) {
  if (!(o.scale > 0)) throw InvalidArgument(cat("[initializer] the scale is ", o.scale, "; it must be above 0"));
  return {Settings{"VarianceScaling",
                   {{"scale", o.scale},
                    {"mode", std::string(name_of(o.mode))},
                    {"distribution", std::string(name_of(o.distribution))},
                    {"seed", seed_setting(o.seed)}}},
          [o](const Shape& shape, DType dtype) {
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

Initializer orthogonal_initializer(OrthogonalOptions o) {
  return {Settings{"Orthogonal", {{"gain", o.gain}, {"seed", seed_setting(o.seed)}}},
          [o](const Shape& shape, DType dtype) {
            if (shape.rank() < 2)
              throw InvalidArgument(cat("[initializer] 'orthogonal' makes matrices and more, but the shape is ",
                                        shape, "; use another initializer for vectors"));
            const int64_t columns = shape[shape.rank() - 1];
            int64_t rows = 1;
            for (int i = 0; i + 1 < shape.rank(); ++i) rows *= shape[i];
            const DType exact = dtype == f64 ? f64 : f32;  // short formats have no factorisations
            const Tensor a =
                random::normal({std::max(rows, columns), std::min(rows, columns)}, {.dtype = exact, .seed = o.seed});
            const linalg::Qr factors = linalg::qr(a);
            // With the signs of r's diagonal every orthogonal matrix is as likely as any other.
            Tensor q = factors.q * sign(linalg::diag_part(factors.r));
            if (rows < columns) q = transpose(q);
            return cast(reshape(q, shape) * constant(o.gain, exact), dtype);
          }};
}

Initializer identity_initializer(double gain) {
  return {Settings{"Identity", {{"gain", gain}}}, [gain](const Shape& shape, DType dtype) {
            if (shape.rank() != 2)
              throw InvalidArgument(cat("[initializer] 'identity' makes matrices, but the shape is ", shape,
                                        "; use another initializer"));
            return eye(shape[0], shape[1], dtype) * constant(gain, dtype);
          }};
}

}  // namespace nn
}  // namespace brio
