#include "brio/nn/layers/convolution.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/convolution.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::nn {
namespace {

enum class Form : uint8_t { plain, transposed, depthwise };

void list_fields(Fields& f, Form form, int64_t& filters, std::vector<int64_t>& kernel_size, ConvLayerOptions& o) {
  const bool depthwise = form == Form::depthwise;
  const std::string of_kernel = depthwise ? "depthwise" : "kernel";
  f(depthwise ? "depth_multiplier" : "filters", filters);
  f("kernel_size", kernel_size);
  f("strides", o.strides);
  f("padding", o.padding);
  if (form == Form::transposed) f("output_padding", o.output_padding);
  f("data_format", o.data_format);
  f("dilation_rate", o.dilation_rate);
  if (form == Form::plain) f("groups", o.groups);
  f("activation", o.activation);
  f("use_bias", o.use_bias);
  f(of_kernel + "_initializer", o.kernel_initializer);
  f("bias_initializer", o.bias_initializer);
  f(of_kernel + "_regularizer", o.kernel_regularizer);
  f("bias_regularizer", o.bias_regularizer);
  f("activity_regularizer", o.activity_regularizer);
  f(of_kernel + "_constraint", o.kernel_constraint);
  f("bias_constraint", o.bias_constraint);
}

class ConvModule : public Module {
 public:
  // `filters` of a depthwise convolution: its multiplier.
  ConvModule(Form form, int axes, int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options)
      : Module(cat(form == Form::depthwise ? "depthwise_" : "", "conv", axes, "d",
                   form == Form::transposed ? "_transpose" : ""),
               {.dtype = options.dtype, .name = options.name}),
        kind_(cat(form == Form::depthwise ? "Depthwise" : "", "Conv", axes, "D",
                  form == Form::transposed ? "Transpose" : "")),
        axes_(axes),
        form_(form),
        filters_(filters),
        options_(std::move(options)),
        padding_(options_.padding) {
    if (filters <= 0)
      refuse(cat(form == Form::depthwise ? "depth_multiplier" : "filters", " is ", filters, "; a ", kind_,
                 " layer needs one or more"));
    if (form != Form::plain && options_.groups != 1)
      refuse(cat("groups has no meaning for a ", form == Form::depthwise ? "depthwise" : "transposed",
                 " convolution; leave it at 1"));
    if (form != Form::transposed && !options_.output_padding.empty())
      refuse("output_padding is for transposed convolutions; leave it out");
    if (options_.groups <= 0 || filters % options_.groups != 0)
      refuse(cat(filters, " filters do not make ", options_.groups, " equal groups"));
    kernel_size_ = per_axis(op::conv, cat("[", name(), "] kernel_size"), kernel_size, axes);
    strides_ = per_axis(op::conv, cat("[", name(), "] strides"), options_.strides, axes);
    dilations_ = per_axis(op::conv, cat("[", name(), "] dilation_rate"), options_.dilation_rate, axes);
    for (size_t i = 0; i < kernel_size_.size(); ++i)
      if (kernel_size_[i] < 1 || strides_[i] < 1 || dilations_[i] < 1)
        refuse(cat("kernel_size, strides and dilation_rate must be ≥ 1, but are ", kernel_size_[i], ", ", strides_[i],
                   " and ", dilations_[i], " for axis ", i));
    if (options_.padding.is("causal")) {
      if (axes != 1 || form != Form::plain) refuse("only Conv1D has causal padding; use \"same\" or \"valid\"");
      padding_ = {{(kernel_size_[0] - 1) * dilations_[0], 0}};
    }
    will_have_weights();
    activity_regularizer_ = options_.activity_regularizer;
  }

  std::string_view kind() const override { return kind_; }
  void describe(Fields& f) override { list_fields(f, form_, filters_, kernel_size_, options_); }

  Variable kernel, bias;

 protected:
  void create_weights(const Shape& input) override {
    std::vector<int64_t> sizes = kernel_size_;
    const bool transposed = form_ == Form::transposed;
    sizes.push_back(transposed ? filters_ : channels(input) / options_.groups);
    sizes.push_back(transposed ? channels(input) : filters_);
    kernel = add_weight("kernel", Shape(std::span<const int64_t>(sizes)),  // refuses what cannot be
                        {.initializer = options_.kernel_initializer,
                         .regularizer = options_.kernel_regularizer,
                         .constraint = options_.kernel_constraint});
    if (options_.use_bias)
      bias = add_weight("bias", {out_channels(input)},
                        {.initializer = options_.bias_initializer,
                         .regularizer = options_.bias_regularizer,
                         .constraint = options_.bias_constraint});
  }

