#include "brio/ops/network/convolution.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/families.h"

namespace brio {
namespace {

constexpr AttrSpec kConvAttrs[] = {{"groups", AttrKind::integer},
                                   {"stride", AttrKind::list},
                                   {"dilation", AttrKind::list},
                                   {"low", AttrKind::extents},
                                   {"high", AttrKind::extents}};
// The spatial size of the result does not follow from the operands.
constexpr AttrSpec kGradAttrs[] = {{"groups", AttrKind::integer}, {"stride", AttrKind::list},
                                   {"dilation", AttrKind::list},  {"low", AttrKind::extents},
                                   {"high", AttrKind::extents},   {"size", AttrKind::extents}};

struct ConvAttrs {
  int64_t groups;
  size_t end = 1;  // of the lists that all have
  std::span<const int64_t> stride, dilation;
  Extents low, high, size;

  ConvAttrs(const OpDef& op, Attrs attrs)
      : groups(attrs[0]),
        stride(next(attrs)),
        dilation(next(attrs)),
        low(next(attrs)),
        high(next(attrs)),
        size(&op == &op::conv ? std::span<const int64_t>() : attrs.list(end)) {}
  OpenWindowAxis axis(size_t i, Size size_of_x, Size window) const {
    return {size_of_x, window, stride[i], dilation[i], low[i], high[i]};
  }

