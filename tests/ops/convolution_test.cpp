#include "brio/ops/network/convolution.h"

#include <gtest/gtest.h>

#include "brio/autodiff/tape.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/reductions/reduction.h"
#include "tests/golden/golden.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

struct Sizes {
  Shape x, filter, y;
  std::vector<int64_t> attrs, x_size, filter_size;  // attributes of conv, and what its gradients add
};

// One to three axes; every ninth has a filter of size 1, is depthwise, is so with a multiplier, has groups, or is
// empty. Some are worth several threads, or calling a library: one for f32 with few channels, a depthwise one, one
// for bf16.
Sizes random_sizes(Rng& rng, int i) {
  const bool few = i == 12, grouped = i == 15, depthwise = i == 24, large = few || grouped || depthwise || i == 20;
  const int axes = large ? 2 : 1 + (i + i / 9) % 3, kind = large ? 0 : i % 9;
  const bool pointwise = kind == 4, plain = pointwise && rng.chance(0.7);
  const int64_t groups = depthwise ? 40 : kind == 5 || kind == 6 ? rng.range(2, 20) : kind == 7 || grouped ? 2 : 1;
  const int64_t in = depthwise || kind == 5 || kind == 6 ? 1 : few ? 3 : large ? 16 : rng.range(1, 5);
  const int64_t out = depthwise || kind == 5 ? 1 : kind == 6 ? 2 : large ? 32 : rng.range(1, 5);
  const int64_t batch = large ? 4 : kind == 8 ? 0 : rng.range(1, 3);
  Sizes s{Shape{batch}, {}, Shape{batch}, {groups}, {}, {}};
  std::vector<int64_t> stride, dilation, low, high;
  for (int a = 0; a < axes; ++a) {
    OpenWindowAxis axis{large ? 22 : rng.range(1, axes == 1 ? 20 : 6),
                        pointwise ? 1
                        : large   ? 3
                                  : rng.range(1, 4),
                        grouped && a == 0 ? 2
                        : plain || large  ? 1
                                          : rng.range(1, 3),
                        grouped              ? 2
                        : pointwise || large ? 1
                                             : rng.range(1, 2),
                        plain ? 0 : rng.range(0, 2),
                        plain ? 0 : rng.range(0, 2)};
    while (!axis.fits()) axis.size += 1;
    stride.push_back(axis.stride);
    dilation.push_back(axis.dilation);
    low.push_back(axis.low);
    high.push_back(axis.high);
    s.x.push_back(axis.size);
    s.filter.push_back(axis.window);
    s.y.push_back(axis.count());
  }
  s.x_size.assign(s.x.begin() + 1, s.x.end());
  s.filter_size.assign(s.filter.begin(), s.filter.end());
  s.x.push_back(groups * in);
  s.filter.push_back(in);
  s.filter.push_back(groups * out);
  s.y.push_back(groups * out);
  const std::vector<int64_t> lists = list({stride, dilation, low, high});
  s.attrs.insert(s.attrs.end(), lists.begin(), lists.end());
  return s;
}
std::vector<int64_t> with(std::vector<int64_t> attrs, const std::vector<int64_t>& size) {
  append_list(attrs, size);
  return attrs;
}
Case pair(DType dtype, const Shape& a, const Shape& b, std::vector<int64_t> attrs) {
  const Fill fill = is_floating(dtype) ? Fill::uniform : Fill::bits;
  return {{{{a, dtype}, -2, 2, fill}, {{b, dtype}, -2, 2, fill}}, std::move(attrs)};
}

constexpr int64_t kLargeBatch = 8;
const Shape kLargeX{kLargeBatch, 56, 56, 64}, kLargeFilter{3, 3, 64, 64};
std::vector<int64_t> large_attrs() {
  std::vector<int64_t> attrs{1};
  const std::vector<int64_t> lists = list({{1, 1}, {1, 1}, {1, 1}, {1, 1}});
  attrs.insert(attrs.end(), lists.begin(), lists.end());
  return attrs;
}

