#include "brio/nn/layers/separable_convolution.h"

#include "brio/nn/config.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/convolution.h"

namespace brio::nn {
namespace {

void list_fields(Fields& f, int64_t& filters, std::vector<int64_t>& kernel_size, SeparableConvOptions& o) {
  f("depth_multiplier", o.depth_multiplier);
  f("filters", filters);
  f("kernel_size", kernel_size);
  f("strides", o.strides);
  f("padding", o.padding);
  f("data_format", o.data_format);
  f("dilation_rate", o.dilation_rate);
  f("activation", o.activation);
  f("use_bias", o.use_bias);
  f("depthwise_initializer", o.depthwise_initializer);
  f("pointwise_initializer", o.pointwise_initializer);
  f("bias_initializer", o.bias_initializer);
  f("depthwise_regularizer", o.depthwise_regularizer);
  f("pointwise_regularizer", o.pointwise_regularizer);
  f("bias_regularizer", o.bias_regularizer);
  f("activity_regularizer", o.activity_regularizer);
  f("depthwise_constraint", o.depthwise_constraint);
  f("pointwise_constraint", o.pointwise_constraint);
  f("bias_constraint", o.bias_constraint);
}

class SeparableConvModule : public Module {
 public:
  SeparableConvModule(int axes, int64_t filters, const std::vector<int64_t>& kernel_size,
                      SeparableConvOptions options)
      : Module(cat("separable_conv", axes, "d"), {.dtype = options.dtype, .name = options.name}),
        kind_(cat("SeparableConv", axes, "D")),
        axes_(axes),
        filters_(filters),
        options_(std::move(options)) {
    if (filters < 1 || options_.depth_multiplier < 1)
      throw_invalid(name(), cat("filters is ", filters, " and depth_multiplier ", options_.depth_multiplier,
                                "; both are one or more"));
    const auto per_spatial_axis = [&](std::string_view what, const std::vector<int64_t>& values) {
      std::vector<int64_t> each = per_axis(op::conv, cat("[", name(), "] ", what), values, axes);
      for (const int64_t value : each)
        if (value < 1) throw_invalid(name(), cat(what, " has ", value, "; it must be ≥ 1"));
      return each;
    };
    kernel_size_ = per_spatial_axis("kernel_size", kernel_size);
    options_.strides = per_spatial_axis("strides", options_.strides);
    options_.dilation_rate = per_spatial_axis("dilation_rate", options_.dilation_rate);
    will_have_weights();
    activity_regularizer_ = options_.activity_regularizer;
  }
  std::string_view kind() const override { return kind_; }
  void describe(Fields& f) override { list_fields(f, filters_, kernel_size_, options_); }

 protected:
  void create_weights(const Shape& input) override {
    std::vector<int64_t> depthwise = kernel_size_, pointwise(static_cast<size_t>(axes_), 1);
    depthwise.push_back(channels(input));
    depthwise.push_back(options_.depth_multiplier);
    // In this order: where there can be a depthwise kernel, the product below is a number.
    const Shape depthwise_shape = checked_shape(name(), depthwise);
    pointwise.push_back(channels(input) * options_.depth_multiplier);
    pointwise.push_back(filters_);
    depthwise_ = add_weight("depthwise_kernel", depthwise_shape,
                            {.initializer = options_.depthwise_initializer,
                             .regularizer = options_.depthwise_regularizer,
                             .constraint = options_.depthwise_constraint});
    pointwise_ = add_weight("pointwise_kernel", checked_shape(name(), pointwise),
                            {.initializer = options_.pointwise_initializer,
                             .regularizer = options_.pointwise_regularizer,
                             .constraint = options_.pointwise_constraint});
    if (options_.use_bias)
      bias_ = add_weight("bias", {filters_},
                         {.initializer = options_.bias_initializer,
                          .regularizer = options_.bias_regularizer,
                          .constraint = options_.bias_constraint});
  }
  void check_input(const Shape& input) const override {
    if (input.rank() != axes_ + 2)
      throw_invalid(name(), cat("takes inputs of rank ", axes_ + 2,
                                ", batch, channels and spatial axes, but got shape ", input));
    if (built() && channels(input) != depthwise_.shape()[axes_])
      throw_invalid(name(), cat("was built for ", depthwise_.shape()[axes_], " channels, but the input of shape ",
                                input, " has ", channels(input)));
  }
  Tensor call(const Tensor& inputs, const Call&) override {
    const Tensor x = cast(inputs, policy().compute());
    Tensor y = separable_conv(x, depthwise_, pointwise_,
                              {options_.strides, options_.padding, options_.dilation_rate, options_.data_format});
    if (options_.use_bias) {
      Shape shape{filters_};
      for (int i = 0; !last() && i < axes_; ++i) shape.push_back(1);
      y = y + reshape(bias_, shape);
    }
    return options_.activation(y);
  }

 private:
  bool last() const { return options_.data_format == DataFormat::channels_last; }
  int64_t channels(const Shape& input) const { return input[last() ? axes_ + 1 : 1]; }

  std::string kind_;
  int axes_;
  int64_t filters_;
  std::vector<int64_t> kernel_size_;
  SeparableConvOptions options_;
  Variable depthwise_, pointwise_, bias_;
};

template <typename L>
Layer separable_from(Fields& f) {
  auto options = options_from<SeparableConvOptions>(f);
  int64_t filters = 0;
  std::vector<int64_t> kernel_size;
  list_fields(f, filters, kernel_size, options);
  return L(filters, kernel_size, options);
}

}  // namespace

SeparableConv1D::SeparableConv1D(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 SeparableConvOptions options)
    : Layer(std::make_shared<SeparableConvModule>(1, filters, kernel_size, std::move(options))) {}
SeparableConv2D::SeparableConv2D(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 SeparableConvOptions options)
    : Layer(std::make_shared<SeparableConvModule>(2, filters, kernel_size, std::move(options))) {}
Layer SeparableConv1D::from_config(Fields& f) { return separable_from<SeparableConv1D>(f); }
Layer SeparableConv2D::from_config(Fields& f) { return separable_from<SeparableConv2D>(f); }

}  // namespace brio::nn