 private:
  std::span<const int64_t> next(Attrs attrs) {
    const auto list = attrs.list(end);
    end = attrs.after_list(end);
    return list;
  }
};

// ---- shape rules

std::string_view name_of_operand(const OpDef& op, int input) {
  if (&op == &op::conv) return input == 0 ? "the input" : "the filter";
  if (&op == &op::conv_input_grad) return input == 0 ? "the filter" : "the cotangent";
  return input == 0 ? "the input" : "the cotangent";
}

// What all three ask of their operands and attributes.
ConvAttrs check_conv(const OpCall& call) {
  const Aval &a = *call.in[0], &b = *call.in[1];
  if (a.dtype != b.dtype)
    throw_invalid(call.op, cat("the operands have dtypes ", a.dtype, " and ", b.dtype,
                               "; tensors are not promoted: cast one of them"));
  if (a.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  const int rank = a.shape.rank();
  if (rank < 3 || rank > 5 || b.shape.rank() != rank)
    throw_invalid(call.op,
                  cat(name_of_operand(call.op, 0), " has shape ", a.shape, " and ", name_of_operand(call.op, 1), " ",
                      b.shape, "; both need the same one to three spatial axes besides two others"));
  const ConvAttrs attrs(call.op, call.attrs);
  const int64_t axes = rank - 2;
  check_list(call.op, "the stride", attrs.stride, axes, 1);
  check_list(call.op, "the dilation", attrs.dilation, axes, 1);
  check_list(call.op, "the low padding", attrs.low, axes, 0);
  check_list(call.op, "the high padding", attrs.high, axes, 0);
  if (&call.op != &op::conv) check_list(call.op, "the size", attrs.size, axes, 0);
  if (attrs.groups < 1) throw_invalid(call.op, cat("the number of groups is ", attrs.groups, "; it must be ≥ 1"));
  return attrs;
}

template <typename Windows>
void check_windows(const OpDef& op, const ConvAttrs& attrs, const Windows& windows) {
  check_list(op, "the filter's size", windows, static_cast<int64_t>(attrs.stride.size()), 1);
}

void check_groups(const OpDef& op, std::string_view what, Size channels, int64_t groups) {
  if (channels % groups != 0)
    throw_invalid(op, cat(what, " has ", channels, " channels, which do not make ", groups, " equal groups"));
}

// The windows over x must be as many as y has positions.
void check_cotangent(const OpDef& op, const OpenWindowAxis& axis, size_t i, Size positions) {
  check_fits(op, axis, i);
  if (axis.count() != positions)
    throw_invalid(op, cat("a size of ", axis.size, " along spatial axis ", i, " makes ", axis.count(), " windows of ",
                          axis.window, " (stride ", axis.stride, ", dilation ", axis.dilation, ", padding ", axis.low,
                          " and ", axis.high, "), but the cotangent has ", positions,
                          "; of a conv_transpose, change output_padding or output_size"));
}

void infer_conv(const OpCall& call, std::vector<Aval>& out) {
  const ConvAttrs attrs = check_conv(call);
  const Shape &x = call.in[0]->shape, &filter = call.in[1]->shape;
  const int rank = x.rank();
  const Size in = filter[rank - 2], channels = filter[rank - 1];
  check_windows(call.op, attrs, filter.dims().first(static_cast<size_t>(rank - 2)));
  if (x[rank - 1] % attrs.groups != 0 || x[rank - 1] / attrs.groups != in)
    throw_invalid(call.op, cat("the input of shape ", x, " has ", x[rank - 1], " channels, but the filter of shape ",
                               filter, " in ", attrs.groups, " groups takes ", in, " in each"));
  check_groups(call.op, "the filter", channels, attrs.groups);
  std::vector<Size> dims{x[0]};
  for (int i = 0; i + 2 < rank; ++i) {
    const auto k = static_cast<size_t>(i);
    const OpenWindowAxis axis = attrs.axis(k, x[i + 1], filter[i]);
    check_fits(call.op, axis, k);
    dims.push_back(axis.count());
  }
  dims.push_back(channels);
  out.push_back({checked_shape(call.op, dims), call.in[0]->dtype});
}

void infer_input_grad(const OpCall& call, std::vector<Aval>& out) {
  const ConvAttrs attrs = check_conv(call);
  const Shape &filter = call.in[0]->shape, &y = call.in[1]->shape;
  const int rank = y.rank();
  check_windows(call.op, attrs, filter.dims().first(static_cast<size_t>(rank - 2)));
  if (y[rank - 1] != filter[rank - 1])
    throw_invalid(call.op, cat("the cotangent of shape ", y, " has ", y[rank - 1],
                               " channels, but the filter of shape ", filter, " has ", filter[rank - 1]));
  check_groups(call.op, "the filter", filter[rank - 1], attrs.groups);
  std::vector<Size> dims{y[0]};
  for (size_t i = 0; i < attrs.size.size(); ++i) {
    const int at = static_cast<int>(i);
    check_cotangent(call.op, attrs.axis(i, attrs.size[i], filter[at]), i, y[at + 1]);
    dims.push_back(attrs.size[i]);
  }
  constexpr int64_t most = INT32_MAX;
  if (attrs.groups > most || surely_less(most, filter[rank - 2]))
    throw_invalid(call.op, cat(attrs.groups, " groups of ", filter[rank - 2], " channels are too many"));
  dims.push_back(filter[rank - 2] * attrs.groups);
  out.push_back({checked_shape(call.op, dims), call.in[1]->dtype});
}

void infer_filter_grad(const OpCall& call, std::vector<Aval>& out) {
  const ConvAttrs attrs = check_conv(call);
  const Shape &x = call.in[0]->shape, &y = call.in[1]->shape;
  const int rank = x.rank();
  check_windows(call.op, attrs, attrs.size);
  if (x[0] != y[0])
    throw_invalid(call.op, cat("the input of shape ", x, " and the cotangent of shape ", y, " differ in batch size"));
  check_groups(call.op, "the input", x[rank - 1], attrs.groups);
  check_groups(call.op, "the cotangent", y[rank - 1], attrs.groups);
  std::vector<Size> dims;
  for (size_t i = 0; i < attrs.size.size(); ++i) {
    dims.push_back(attrs.size[i]);
    const int at = static_cast<int>(i) + 1;
    check_cotangent(call.op, attrs.axis(i, x[at], attrs.size[i]), i, y[at]);
  }
  dims.push_back(x[rank - 1] / attrs.groups);
  dims.push_back(y[rank - 1]);
  out.push_back({checked_shape(call.op, dims), call.in[0]->dtype});
}

Cost conv_cost(const OpCall& call, std::span<const Aval> out) {
  const ConvGeometry g = ConvGeometry::of(call.op, call.in[0]->shape, call.in[1]->shape, out[0].shape, call.attrs);
  return {g.flops(), total_bytes(call, out)};
}

// ---- gradients: each of the three is linear in both operands, and its gradients are the other two

std::vector<Size> spatial_size(const Shape& shape, int first) {
  return {shape.begin() + first, shape.begin() + first + shape.rank() - 2};
}
std::vector<int64_t> without_size(Attrs attrs, const OpDef& op) {
  const auto words = attrs.words().first(ConvAttrs(op, attrs).end);
  return {words.begin(), words.end()};
}
std::vector<int64_t> with_size(Attrs attrs, const OpDef& op, const std::vector<Size>& size) {
  std::vector<int64_t> words = without_size(attrs, op);
  append_list(words, size);
  return words;
}

Tensor input_grad(const GradContext& g, const Tensor& filter, const Tensor& y, const Shape& x) {
  return record(op::conv_input_grad, with_size(g.attrs, *g.op, spatial_size(x, 1)), filter, y);
}
Tensor filter_grad(const GradContext& g, const Tensor& x, const Tensor& y, const Shape& filter) {
  return record(op::conv_filter_grad, with_size(g.attrs, *g.op, spatial_size(filter, 0)), x, y);
}

void grad_conv(GradContext& g) {
  if (g.needs(0)) g.set(0, input_grad(g, g.in[1], g.cotangent(), g.in[0].shape()));
  if (g.needs(1)) g.set(1, filter_grad(g, g.in[0], g.cotangent(), g.in[1].shape()));
}
void grad_input_grad(GradContext& g) {
  if (g.needs(0)) g.set(0, filter_grad(g, g.cotangent(), g.in[1], g.in[0].shape()));
  if (g.needs(1)) g.set(1, record(op::conv, without_size(g.attrs, *g.op), g.cotangent(), g.in[0]));
}
void grad_filter_grad(GradContext& g) {
  if (g.needs(0)) g.set(0, input_grad(g, g.cotangent(), g.in[1], g.in[0].shape()));
  if (g.needs(1)) g.set(1, record(op::conv, without_size(g.attrs, *g.op), g.in[0], g.cotangent()));
}

}  // namespace

namespace op {
#define CONV(ident, what, attrs_, infer_, grad_) \
  const OpDef ident{.name = #ident,              \
                    .summary = what,             \
                    .kind = OpKind::contraction, \
                    .min_inputs = 2,             \
                    .max_inputs = 2,             \
                    .attrs = attrs_,             \
                    .infer = infer_,             \
                    .grad = grad_,               \
                    .cost = conv_cost,           \
                    .grad_needs = 3};
CONV(conv, "convolution of (batch, spatial…, channels) by a filter, in groups of channels", kConvAttrs, infer_conv,
     grad_conv)
CONV(conv_input_grad, "gradient of conv with respect to its input, from filter and cotangent", kGradAttrs,
     infer_input_grad, grad_input_grad)
CONV(conv_filter_grad, "gradient of conv with respect to its filter, from input and cotangent", kGradAttrs,
     infer_filter_grad, grad_filter_grad)
#undef CONV
}  // namespace op

void register_convolutions() {
  static const OpDef* const rows[] = {&op::conv, &op::conv_input_grad, &op::conv_filter_grad};
  register_ops(rows);
}

ConvGeometry ConvGeometry::of(const OpDef& op, const Shape& first, const Shape& second, const Shape& result,
                              Attrs attrs) {
  const Shape& x = &op == &op::conv_input_grad ? result : first;
  const Shape& filter = &op == &op::conv ? second : &op == &op::conv_input_grad ? first : result;
  const ConvAttrs lists(op, attrs);
  const int rank = x.rank();
  ConvGeometry g{};
  g.batch = x[0];
  g.groups = lists.groups;
  g.in = filter[rank - 2];
  g.out = filter[rank - 1] / lists.groups;
  const size_t axes = lists.stride.size();
  for (size_t i = 0; i < axes; ++i)
    g.axis[3 - axes + i] = lists.axis(i, x[static_cast<int>(i) + 1], filter[static_cast<int>(i)]);
  return g;
}

// ---- builders

namespace {

void check_rank(const OpDef& op, const Tensor& x, int axes, std::string_view name) {
  if (required(op, x).rank() != axes + 2)
    throw_invalid(op, cat(name, " takes an input of rank ", axes + 2, ", but got shape ", x.shape()));
}

// The axes of a convolution over x (channels last) before its padding is known.
std::vector<OpenWindowAxis> window_axes(const OpDef& op, std::span<const Size> sizes, const Tensor& filter,
                                        const std::vector<int64_t>& strides, const std::vector<int64_t>& dilations) {
  const auto axes = static_cast<int64_t>(sizes.size());
  if (filter.rank() != axes + 2)
    throw_invalid(op, cat("the filter has shape ", filter.shape(), ", but the input has ", axes,
                          " spatial axes; give the filter as many, and two for channels"));
  const std::vector<int64_t> stride = per_axis(op, "the stride", strides, axes),
                             dilation = per_axis(op, "the dilation", dilations, axes);
  std::vector<OpenWindowAxis> result;
  for (size_t i = 0; i < sizes.size(); ++i)
    result.push_back({sizes[i], filter.shape()[static_cast<int>(i)], stride[i], dilation[i]});
  return result;
}

std::vector<int64_t> words_of(int64_t groups, const std::vector<OpenWindowAxis>& axes) {
  std::vector<int64_t> words{groups};
  for (auto member : {&OpenWindowAxis::stride, &OpenWindowAxis::dilation}) {
    words.push_back(static_cast<int64_t>(axes.size()));
    for (const OpenWindowAxis& axis : axes) words.push_back(axis.*member);
  }
  for (auto member : {&OpenWindowAxis::low, &OpenWindowAxis::high}) {
    words.push_back(static_cast<int64_t>(axes.size()));
    for (const OpenWindowAxis& axis : axes) words.push_back((axis.*member).word());
  }
  return words;
}

Tensor conv_last(const Tensor& x, const Tensor& filter, int64_t groups, const ConvOptions& options) {
  std::vector<OpenWindowAxis> axes =
      window_axes(op::conv, spatial_size(x.shape(), 1), filter, options.strides, options.dilations);
  resolve_padding(op::conv, options.padding, axes);
  return record(op::conv, words_of(groups, axes), x, filter);
}

}  // namespace

Tensor conv(const Tensor& x, const Tensor& filter, const ConvOptions& options) {
  const Tensor last = to_channels_last(spatial(op::conv, x), options.data_format);
  spatial(op::conv, filter, 1);
  const Size channels = last.shape()[last.rank() - 1], in = filter.shape()[filter.rank() - 2];
  if (in == 0 || channels % in != 0)
    throw_invalid(op::conv,
                  cat("the input of shape ", x.shape(), " has ", channels, " channels, which is no multiple of the ",
                      in, " that the filter of shape ", filter.shape(), " takes"));
  // No channels at all are one empty group.
  return from_channels_last(conv_last(last, filter, max(channels / in, Size(1)), options), options.data_format);
}
Tensor conv1d(const Tensor& x, const Tensor& filter, const ConvOptions& options) {
  check_rank(op::conv, x, 1, "conv1d");
  return conv(x, filter, options);
}
Tensor conv2d(const Tensor& x, const Tensor& filter, const ConvOptions& options) {
  check_rank(op::conv, x, 2, "conv2d");
  return conv(x, filter, options);
}
Tensor conv3d(const Tensor& x, const Tensor& filter, const ConvOptions& options) {
  check_rank(op::conv, x, 3, "conv3d");
  return conv(x, filter, options);
}

Tensor depthwise_conv(const Tensor& x, const Tensor& filter, const ConvOptions& options) {
  const Tensor last = to_channels_last(spatial(op::conv, x), options.data_format);
  const Shape& shape = spatial(op::conv, filter, 1).shape();
  const int rank = shape.rank();
  const int64_t channels = last.shape()[last.rank() - 1];
  if (shape[rank - 2] != channels || channels == 0)
    throw_invalid(op::conv, cat("depthwise_conv: the input of shape ", x.shape(), " has ", channels,
                                " channels, but the filter of shape ", shape, " is for ", shape[rank - 2]));
  // (…, channels, multiplier) lie as (…, 1, channels · multiplier), the filter of as many groups.
  std::vector<int64_t> dims(shape.begin(), shape.end());
  dims[static_cast<size_t>(rank - 1)] *= channels;
  dims[static_cast<size_t>(rank - 2)] = 1;
  return from_channels_last(conv_last(last, reshape(filter, Shape(dims)), channels, options), options.data_format);
}
Tensor depthwise_conv2d(const Tensor& x, const Tensor& filter, const ConvOptions& options) {
  check_rank(op::conv, x, 2, "depthwise_conv2d");
  return depthwise_conv(x, filter, options);
}

Tensor separable_conv(const Tensor& x, const Tensor& depthwise, const Tensor& pointwise, const ConvOptions& options) {
  for (int i = 0; i + 2 < required(op::conv, pointwise, 2).rank(); ++i)
    if (pointwise.shape()[i] != 1)
      throw_invalid(op::conv, cat("separable_conv: the pointwise filter has shape ", pointwise.shape(),
                                  "; its spatial sizes must be 1"));
  return conv(depthwise_conv(x, depthwise, options), pointwise, {.data_format = options.data_format});
}

std::vector<Size> conv_transpose_sizes(const std::vector<Size>& counts, const WindowPadding& padding,
                                       const std::vector<int64_t>& output_padding, std::vector<OpenWindowAxis> axes) {
  const OpDef& op = op::conv_input_grad;
  const bool same = padding.is("same"), by_default = output_padding.empty();
  if (!same) resolve_padding(op, padding, axes);
  const std::vector<int64_t> extra =
      by_default ? std::vector<int64_t>(axes.size())
                 : per_axis(op, "output_padding", output_padding, static_cast<int64_t>(axes.size()));
  std::vector<Size> sizes;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t stride = axes[i].stride;
    const Size reach = axes[i].reach(), apart = (counts[i] - 1) * stride;
    if (same) sizes.push_back(by_default ? counts[i] * stride : apart + reach % 2 + extra[i]);
    else
      sizes.push_back(apart + (by_default ? max(reach, Size(stride)) : reach + extra[i]) - axes[i].low -
                      axes[i].high);
  }
  return sizes;
}

Tensor conv_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options) {
  const OpDef& op = op::conv_input_grad;
  const Tensor last = to_channels_last(spatial(op, x, 1), options.data_format);
  const std::vector<Size> counts = spatial_size(last.shape(), 1);
  spatial(op, filter);
  std::vector<OpenWindowAxis> axes = window_axes(op, counts, filter, options.strides, options.dilations);
  if (!options.output_size.empty() && !options.output_padding.empty())
    throw_invalid(op, "conv_transpose takes output_padding or output_size, but got both");
  std::vector<Size> size = conv_transpose_sizes(counts, options.padding, options.output_padding, axes);
  if (!options.output_size.empty()) {
    const auto given = per_axis(op, "output_size", options.output_size, static_cast<int64_t>(axes.size()));
    size.assign(given.begin(), given.end());
  }
  for (size_t i = 0; i < axes.size(); ++i) axes[i].size = size[i];
  resolve_padding(op, options.padding, axes);
  std::vector<int64_t> words = words_of(1, axes);
  append_list(words, size);
  return from_channels_last(record(op, words, filter, last), options.data_format);
}
Tensor conv1d_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options) {
  check_rank(op::conv_input_grad, x, 1, "conv1d_transpose");
  return conv_transpose(x, filter, options);
}
Tensor conv2d_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options) {
  check_rank(op::conv_input_grad, x, 2, "conv2d_transpose");
  return conv_transpose(x, filter, options);
}
Tensor conv3d_transpose(const Tensor& x, const Tensor& filter, const ConvTransposeOptions& options) {
  check_rank(op::conv_input_grad, x, 3, "conv3d_transpose");
  return conv_transpose(x, filter, options);
}

}  // namespace brio
