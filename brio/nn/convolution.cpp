#include "brio/nn/convolution.h"

#include "brio/base/error.h"
#include "brio/nn/config.h"
#include "brio/ops/convolution.h"
#include "brio/ops/elementwise.h"
#include "brio/ops/shape_ops.h"

namespace brio::nn {
namespace {

enum class Form : uint8_t { plain, transposed, depthwise };

void list_fields(Fields& f, Form form, int64_t& filters, std::vector<int64_t>& kernel_size, ConvLayerOptions& o,
                 std::vector<int64_t>& output_padding) {
  const bool depthwise = form == Form::depthwise;
  const std::string of_kernel = depthwise ? "depthwise" : "kernel";
  f(depthwise ? "depth_multiplier" : "filters", filters);
  f("kernel_size", kernel_size);
  f("strides", o.strides);
  f("padding", o.padding);
  if (form == Form::transposed) f("output_padding", output_padding);
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
  ConvModule(std::string_view base, std::string kind, int axes, Form form, int64_t filters,
             const std::vector<int64_t>& kernel_size, ConvLayerOptions options,
             std::vector<int64_t> output_padding = {})
      : Module(base, {.dtype = options.dtype, .name = options.name}),
        kind_(std::move(kind)),
        axes_(axes),
        form_(form),
        filters_(filters),
        output_padding_(std::move(output_padding)),
        options_(std::move(options)),
        padding_(options_.padding) {
    auto refuse = [&](const std::string& what) { throw InvalidArgument(cat("[", name(), "] ", what)); };
    if (filters <= 0)
      refuse(cat(form == Form::depthwise ? "depth_multiplier" : "filters", " is ", filters, "; a ", kind_,
                 " layer needs one or more"));
    if (form == Form::depthwise && options_.groups != 1)
      refuse("groups has no meaning for a depthwise convolution; leave it at 1");
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
  void describe(Fields& f) override { list_fields(f, form_, filters_, kernel_size_, options_, output_padding_); }

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
      throw InvalidArgument(cat("[", name(), "] takes inputs of rank ", axes_ + 2, ", ",
                                last() ? "(batch, spatial…, channels)" : "(batch, channels, spatial…)",
                                ", but got shape ", input));
    if (channels(input) % options_.groups != 0)
      throw InvalidArgument(cat("[", name(), "] the input of shape ", input, " has ", channels(input),
                                " channels, which do not make ", options_.groups, " equal groups"));
    const int in_axis = form_ == Form::transposed ? axes_ + 1 : axes_;
    const int64_t built_for = built() ? kernel.shape()[in_axis] * options_.groups : channels(input);
    if (channels(input) != built_for)
      throw InvalidArgument(cat("[", name(), "] was built for ", built_for, " channels, but the input of shape ",
                                input, " has ", channels(input)));
  }

  Tensor call(const Tensor& inputs, const Call&) override {
    const DType dtype = policy().compute();
    const Tensor x = inputs.dtype() == dtype ? inputs : cast(inputs, dtype);
    Tensor y = convolved(x);
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
                             .output_padding = output_padding_,
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
  std::vector<int64_t> output_padding_, kernel_size_, strides_, dilations_;
  ConvLayerOptions options_;
  WindowPadding padding_;  // with "causal" worked out
};

std::shared_ptr<Module> plain(int axes, int64_t filters, const std::vector<int64_t>& kernel_size,
                              ConvLayerOptions options) {
  return std::make_shared<ConvModule>(cat("conv", axes, "d"), cat("Conv", axes, "D"), axes, Form::plain, filters,
                                      kernel_size, std::move(options));
}
// The two kinds of options differ in groups and output_padding alone.
ConvLayerOptions plain_options(ConvTransposeLayerOptions o) {
  return {.strides = std::move(o.strides),
          .padding = std::move(o.padding),
          .dilation_rate = std::move(o.dilation_rate),
          .data_format = o.data_format,
          .activation = std::move(o.activation),
          .use_bias = o.use_bias,
          .kernel_initializer = std::move(o.kernel_initializer),
          .bias_initializer = std::move(o.bias_initializer),
          .kernel_regularizer = std::move(o.kernel_regularizer),
          .bias_regularizer = std::move(o.bias_regularizer),
          .activity_regularizer = std::move(o.activity_regularizer),
          .kernel_constraint = std::move(o.kernel_constraint),
          .bias_constraint = std::move(o.bias_constraint),
          .dtype = o.dtype,
          .name = std::move(o.name)};
}
std::shared_ptr<Module> transposed(int axes, int64_t filters, const std::vector<int64_t>& kernel_size,
                                   ConvLayerOptions options, std::vector<int64_t> output_padding) {
  return std::make_shared<ConvModule>(cat("conv", axes, "d_transpose"), cat("Conv", axes, "DTranspose"), axes,
                                      Form::transposed, filters, kernel_size, std::move(options),
                                      std::move(output_padding));
}
std::shared_ptr<Module> depthwise(int axes, int64_t multiplier, const std::vector<int64_t>& kernel_size,
                                  ConvLayerOptions options) {
  return std::make_shared<ConvModule>(cat("depthwise_conv", axes, "d"), cat("DepthwiseConv", axes, "D"), axes,
                                      Form::depthwise, multiplier, kernel_size, std::move(options));
}

// What a config holds, for any of the forms.
struct ConvFields {
  ConvFields(Fields& f, Form form) : options(options_from<ConvLayerOptions>(f)) {
    list_fields(f, form, filters, kernel_size, options, output_padding);
  }
  int64_t filters = 1;
  std::vector<int64_t> kernel_size, output_padding;
  ConvLayerOptions options;
};

}  // namespace

Variable ConvLayer::kernel() const { return static_cast<ConvModule&>(*module_).kernel; }
Variable ConvLayer::bias() const { return static_cast<ConvModule&>(*module_).bias; }

Conv1D::Conv1D(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options)
    : ConvLayer(plain(1, filters, kernel_size, std::move(options))) {}
Conv2D::Conv2D(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options)
    : ConvLayer(plain(2, filters, kernel_size, std::move(options))) {}
Conv3D::Conv3D(int64_t filters, const std::vector<int64_t>& kernel_size, ConvLayerOptions options)
    : ConvLayer(plain(3, filters, kernel_size, std::move(options))) {}
Conv1DTranspose::Conv1DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 ConvTransposeLayerOptions options)
    : ConvLayer(transposed(1, filters, kernel_size, plain_options(options), options.output_padding)) {}
Conv2DTranspose::Conv2DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 ConvTransposeLayerOptions options)
    : ConvLayer(transposed(2, filters, kernel_size, plain_options(options), options.output_padding)) {}
