// tf.nn: convolutions and pooling, with TensorFlow's ways to write strides, padding and formats.
#include "brio/ops/network/window.h"

#include "brio/base/error.h"
#include "brio/ops/network/convolution.h"
#include "brio/ops/network/pooling.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// "NHWC", "NCHW" and their kin; none: channels last.
DataFormat format_from(const char* who, Given given) {
  if (given.object.is_none()) return DataFormat::channels_last;
  const std::string name = given_as<std::string>(given.object);
  if (name.size() >= 3 && name[0] == 'N' && (name.back() == 'C' || name[1] == 'C'))
    return name[1] == 'C' ? DataFormat::channels_first : DataFormat::channels_last;
  throw InvalidArgument(cat("[", who, "] data_format is '", name, "'; it is 'NHWC' or 'NCHW', or with W or DHW"));
}

// One number for all spatial axes, one for each, or also one for batch and channels, which is dropped.
std::vector<int64_t> spatial_from(const char* who, const char* what, Given given, int axes, DataFormat format) {
  if (given.object.is_none()) return {1};
  std::vector<int64_t> list = dims_from(given.object);
  if (list.size() == 1 || static_cast<int>(list.size()) == axes) return list;
  if (static_cast<int>(list.size()) != axes + 2)
    throw InvalidArgument(
        cat("[", who, "] ", what, " has 1, ", axes, " or ", axes + 2, " numbers, but got ", list.size()));
  if (format == DataFormat::channels_last) return {list.begin() + 1, list.end() - 1};
  return {list.begin() + 2, list.end()};
}

WindowPadding padding_from(const char* who, Given given, DataFormat format) {
  if (PyUnicode_Check(given.object.ptr())) {
    const std::string name = given_as<std::string>(given.object);
    if (WindowPadding padding(name); padding.is("same") || padding.is("valid")) return padding;
    throw InvalidArgument(cat("[", who, "] padding is '", name, "'; it is 'SAME', 'VALID' or a list of pairs"));
  }
  std::vector<Padding> sides = paddings_from(tensor_of(given.object, {.preferred = i32}));
  if (sides.size() < 3) throw InvalidArgument(cat("[", who, "] padding has a pair for every axis of the input"));
  if (format == DataFormat::channels_last)
    return WindowPadding(std::vector<Padding>{sides.begin() + 1, sides.end() - 1});
  return WindowPadding(std::vector<Padding>{sides.begin() + 2, sides.end()});
}

// How many spatial axes; of a symbol or tensor of any rank where `axes` is 0.
int axes_of(const char* who, int axes, Given input) {
  if (axes) return axes;
  const int rank =
      is_symbol(input.object) ? nb::inst_ptr<nn::Symbol>(input.object)->rank() : tensor_of(input.object).rank();
  if (rank < 3 || rank > 5)
    throw InvalidArgument(
        cat("[", who, "] takes a batch with one to three spatial axes and channels, but got rank ", rank));
  return rank - 2;
}

ConvOptions conv_options(const char* who, int axes, Given strides, Given padding, Given data_format,
                         Given dilations) {
  const DataFormat format = format_from(who, data_format);
  return {.strides = spatial_from(who, "strides", strides, axes, format),
          .padding = padding_from(who, padding, format),
          .dilations = spatial_from(who, "dilations", dilations, axes, format),
          .data_format = format};
}

using Conv = Tensor (*)(const Tensor&, const Tensor&, const ConvOptions&);
void define_conv(nb::module_& m, const char* name, Conv f, int axes, const char* filters = "filters",
                 const char* strides = "strides") {
  m.def(
      name,
      [=](Given input, Given filter, Given stride, Given padding, Given data_format, Given dilations, Given) {
        const auto options = conv_options(name, axes, stride, padding, data_format, dilations);
        return perform([=](const std::vector<Tensor>& x) { return f(x[0], x[1], options); },
                       std::tuple{alike({input.object, filter.object})});
      },
      nb::arg("input"), nb::arg(filters), nb::arg(strides), nb::arg("padding"), nb::arg("data_format") = nb::none(),
      nb::arg("dilations") = nb::none(), nb::arg("name") = nb::none(),
      "Filters slid over the spatial axes of (batch, spatial..., channels).");
}