  void check_input(const Shape& input) const override {
    if (input.rank() != axes_ + 2)
      refuse(cat("takes inputs of rank ", axes_ + 2, ", ",
                 last() ? "(batch, spatial…, channels)" : "(batch, channels, spatial…)", ", but got shape ", input));
    if (channels(input) % options_.groups != 0)
      refuse(cat("the input of shape ", input, " has ", channels(input), " channels, which do not make ",
                 options_.groups, " equal groups"));
    const int in_axis = form_ == Form::transposed ? axes_ + 1 : axes_;
    const int64_t built_for = built() ? kernel.shape()[in_axis] * options_.groups : Size(channels(input));
    if (channels(input) != built_for)
      refuse(cat("was built for ", built_for, " channels, but the input of shape ", input, " has ", channels(input)));
  }

  Tensor call(const Tensor& inputs, const Call&) override {
    Tensor y = convolved(cast(inputs, policy().compute()));
    if (options_.use_bias) {
      Shape shape{bias.shape()[0]};  // channels first: as many axes of 1 behind them
      for (int i = 0; !last() && i < axes_; ++i) shape.push_back(1);
      y = y + reshape(bias, shape);
    }
    return options_.activation(y);
  }

 private:
  Tensor convolved(const Tensor& x) const {
    if (form_ == Form::transposed)
      return conv_transpose(x, kernel,
                            {.strides = strides_,
                             .padding = padding_,
                             .output_padding = options_.output_padding,
                             .dilations = dilations_,
                             .data_format = options_.data_format});
    const ConvOptions options{strides_, padding_, dilations_, options_.data_format};
    return form_ == Form::depthwise ? depthwise_conv(x, kernel, options) : conv(x, kernel, options);
  }
  bool last() const { return options_.data_format == DataFormat::channels_last; }
  int first() const { return last() ? 1 : 2; }
  int channel_axis() const { return last() ? axes_ + 1 : 1; }
  int64_t channels(const Shape& input) const { return input[channel_axis()]; }
  int64_t out_channels(const Shape& input) const {
    return form_ == Form::depthwise ? channels(input) * filters_ : filters_;
  }

  std::string kind_;
  int axes_;
  Form form_;
  int64_t filters_;
  std::vector<int64_t> kernel_size_, strides_, dilations_;
  ConvLayerOptions options_;
  WindowPadding padding_;  // with "causal" worked out
};

std::shared_ptr<Module> make(Form form, int axes, int64_t filters, const std::vector<int64_t>& kernel_size,
                             ConvLayerOptions options) {
  return std::make_shared<ConvModule>(form, axes, filters, kernel_size, std::move(options));
}

Layer from_fields(Form form, int axes, Fields& f) {
  auto options = options_from<ConvLayerOptions>(f);
  int64_t filters = 1;
  std::vector<int64_t> kernel_size;
  list_fields(f, form, filters, kernel_size, options);
  return Layer(make(form, axes, filters, kernel_size, std::move(options)));
}

}  // namespace

Variable ConvLayer::kernel() const { return static_cast<ConvModule&>(*module_).kernel; }
Variable ConvLayer::bias() const { return static_cast<ConvModule&>(*module_).bias; }

#define BRIO_CONV(Name, form, axes)                                                              \
  Name::Name(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options) \
      : ConvLayer(make(form, axes, filters, kernel_size, std::move(options))) {}                 \
  Layer Name::from_config(Fields& fields) { return from_fields(form, axes, fields); }
BRIO_CONV(Conv1D, Form::plain, 1)
BRIO_CONV(Conv2D, Form::plain, 2)
BRIO_CONV(Conv3D, Form::plain, 3)
BRIO_CONV(Conv1DTranspose, Form::transposed, 1)
BRIO_CONV(Conv2DTranspose, Form::transposed, 2)
BRIO_CONV(Conv3DTranspose, Form::transposed, 3)
#undef BRIO_CONV

#define BRIO_DEPTHWISE(Name, axes)                                                                        \
  Name::Name(const std::vector<int64_t>& kernel_size, int64_t depth_multiplier, ConvLayerOptions options) \
      : ConvLayer(make(Form::depthwise, axes, depth_multiplier, kernel_size, std::move(options))) {}      \
  Layer Name::from_config(Fields& fields) { return from_fields(Form::depthwise, axes, fields); }
BRIO_DEPTHWISE(DepthwiseConv1D, 1)
BRIO_DEPTHWISE(DepthwiseConv2D, 2)
#undef BRIO_DEPTHWISE

}  // namespace brio::nn
