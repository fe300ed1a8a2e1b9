#include "brio/nn/layers/dropout.h"

#include <cmath>

#include "brio/nn/config.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

// What draws: `amount` says how much.
class NoiseModule : public Module {
 public:
  NoiseModule(std::string_view base, std::string_view what, double amount, std::optional<uint64_t> seed,
              const LayerOptions& options, bool up_to_1 = true)
      : Module(base, options), what_(what), amount_(amount), seed_(seed) {
    if (!(amount >= 0 && amount <= 1) || (amount == 1 && !up_to_1))
      throw_invalid(name(),
                    cat("the ", what, " is ", amount, "; it must lie between 0 and 1", up_to_1 ? "" : ", below 1"));
    if (seed_) generator_.emplace(*seed_);
    supports_masking_ = true;
  }
  Generator* own_generator() override { return generator(); }
  void describe(Fields& f) override {
    f(what_, amount_);
    f("seed", seed_);
  }

 protected:
  virtual Tensor disturbed(const Tensor& x) = 0;
  Tensor call(const Tensor& x, const Call& how) override { return how.training && amount_ != 0 ? disturbed(x) : x; }

  static DType drawn_in(const Tensor& x) { return is_floating(x.dtype()) ? x.dtype() : f32; }
  Generator* generator() { return generator_ ? &*generator_ : nullptr; }
  Tensor kept(const Shape& shape, DType dtype) {
    return greater_equal(random::uniform(shape, {.dtype = dtype, .generator = generator()}),
                         constant(amount_, dtype));
  }
  Tensor normal(const Tensor& x, double mean, double stddev) {
    return random::normal(x.shape(),
                          {.mean = mean, .stddev = stddev, .dtype = drawn_in(x), .generator = generator()});
  }
  static Tensor floating(const Tensor& x) { return is_floating(x.dtype()) ? x : cast(x, drawn_in(x)); }
  double amount() const { return amount_; }

 private:
  std::string_view what_;
  double amount_;
  std::optional<uint64_t> seed_;
  std::optional<Generator> generator_;
};

class DropoutModule : public NoiseModule {
 public:
  DropoutModule(double rate, const DropoutOptions& o, std::string_view base = "dropout", bool up_to_1 = true)
      : NoiseModule(base, "rate", rate, o.seed, {.dtype = o.dtype, .name = o.name}, up_to_1),
        noise_shape_(o.noise_shape) {}
  std::string_view kind() const override { return "Dropout"; }
  void describe(Fields& f) override {
    NoiseModule::describe(f);
    f("noise_shape", noise_shape_);
  }

 protected:
  Tensor disturbed(const Tensor& x) override {
    if (amount() == 1) return zeros_like(x);
    return select(kept(noise_shape(x.shape()), drawn_in(x)), x * constant(1 / (1 - amount()), x.dtype()),
                  constant(0, x.dtype()));
  }
  virtual Shape noise_shape(const Shape& input) const {
    if (noise_shape_.empty()) return input;
    Shape shape = input, both;
    if (static_cast<int>(noise_shape_.size()) == input.rank())
      for (int i = 0; i < input.rank(); ++i)
        if (const int64_t dim = noise_shape_[static_cast<size_t>(i)]; dim != kUnknown) shape.set(i, dim);
    if (static_cast<int>(noise_shape_.size()) != input.rank() || !broadcast(shape, input, both) || both != input)
      throw_invalid(
          name(), cat("noise_shape ", Spec(noise_shape_).str(), " does not broadcast to the input's shape ", input));
    return shape;
  }

 private:
  std::vector<int64_t> noise_shape_;
};

class SpatialDropoutModule : public DropoutModule {
 public:
  SpatialDropoutModule(int axes, double rate, const SpatialDropoutOptions& o)
      : DropoutModule(rate, {.seed = o.seed, .dtype = o.dtype, .name = o.name}, cat("spatial_dropout", axes, "d")),
        kind_(cat("SpatialDropout", axes, "D")),
        axes_(axes),
        data_format_(o.data_format) {
    if (axes == 1 && data_format_ != DataFormat::channels_last)
      throw_invalid(name(), "SpatialDropout1D takes (batch, steps, channels) alone; permute the axes");
  }
  std::string_view kind() const override { return kind_; }
  void describe(Fields& f) override {
    NoiseModule::describe(f);  // NOLINT(bugprone-parent-virtual-call): noise_shape is not given but worked out
    if (axes_ > 1) f("data_format", data_format_);
  }

 protected:
  void check_input(const Shape& input) const override {
    if (input.rank() != axes_ + 2)
      throw_invalid(name(), cat("takes inputs of rank ", axes_ + 2,
                                ", batch, channels and spatial axes, but got shape ", input));
  }
  Shape noise_shape(const Shape& input) const override {
    Shape shape = input;
    const int first = data_format_ == DataFormat::channels_last ? 1 : 2;
    for (int i = 0; i < axes_; ++i) shape.set(first + i, 1);
    return shape;
  }