std::vector<OpTest> tests() {
  return {
      {.op = &op::conv,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = random_sizes(rng, i);
             return pair(dtype, s.x, s.filter, s.attrs);
           },
       .large = [](DType dtype) { return pair(dtype, kLargeX, kLargeFilter, large_attrs()); }},
      {.op = &op::conv_input_grad,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = random_sizes(rng, i);
             return pair(dtype, s.filter, s.y, with(s.attrs, s.x_size));
           },
       .large =
           [](DType dtype) {
             return pair(dtype, kLargeFilter, kLargeX, with(large_attrs(), {56, 56}));
           }},
      {.op = &op::conv_filter_grad,
       .dtypes = kNumbers,
       .make =
           [](Rng& rng, DType dtype, int i) {
             const Sizes s = random_sizes(rng, i);
             return pair(dtype, s.x, s.y, with(s.attrs, s.filter_size));
           },
       .large =
           [](DType dtype) {
             return pair(dtype, kLargeX, kLargeX, with(large_attrs(), {3, 3}));
           }},
  };
}

std::vector<int64_t> attrs1(int64_t groups, int64_t stride = 1, int64_t dilation = 1, int64_t low = 0,
                            int64_t high = 0) {
  return {groups, 1, stride, 1, dilation, 1, low, 1, high};
}