Conv3DTranspose::Conv3DTranspose(int64_t filters, const std::vector<int64_t>& kernel_size,
                                 ConvTransposeLayerOptions options)
    : ConvLayer(transposed(3, filters, kernel_size, plain_options(options), options.output_padding)) {}
DepthwiseConv1D::DepthwiseConv1D(const std::vector<int64_t>& kernel_size, int64_t depth_multiplier,
                                 ConvLayerOptions options)
    : ConvLayer(depthwise(1, depth_multiplier, kernel_size, std::move(options))) {}
DepthwiseConv2D::DepthwiseConv2D(const std::vector<int64_t>& kernel_size, int64_t depth_multiplier,
                                 ConvLayerOptions options)
    : ConvLayer(depthwise(2, depth_multiplier, kernel_size, std::move(options))) {}

Layer Conv1D::from_config(Fields& f) {
  const ConvFields c(f, Form::plain);
  return Conv1D(c.filters, c.kernel_size, c.options);
}
Layer Conv1DTranspose::from_config(Fields& f) {
  const ConvFields c(f, Form::transposed);
  return Layer(transposed(1, c.filters, c.kernel_size, c.options, c.output_padding));
}
Layer Conv2D::from_config(Fields& f) {
  const ConvFields c(f, Form::plain);
  return Conv2D(c.filters, c.kernel_size, c.options);
}
Layer Conv2DTranspose::from_config(Fields& f) {
  const ConvFields c(f, Form::transposed);
  return Layer(transposed(2, c.filters, c.kernel_size, c.options, c.output_padding));
}
Layer Conv3D::from_config(Fields& f) {
  const ConvFields c(f, Form::plain);
  return Conv3D(c.filters, c.kernel_size, c.options);
}
Layer Conv3DTranspose::from_config(Fields& f) {
  const ConvFields c(f, Form::transposed);
  return Layer(transposed(3, c.filters, c.kernel_size, c.options, c.output_padding));
}
Layer DepthwiseConv1D::from_config(Fields& f) {
  const ConvFields c(f, Form::depthwise);
  return DepthwiseConv1D(c.kernel_size, c.filters, c.options);
}
Layer DepthwiseConv2D::from_config(Fields& f) {
  const ConvFields c(f, Form::depthwise);
  return DepthwiseConv2D(c.kernel_size, c.filters, c.options);
}

}  // namespace brio::nn