 private:
  std::string kind_;
  int axes_;
  DataFormat data_format_;
};

class AlphaDropoutModule : public DropoutModule {
 public:
  AlphaDropoutModule(double rate, const DropoutOptions& o) : DropoutModule(rate, o, "alpha_dropout", false) {}
  std::string_view kind() const override { return "AlphaDropout"; }

 protected:
  Tensor disturbed(const Tensor& x) override {
    const double low = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;  // of selu
    const double a = 1 / std::sqrt((1 - amount()) * (1 + amount() * low * low)), b = -a * low * amount();
    const Tensor y = select(kept(noise_shape(x.shape()), f32), x, constant(low, x.dtype()));
    return constant(a, x.dtype()) * y + constant(b, x.dtype());
  }
};

class GaussianNoiseModule : public NoiseModule {
 public:
  GaussianNoiseModule(double stddev, const NoiseOptions& o)
      : NoiseModule("gaussian_noise", "stddev", stddev, o.seed, {.dtype = o.dtype, .name = o.name}) {}
  std::string_view kind() const override { return "GaussianNoise"; }

 protected:
  Tensor disturbed(const Tensor& x) override { return floating(x) + normal(x, 0, amount()); }
};

class GaussianDropoutModule : public NoiseModule {
 public:
  GaussianDropoutModule(double rate, const NoiseOptions& o)
      : NoiseModule("gaussian_dropout", "rate", rate, o.seed, {.dtype = o.dtype, .name = o.name}, false) {}
  std::string_view kind() const override { return "GaussianDropout"; }

 protected:
  Tensor disturbed(const Tensor& x) override {
    return floating(x) * normal(x, 1, std::sqrt(amount() / (1 - amount())));
  }
};

void list_fields(Fields& f, ActivityRegularizationOptions& o) {
  f("l1", o.l1);
  f("l2", o.l2);
}

class ActivityRegularizationModule : public Module {
 public:
  explicit ActivityRegularizationModule(const ActivityRegularizationOptions& o)
      : Module("activity_regularization", {.dtype = o.dtype, .name = o.name}), options_(o) {
    supports_masking_ = true;
    activity_regularizer_ = l1_l2(o.l1, o.l2);
  }
  std::string_view kind() const override { return "ActivityRegularization"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override { return x; }

 private:
  ActivityRegularizationOptions options_;
};

// What a config of the layers above holds.
template <typename L, typename Options>
Layer noise_from(Fields& f, std::string_view what = "rate") {
  auto o = options_from<Options>(f);
  double amount = 0;
  f(what, amount);
  f("seed", o.seed);
  if constexpr (requires { o.noise_shape; }) f("noise_shape", o.noise_shape);
  if constexpr (requires { o.data_format; }) f("data_format", o.data_format);
  return L(amount, o);
}

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options) : Layer(std::make_shared<DropoutModule>(rate, options)) {}
Layer Dropout::from_config(Fields& f) { return noise_from<Dropout, DropoutOptions>(f); }

AlphaDropout::AlphaDropout(double rate, DropoutOptions options)
    : Layer(std::make_shared<AlphaDropoutModule>(rate, options)) {}
Layer AlphaDropout::from_config(Fields& f) { return noise_from<AlphaDropout, DropoutOptions>(f); }

#define BRIO_SPATIAL_DROPOUT(Name, axes)                                      \
  Name::Name(double rate, SpatialDropoutOptions options)                      \
      : Layer(std::make_shared<SpatialDropoutModule>(axes, rate, options)) {} \
  Layer Name::from_config(Fields& f) { return noise_from<Name, SpatialDropoutOptions>(f); }
BRIO_SPATIAL_DROPOUT(SpatialDropout1D, 1)
BRIO_SPATIAL_DROPOUT(SpatialDropout2D, 2)
BRIO_SPATIAL_DROPOUT(SpatialDropout3D, 3)
#undef BRIO_SPATIAL_DROPOUT

GaussianNoise::GaussianNoise(double stddev, NoiseOptions options)
    : Layer(std::make_shared<GaussianNoiseModule>(stddev, options)) {}
Layer GaussianNoise::from_config(Fields& f) { return noise_from<GaussianNoise, NoiseOptions>(f, "stddev"); }

GaussianDropout::GaussianDropout(double rate, NoiseOptions options)
    : Layer(std::make_shared<GaussianDropoutModule>(rate, options)) {}
Layer GaussianDropout::from_config(Fields& f) { return noise_from<GaussianDropout, NoiseOptions>(f); }

ActivityRegularization::ActivityRegularization(ActivityRegularizationOptions options)
    : Layer(std::make_shared<ActivityRegularizationModule>(options)) {}
Layer ActivityRegularization::from_config(Fields& f) {
  auto o = options_from<ActivityRegularizationOptions>(f);
  list_fields(f, o);
  return ActivityRegularization(o);
}

}  // namespace brio::nn