std::vector<Invalid> invalid() {
  const OpDef *c = &op::conv, *ig = &op::conv_input_grad, *fg = &op::conv_filter_grad;
  const Tensor x = tensor({2, 5, 4}), f = tensor({3, 4, 6}), y = tensor({2, 3, 6});
  const int64_t huge = int64_t{1} << 31;
  return {
      {c,
       "dtypes",
       [=] {
         conv(x, tensor({3, 4, 6}, f64));
       },
       {"float32", "float64", "cast"}},
      {c,
       "bools",
       [] {
         conv(tensor({2, 5, 4}, boolean), tensor({3, 4, 6}, boolean));
       },
       {"bool", "cast"}},
      {c,
       "a matrix",
       [=] {
         conv(tensor({2, 5}), f);
       },
       {"(2, 5)", "rank 3 to 5"}},
      {c,
       "too many axes",
       [=] {
         conv(tensor({1, 1, 1, 1, 1, 1}), f);
       },
       {"(1, 1, 1, 1, 1, 1)"}},
      {c,
       "a filter of rank 2",
       [=] {
         conv(x, tensor({4, 6}));
       },
       {"input 1", "(4, 6)"}},
      {c,
       "a filter for more axes",
       [=] {
         conv(x, tensor({3, 3, 4, 6}));
       },
       {"(3, 3, 4, 6)", "1 spatial"}},
      {c, "none", [=] { conv(Tensor(), f); }, {"input 0", "none"}},
      {c, "no filter", [=] { conv(x, Tensor()); }, {"input 1", "none"}},
      {c,
       "conv1d of a picture",
       [=] {
         conv1d(tensor({1, 4, 4, 1}), f);
       },
       {"conv1d", "rank 3", "(1, 4, 4, 1)"}},
      {c, "conv2d of a line", [=] { conv2d(x, f); }, {"conv2d", "rank 4", "(2, 5, 4)"}},
      {c, "conv3d of a line", [=] { conv3d(x, f); }, {"conv3d", "rank 5"}},
      {c,
       "channels",
       [=] {
         conv(x, tensor({3, 3, 6}));
       },
       {"4 channels", "multiple of the 3", "(3, 3, 6)"}},
      {c, "channels first", [=] { conv(x, f, {.data_format = DataFormat::channels_first}); }, {"5 channels"}},
      {c,
       "a filter of no channels",
       [=] {
         conv(x, tensor({3, 0, 6}));
       },
       {"(3, 0, 6)"}},
      {c,
       "uneven groups",
       [=] {
         conv(x, tensor({3, 2, 5}));
       },
       {"filter", "5 channels", "2 equal groups"}},
      {c,
       "two strides for one axis",
       [=] {
         conv(x, f, {.strides = {1, 2}});
       },
       {"stride", "2 values", "1 spatial"}},
      {c, "no dilation", [=] { conv(x, f, {.dilations = {}}); }, {"dilation", "0 values"}},
      {c, "a stride of 0", [=] { conv(x, f, {.strides = {0}}); }, {"stride", "axis 0 is 0", "[1, "}},
      {c, "a stride of 0 with same", [=] { conv(x, f, {.strides = {0}, .padding = "same"}); }, {"axis 0 is 0"}},
      {c, "a dilation of -1", [=] { conv(x, f, {.dilations = {-1}}); }, {"dilation", "-1"}},
      {c, "a huge stride", [=] { conv(x, f, {.strides = {huge}}); }, {"stride", "2147483648"}},
      {c, "padding by name", [=] { conv(x, f, {.padding = "full"}); }, {"'full'", "\"same\""}},
      {c,
       "paddings",
       [=] {
         conv(x, f, {.padding = {{1, 1}, {1, 1}}});
       },
       {"2 pairs", "1 spatial"}},
      {c,
       "negative padding",
       [=] {
         conv(x, f, {.padding = {{-1, 0}}});
       },
       {"low padding", "-1"}},
      {c,
       "negative padding behind",
       [=] {
         conv(x, f, {.padding = {{0, -2}}});
       },
       {"high padding", "-2"}},
      {c,
       "a large window",
       [=] {
         conv(x, tensor({7, 4, 6}));
       },
       {"reaches over 7", "axis 0 with 5", "pad more"}},
      {c, "a large dilation", [=] { conv(x, f, {.dilations = {4}}); }, {"reaches over 9", "axis 0 with 5"}},
      {c,
       "an empty filter",
       [=] {
         conv(x, tensor({0, 4, 6}));
       },
       {"filter's size", "axis 0 is 0"}},
      {c,
       "a huge result",
       [] {
         conv(tensor({1 << 30, 0, 1 << 20, 1}), tensor({1, 1, 1, 1024}), {.padding = {{9, 9}, {0, 0}}});
       },
       {"elements"}},
      {c,
       "groups in the attributes",
       [=] {
         call(op::conv, {x, f}, attrs1(0));
       },
       {"groups is 0"}},
      {c,
       "channels in the attributes",
       [=] {
         call(op::conv, {x, f}, attrs1(3));
       },
       {"4 channels", "3 groups", "takes 4"}},
      {c,
       "ranks in the attributes",
       [=] {
         call(op::conv, {x, tensor({3, 4})}, attrs1(1));
       },
       {"the filter (3, 4)"}},
      {c,
       "lists in the attributes",
       [=] {
         call(op::conv, {x, f}, {1, 2, 1, 1, 1, 1, 1, 0, 1, 0});
       },
       {"stride has 2"}},
      {c,
       "a depthwise filter",
       [=] {
         depthwise_conv(x, tensor({3, 3, 2}));
       },
       {"depthwise_conv", "4 channels", "for 3"}},
      {c,
       "a depthwise conv of nothing",
       [] {
         depthwise_conv(tensor({2, 5, 0}), tensor({3, 0, 2}));
       },
       {"0 channels"}},
      {c,
       "a depthwise filter for more axes",
       [=] {
         depthwise_conv(x, tensor({3, 3, 4, 2}));
       },
       {"(3, 3, 1, 8)"}},
      {c,
       "depthwise_conv2d of a line",
       [=] {
         depthwise_conv2d(x, tensor({3, 4, 1}));
       },
       {"depthwise_conv2d", "rank 4"}},
      {c,
       "a wide pointwise filter",
       [=] {
         separable_conv(x, tensor({3, 4, 1}), f);
       },
       {"pointwise", "(3, 4, 6)"}},
      {c,
       "no pointwise filter",
       [=] {
         separable_conv(x, tensor({3, 4, 1}), Tensor());
       },
       {"input 2", "none"}},
      {ig, "channels", [=] { conv_transpose(x, f); }, {"4 channels", "(3, 4, 6)", "has 6"}},
      {ig, "both sizes", [=] { conv_transpose(y, f, {.output_padding = {0}, .output_size = {5}}); }, {"both"}},
      {ig,
       "two sizes for one axis",
       [=] {
         conv_transpose(y, f, {.output_size = {5, 5}});
       },
       {"output_size", "2 values"}},
      {ig,
       "an unreachable size",
       [=] { conv_transpose(y, f, {.output_size = {9}}); },
       {"size of 9", "7 windows", "has 3", "output_size"}},
      {ig,
       "much output padding",
       [=] { conv_transpose(y, f, {.strides = {2}, .padding = "same", .output_padding = {2}}); },
       {"size of 7", "4 windows", "has 3", "output_padding"}},
      {ig,
       "a size that windows exceed",
       [=] { conv_transpose(y, f, {.output_size = {1}}); },
       {"reaches over 3", "with 1"}},
      {ig, "a negative size", [=] { conv_transpose(y, f, {.output_size = {-1}}); }, {"the size", "-1"}},
      {ig, "padding by name", [=] { conv_transpose(y, f, {.padding = "full"}); }, {"'full'"}},
      {ig,
       "conv1d_transpose of a picture",
       [=] {
         conv1d_transpose(tensor({1, 4, 4, 1}), f);
       },
       {"conv1d_transpose"}},
      {ig, "conv2d_transpose of a line", [=] { conv2d_transpose(y, f); }, {"conv2d_transpose"}},
      {ig, "conv3d_transpose of a line", [=] { conv3d_transpose(y, f); }, {"conv3d_transpose"}},
      {ig,
       "a matrix",
       [=] {
         conv_transpose(tensor({2, 3}), f);
       },
       {"(2, 3)"}},
      {ig, "none", [=] { conv_transpose(y, Tensor()); }, {"input 0", "none"}},
      {ig,
       "uneven groups",
       [=] {
         call(op::conv_input_grad, {f, y}, with(attrs1(4), {5}));
       },
       {"6 channels", "4 equal"}},
      {ig,
       "an empty filter",
       [=] {
         call(op::conv_input_grad, {tensor({0, 4, 6}), y}, with(attrs1(1), {5}));
       },
       {"filter's size"}},
      {ig,
       "many groups",
       [=] {
         call(op::conv_input_grad, {tensor({3, 4, 0}), tensor({2, 3, 0})}, with(attrs1(huge), {5}));
       },
       {"2147483648 groups"}},
      {ig,
       "ranks",
       [=] {
         call(op::conv_input_grad, {f, tensor({2, 3})}, with(attrs1(1), {5}));
       },
       {"the cotangent (2, 3)"}},
      {ig,
       "a huge result",
       [] {
         conv_transpose(tensor({huge, 1 << 20, 0}), tensor({1, 1 << 20, 0}));
       },
       {"elements"}},
      {fg,
       "batches",
       [=] {
         call(op::conv_filter_grad, {x, tensor({3, 3, 6})}, with(attrs1(1), {3}));
       },
       {"(2, 5, 4)", "(3, 3, 6)", "batch"}},
      {fg,
       "uneven groups of x",
       [=] {
         call(op::conv_filter_grad, {x, y}, with(attrs1(3), {3}));
       },
       {"the input has 4"}},
      {fg,
       "uneven groups of y",
       [=] {
         call(op::conv_filter_grad, {x, y}, with(attrs1(4), {3}));
       },
       {"the cotangent has 6"}},
      {fg,
       "another size",
       [=] {
         call(op::conv_filter_grad, {x, y}, with(attrs1(1), {2}));
       },
       {"4 windows of 2", "has 3"}},
      {fg,
       "no size",
       [=] {
         call(op::conv_filter_grad, {x, y}, with(attrs1(1), {0}));
       },
       {"filter's size"}},
      {fg,
       "sizes",
       [=] {
         call(op::conv_filter_grad, {x, y}, with(attrs1(1), {3, 3}));
       },
       {"the size has 2"}},
      {fg,
       "ranks",
       [=] {
         call(op::conv_filter_grad, {tensor({2, 4}), y}, with(attrs1(1), {3}));
       },
       {"the input has shape (2, 4)", "the cotangent (2, 3, 6)"}},
      {fg,
       "a huge result",
       [] {
         call(op::conv_filter_grad, {tensor({0, 9, huge}), tensor({0, 9, huge})}, with(attrs1(1), {1}));
       },
       {"elements"}},
  };
}

