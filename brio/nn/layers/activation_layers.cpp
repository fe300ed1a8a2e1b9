#include "brio/nn/layers/activation_layers.h"

#include "brio/nn/config.h"
#include "brio/nn/layers/feature_axes.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/activations.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/reductions/statistics.h"

namespace brio::nn {
namespace {

void refuse_negative(const Module& module, std::string_view what, double value) {
  if (!(value >= 0)) throw_invalid(module.name(), cat(what, " is ", value, "; it must be 0 or more"));
}

void list_fields(Fields& f, ReLUOptions& o) {
  f("max_value", o.max_value);
  f("negative_slope", o.negative_slope);
  f("threshold", o.threshold);
}
void list_fields(Fields& f, PReLUOptions& o) {
  f("alpha_initializer", o.alpha_initializer);
  f("alpha_regularizer", o.alpha_regularizer);
  f("alpha_constraint", o.alpha_constraint);
  f("shared_axes", o.shared_axes);
}

class ReLUModule : public Module {
 public:
  explicit ReLUModule(const ReLUOptions& o) : Module("re_lu", {.dtype = o.dtype, .name = o.name}), options_(o) {
    refuse_negative(*this, "max_value", o.max_value.value_or(0));
    refuse_negative(*this, "negative_slope", o.negative_slope);
    refuse_negative(*this, "threshold", o.threshold);
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "ReLU"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override {
    return relu(x, {.negative_slope = options_.negative_slope,
                    .max_value = options_.max_value,
                    .threshold = options_.threshold});
  }

 private:
  ReLUOptions options_;
};

class LeakyReLUModule : public Module {
 public:
  explicit LeakyReLUModule(const LeakyReLUOptions& o)
      : Module("leaky_re_lu", {.dtype = o.dtype, .name = o.name}), slope_(o.negative_slope) {
    refuse_negative(*this, "negative_slope", slope_);
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "LeakyReLU"; }
  void describe(Fields& f) override { f("negative_slope", slope_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override { return leaky_relu(x, slope_); }

 private:
  double slope_;
};

class PReLUModule : public Module {
 public:
  explicit PReLUModule(PReLUOptions options)
      : Module("p_re_lu", {.dtype = options.dtype, .name = options.name}), options_(std::move(options)) {
    will_have_weights();
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "PReLU"; }
  void describe(Fields& f) override { list_fields(f, options_); }

 protected:
  void create_weights(const Shape& input) override {
    alpha_ = add_weight("alpha", slopes(input),
                        {.initializer = options_.alpha_initializer,
                         .regularizer = options_.alpha_regularizer,
                         .constraint = options_.alpha_constraint});
  }
  void check_input(const Shape& input) const override { check_built_for(name(), alpha_, slopes(input), input); }
  Tensor call(const Tensor& x, const Call&) override { return prelu(x, alpha_); }

 private:
  Shape slopes(const Shape& input) const {
    Shape shape;
    for (int i = 1; i < input.rank(); ++i) shape.push_back(input[i]);
    for (const int axis : options_.shared_axes) {
      if (axis < 1 || axis >= input.rank())
        throw_invalid(name(), cat("shared_axes has ", axis, "; the axes of the input of shape ", input,
                                  " behind the batch are 1 to ", input.rank() - 1));
      shape.set(axis - 1, 1);
    }
    return shape;
  }

  PReLUOptions options_;
  Variable alpha_;
};

class ELUModule : public Module {
 public:
  explicit ELUModule(const ELUOptions& o) : Module("elu", {.dtype = o.dtype, .name = o.name}), alpha_(o.alpha) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "ELU"; }
  void describe(Fields& f) override { f("alpha", alpha_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override { return elu(x, alpha_); }

 private:
  double alpha_;
};

class SoftmaxModule : public Module {
 public:
  explicit SoftmaxModule(SoftmaxOptions o)
      : Module("softmax", {.dtype = o.dtype, .name = o.name}), axis_(std::move(o.axis)) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Softmax"; }
  void describe(Fields& f) override { f("axis", axis_); }

 protected:
  void check_input(const Shape& input) const override { sorted_axes(name(), axis_, input); }
  Tensor call(const Tensor& input, const Call& how) override {
    const Tensor mask = how.mask();
    if (!mask.defined()) return over_axes(input);
    if (Shape both; !broadcast(mask.shape(), input.shape(), both) || both != input.shape())
      throw_invalid(
          name(), cat("a mask of shape ", mask.shape(), " does not broadcast to the input's shape ", input.shape()));
    const Tensor low = constant(input.dtype() == f16 ? -3e4 : -1e9, input.dtype());
    return select(mask, over_axes(select(mask, input, low)), constant(0, input.dtype()));
  }

 private:
  Tensor over_axes(const Tensor& x) const {
    return axis_.size() == 1 ? softmax(x, axis_[0]) : exp(x - logsumexp(x, Axes(axis_), true));
  }
  std::vector<int> axis_;
};

class IdentityModule : public Module {
 public:
  explicit IdentityModule(const LayerOptions& options) : Module("identity", options) { supports_masking_ = true; }
  std::string_view kind() const override { return "Identity"; }
  void describe(Fields&) override {}

 protected:
  Tensor call(const Tensor& x, const Call&) override { return x; }
};

}  // namespace

ReLU::ReLU(ReLUOptions options) : Layer(std::make_shared<ReLUModule>(options)) {}
Layer ReLU::from_config(Fields& f) {
  auto o = options_from<ReLUOptions>(f);
  list_fields(f, o);
  return ReLU(o);
}

LeakyReLU::LeakyReLU(LeakyReLUOptions options) : Layer(std::make_shared<LeakyReLUModule>(options)) {}
Layer LeakyReLU::from_config(Fields& f) {
  auto o = options_from<LeakyReLUOptions>(f);
  f("negative_slope", o.negative_slope);
  return LeakyReLU(o);
}

PReLU::PReLU(PReLUOptions options) : Layer(std::make_shared<PReLUModule>(std::move(options))) {}
Layer PReLU::from_config(Fields& f) {
  auto o = options_from<PReLUOptions>(f);
  list_fields(f, o);
  return PReLU(o);
}

ELU::ELU(ELUOptions options) : Layer(std::make_shared<ELUModule>(options)) {}
Layer ELU::from_config(Fields& f) {
  auto o = options_from<ELUOptions>(f);
  f("alpha", o.alpha);
  return ELU(o);
}

Softmax::Softmax(SoftmaxOptions options) : Layer(std::make_shared<SoftmaxModule>(std::move(options))) {}
Layer Softmax::from_config(Fields& f) {
  auto o = options_from<SoftmaxOptions>(f);
  f("axis", o.axis);
  return Softmax(o);
}

Identity::Identity(LayerOptions options) : Layer(std::make_shared<IdentityModule>(options)) {}
Layer Identity::from_config(Fields& f) { return Identity(options_from<LayerOptions>(f)); }

}  // namespace brio::nn