using ConvTranspose = Tensor (*)(const Tensor&, const Tensor&, const ConvTransposeOptions&);
void define_transpose(nb::module_& m, const char* name, ConvTranspose f, int axes) {
  m.def(
      name,
      [=](Given input, Given filters, Given output_shape, Given strides, Given padding, Given data_format,
          Given dilations, Given) {
        const int n = axes_of(name, axes, input);
        const DataFormat format = format_from(name, data_format);
        const std::vector<Size> given = sizes_from(output_shape.object);
        const bool whole = static_cast<int>(given.size()) == n + 2;  // the batch need not be known, nor the channels
        const size_t before = !whole ? 0 : format == DataFormat::channels_last ? 1 : 2;
        const std::vector<int64_t> size(given.begin() + static_cast<std::ptrdiff_t>(before),
                                        given.end() - (whole && before == 1));
        const ConvTransposeOptions options{.strides = spatial_from(name, "strides", strides, n, format),
                                           .padding = padding_from(name, padding, format),
                                           .output_size = size,
                                           .dilations = spatial_from(name, "dilations", dilations, n, format),
                                           .data_format = format};
        return perform([=](const std::vector<Tensor>& x) { return f(x[0], x[1], options); },
                       std::tuple{alike({input.object, filters.object})});
      },
      nb::arg("input"), nb::arg("filters"), nb::arg("output_shape"), nb::arg("strides"), nb::arg("padding") = "SAME",
      nb::arg("data_format") = nb::none(), nb::arg("dilations") = nb::none(), nb::arg("name") = nb::none(),
      "What a convolution's gradient does to its input.");
}

using Pool = Tensor (*)(const Tensor&, const std::vector<int64_t>&, const PoolOptions&);
void define_pool(nb::module_& m, const char* name, Pool f, int axes, const char* doc) {
  m.def(
      name,
      [=](Given input, Given ksize, Given strides, Given padding, Given data_format, Given) {
        const int n = axes_of(name, axes, input);
        const DataFormat format = format_from(name, data_format);
        const std::vector<int64_t> window = spatial_from(name, "ksize", ksize, n, format);
        const PoolOptions options{.strides = spatial_from(name, "strides", strides, n, format),
                                  .padding = padding_from(name, padding, format),
                                  .data_format = format};
        return perform([=](const Tensor& x) { return f(x, window, options); },
                       std::tuple{Parameter<Tensor>::take(input)});
      },
      nb::arg("input"), nb::arg("ksize"), nb::arg("strides"), nb::arg("padding"), nb::arg("data_format") = nb::none(),
      nb::arg("name") = nb::none(), doc);
}

}  // namespace

void bind_windows(nb::module_& m) {
  nb::module_ nn = nb::borrow<nb::module_>(m.attr("_nn"));
  define_conv(nn, "conv1d", conv1d, 1, "filters", "stride");
  define_conv(nn, "conv2d", conv2d, 2);
  define_conv(nn, "conv3d", conv3d, 3);
  define_conv(nn, "depthwise_conv2d", depthwise_conv2d, 2, "filter");
  nn.def(
      "convolution",
      [](Given input, Given filters, Given strides, Given padding, Given data_format, Given dilations, Given) {
        const int axes = axes_of("convolution", 0, input);
        const auto options = conv_options("convolution", axes, strides, padding, data_format, dilations);
        return perform([=](const std::vector<Tensor>& x) { return conv(x[0], x[1], options); },
                       std::tuple{alike({input.object, filters.object})});
      },
      nb::arg("input"), nb::arg("filters"), nb::arg("strides") = nb::none(), nb::arg("padding") = "VALID",
      nb::arg("data_format") = nb::none(), nb::arg("dilations") = nb::none(), nb::arg("name") = nb::none(),
      "Filters slid over one to three spatial axes.");
  define_transpose(nn, "conv1d_transpose", conv1d_transpose, 1);
  define_transpose(nn, "conv2d_transpose", conv2d_transpose, 2);
  define_transpose(nn, "conv3d_transpose", conv3d_transpose, 3);
  define_transpose(nn, "conv_transpose", conv_transpose, 0);
  nn.def(
      "separable_conv2d",
      [](Given input, Given depthwise, Given pointwise, Given strides, Given padding, Given data_format,
         Given dilations, Given) {
        const auto options = conv_options("separable_conv2d", 2, strides, padding, data_format, dilations);
        return perform([=](const std::vector<Tensor>& x) { return separable_conv(x[0], x[1], x[2], options); },
                       std::tuple{alike({input.object, depthwise.object, pointwise.object})});
      },
      nb::arg("input"), nb::arg("depthwise_filter"), nb::arg("pointwise_filter"), nb::arg("strides"),
      nb::arg("padding"), nb::arg("data_format") = nb::none(), nb::arg("dilations") = nb::none(),
      nb::arg("name") = nb::none(), "depthwise_conv2d, then a convolution that mixes the channels.");
  define_pool(nn, "max_pool", max_pool, 0, "The largest of each window.");
  define_pool(nn, "max_pool1d", max_pool1d, 1, "The largest of each window.");
  define_pool(nn, "max_pool2d", max_pool2d, 2, "The largest of each window.");
  define_pool(nn, "max_pool3d", max_pool3d, 3, "The largest of each window.");
  define_pool(nn, "avg_pool", avg_pool, 0, "The mean of each window; padding is not counted.");
  define_pool(nn, "avg_pool1d", avg_pool1d, 1, "The mean of each window; padding is not counted.");
  define_pool(nn, "avg_pool2d", avg_pool2d, 2, "The mean of each window; padding is not counted.");
  define_pool(nn, "avg_pool3d", avg_pool3d, 3, "The mean of each window; padding is not counted.");
}

}  // namespace brio::python