const AddOpTests add_tests(tests, invalid);

TEST(Convolution, KnownValues) {
  const Tensor x = reshape(Tensor({1, 2, 3, 4}), {1, 4, 1}), f = reshape(Tensor({1, 10}), {2, 1, 1});
  EXPECT_EQ(conv1d(x, f).to_vector<float>(), (std::vector<float>{21, 32, 43}));
  EXPECT_EQ(conv1d(x, f, {.padding = "same"}).to_vector<float>(), (std::vector<float>{21, 32, 43, 4}));
  EXPECT_EQ(conv1d(x, f, {.strides = {2}}).to_vector<float>(), (std::vector<float>{21, 43}));
  EXPECT_EQ(conv1d(x, f, {.dilations = {2}}).to_vector<float>(), (std::vector<float>{31, 42}));
  EXPECT_EQ(conv1d(x, f, {.padding = {{1, 0}}}).to_vector<float>(), (std::vector<float>{10, 21, 32, 43}));
  EXPECT_EQ(conv1d_transpose(x, f).to_vector<float>(), (std::vector<float>{1, 12, 23, 34, 40}));
}

TEST(Convolution, OfNothing) {
  EXPECT_EQ(conv2d(tensor({0, 4, 4, 3}), tensor({3, 3, 3, 8}), {.padding = "same"}).shape(), (Shape{0, 4, 4, 8}));
  EXPECT_EQ(conv1d(tensor({1, 0, 1}), tensor({3, 1, 2}), {.padding = "SAME"}).shape(), (Shape{1, 0, 2}));
  EXPECT_EQ(conv1d(tensor({1, 0, 1}), tensor({3, 1, 2})).shape(), (Shape{1, 0, 2}));
}

