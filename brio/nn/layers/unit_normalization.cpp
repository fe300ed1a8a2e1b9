// Normalisation by a length alone: of what passes (RMSNormalization, UnitNormalization) or of a kernel
// (SpectralNormalization).
#include "brio/nn/config.h"
#include "brio/nn/layers/feature_axes.h"
#include "brio/nn/layers/normalization.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

void list_fields(Fields& f, RMSNormalizationOptions& o) {
  f("axis", o.axis);
  f("epsilon", o.epsilon);
}

class RMSNormalizationModule : public Module {
 public:
  explicit RMSNormalizationModule(RMSNormalizationOptions options)
      : Module("rms_normalization", {.dtype = options.dtype, .name = options.name}), options_(std::move(options)) {
    will_have_weights();
  }
  std::string_view kind() const override { return "RMSNormalization"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  void create_weights(const Shape& input) override {
    scale_ = add_weight("scale", sizes_at(axes(input), input), {.initializer = "ones"});
  }
  void check_input(const Shape& input) const override {
    check_built_for(name(), scale_, sizes_at(axes(input), input), input);
  }
  Tensor call(const Tensor& input, const Call&) override {
    const DType dtype = input.dtype() == f64 ? f64 : f32;
    const Tensor x = cast(input, dtype);
    const std::vector<int> over = axes(x.shape());
    if (are_last(over, x.shape())) {
      const RowNormOptions options{.epsilon = options_.epsilon, .centered = false};
      return cast(normalised_rows(x, over, scale_, Variable(), options), policy().compute());
    }
    const Tensor inverse = rsqrt(mean(square(x), Axes(over), true) + constant(options_.epsilon, dtype));
    const Tensor y = x * inverse * reshape(cast(scale_, dtype), aligned(over, x.shape()));
    return cast(y, policy().compute());
  }

 private:
  std::vector<int> axes(const Shape& input) const { return sorted_axes(name(), options_.axis, input); }
  RMSNormalizationOptions options_;
  Variable scale_;
};

// Along the axes, of length 1; what is shorter than epsilon is stretched by 1 / epsilon.
Tensor of_length_one(const Tensor& x, const Axes& axes, double epsilon) {
  return x * minimum(rsqrt(sum(square(x), axes, true)), constant(1 / epsilon, x.dtype()));
}

class UnitNormalizationModule : public Module {
 public:
  explicit UnitNormalizationModule(UnitNormalizationOptions options)
      : Module("unit_normalization", {.dtype = options.dtype, .name = options.name}), axis_(std::move(options.axis)) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "UnitNormalization"; }
  void describe(Fields& f) override { f("axis", axis_); }

 protected:
  void check_input(const Shape& input) const override { sorted_axes(name(), axis_, input); }
  Tensor call(const Tensor& x, const Call&) override {
    return of_length_one(is_floating(x.dtype()) ? x : cast(x, policy().compute()), Axes(axis_), 1e-12);
  }

 private:
  std::vector<int> axis_;
};

class SpectralNormalizationModule : public Module {
 public:
  SpectralNormalizationModule(Layer layer, const SpectralNormalizationOptions& options)
      : Module("spectral_normalization", {.dtype = options.dtype, .name = options.name}),
        power_iterations_(options.power_iterations),
        layer_(add_module(std::move(layer))) {
    if (power_iterations_ < 1)
      throw_invalid(name(), cat("power_iterations is ", power_iterations_, "; it is one or more"));
    if (layer_.module().takes_many())
      throw_invalid(name(),
                    cat("wraps '", layer_.name(), "', which takes several inputs; wrap a layer of one input"));
  }
  std::string_view kind() const override { return "SpectralNormalization"; }
  void describe(Fields& f) override {
    std::optional<Layer> layer = layer_;
    f("layer", layer);
    f("power_iterations", power_iterations_);
  }

 protected:
  void create_weights(const Shape& input) override {
    layer_.build(input);
    kernel_ = Variable();
    for (const Variable& variable : layer_.variables())
      for (const std::string_view what : {"kernel", "embeddings"})
        if (variable.name() == cat(layer_.name(), "/", what)) kernel_ = variable;
    if (!kernel_.impl())
      throw_invalid(name(), cat("wraps '", layer_.name(), "', which has neither kernel nor embeddings"));
    adopt_weight(kernel_);  // Keras lists it here, too
    const Shape& shape = kernel_.shape();
    u_ =
        add_weight("vector_u", {1, shape[shape.rank() - 1]},
                   {.initializer = truncated_normal({.stddev = 0.02}), .trainable = false, .dtype = kernel_.dtype()});
  }
  Tensor call(const Tensor& x, const Call& how) override {
    if (how.training) normalise_kernel();
    const Tensor y = layer_(x);
    return y.dtype() == x.dtype() || !is_floating(x.dtype()) ? y : cast(y, x.dtype());
  }

 private:
  // Power iterations find the largest singular value. A kernel of zeros has none and stays.
  void normalise_kernel() {
    const AutocastScope own(std::nullopt);  // weights in their own dtype
    const Tensor kernel = stop_gradient(kernel_), matrix = reshape(kernel, {-1, u_.shape()[1]});
    Tensor u = u_, v;
    for (int64_t i = 0; i < power_iterations_; ++i) {
      v = of_length_one(matmul(u, matrix, {.transpose_b = true}), {}, 1e-7);
      u = of_length_one(matmul(v, matrix), {}, 1e-7);
    }
    const Tensor largest = matmul(matmul(v, matrix), u, {.transpose_b = true});
    const Tensor is_zero = all(equal(kernel, constant(0, kernel.dtype())));
    kernel_.assign(select(is_zero, kernel, kernel / reshape(largest, Shape{})));
    u_.assign(select(is_zero, u_, u));
  }

  int64_t power_iterations_;
  Layer layer_;
  Variable kernel_, u_;
};

}  // namespace

RMSNormalization::RMSNormalization(RMSNormalizationOptions options)
    : Layer(std::make_shared<RMSNormalizationModule>(std::move(options))) {}
Layer RMSNormalization::from_config(Fields& f) {
  auto o = options_from<RMSNormalizationOptions>(f);
  list_fields(f, o);
  return RMSNormalization(o);
}

UnitNormalization::UnitNormalization(UnitNormalizationOptions options)
    : Layer(std::make_shared<UnitNormalizationModule>(std::move(options))) {}
Layer UnitNormalization::from_config(Fields& f) {
  auto o = options_from<UnitNormalizationOptions>(f);
  f("axis", o.axis);
  return UnitNormalization(o);
}

SpectralNormalization::SpectralNormalization(Layer layer, SpectralNormalizationOptions options)
    : Layer(std::make_shared<SpectralNormalizationModule>(std::move(layer), options)) {}
Layer SpectralNormalization::from_config(Fields& f) {
  auto o = options_from<SpectralNormalizationOptions>(f);
  std::optional<Layer> layer;
  f("layer", layer);
  f("power_iterations", o.power_iterations);
  if (!layer) throw_invalid(o.name, "the config of a SpectralNormalization has no layer");
  return SpectralNormalization(*layer, o);
}

}  // namespace brio::nn