// ---- TensorFlow's values

DataFormat format_of(const golden::Case& c) {
  return c.text("data_format") == "channels_last" ? DataFormat::channels_last : DataFormat::channels_first;
}
Tensor golden_tensor(const golden::Array& array) {
  return Tensor::from(std::vector<float>(array.data.begin(), array.data.end()),
                      Shape(std::span<const int64_t>(array.shape)));
}
std::vector<int64_t> sizes_of(const golden::Case& c, const std::string& name) {
  if (!c.inputs.count(name)) return {};
  const golden::Array& array = c.input(name);
  return {array.data.begin(), array.data.end()};
}
WindowPadding padding_of(const golden::Case& c) {
  if (c.text("padding") != "explicit") return c.text("padding");
  std::vector<Padding> sides;
  const std::vector<int64_t> flat = sizes_of(c, "sides");
  for (size_t i = 0; i < flat.size(); i += 2) sides.push_back({flat[i], flat[i + 1]});
  return WindowPadding(sides);
}
void expect_golden(const Tensor& actual, const golden::Array& expected, const std::string& what) {
  ASSERT_EQ(actual.shape(), Shape(std::span<const int64_t>(expected.shape))) << what;
  const std::vector<float> values = actual.to_vector<float>();
  double scale = 0;
  for (double value : expected.data) scale = std::max(scale, std::fabs(value));
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected.data[i], 1e-5 * std::fabs(expected.data[i]) + 1e-6 * scale)
        << what << ", element " << i;
}

Tensor call_of(const golden::Case& c, const std::vector<Tensor>& in) {
  const std::string& kind = c.text("op");
  const ConvOptions options{sizes_of(c, "strides"), padding_of(c), sizes_of(c, "dilations"), format_of(c)};
  if (kind == "conv") return conv(in[0], in[1], options);
  if (kind == "depthwise_conv") return depthwise_conv(in[0], in[1], options);
  if (kind == "separable_conv") return separable_conv(in[0], in[1], in[2], options);
  return conv_transpose(in[0], in[1],
                        {.strides = options.strides,
                         .padding = options.padding,
                         .output_padding = sizes_of(c, "output_padding"),
                         .output_size = sizes_of(c, "output_size"),
                         .dilations = options.dilations,
                         .data_format = options.data_format});
}

TEST(Convolution, AgreesWithTensorFlow) {
  for (const golden::Case& c : golden::load("convolution.json")) {
    std::vector<Tensor> in;
    std::vector<GradientTape::Source> sources;
    GradientTape tape;
    for (const char* name : {"x", "filter", "pointwise"}) {
      if (!c.inputs.count(name)) continue;
      in.push_back(golden_tensor(c.input(name)));
      tape.watch(in.back());
      sources.emplace_back(in.back());
    }
    const Tensor y = call_of(c, in);
    const Tensor total[] = {sum(y * golden_tensor(c.input("upstream")))};
    const std::vector<Tensor> gradients = tape.gradient(total, sources);
    expect_golden(y, c.output("y"), c.name);
    size_t at = 0;
    for (const char* name : {"x", "filter", "pointwise"})
      if (c.inputs.count(name))
        expect_golden(gradients[at++], c.output(std::string(name) + "_gradient"), c.name + ", gradient of " + name);
  }
}

}  // namespace
}  // namespace brio::testing
