#include "brio/train/onnx/ops.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "brio/base/error.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/network/window.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio::train {

namespace {

using Call = OnnxTranslation::Call;
using Names = std::vector<std::string>;

int64_t number_of(DType dtype) { return onnx::number_of(dtype); }
int64_t integer(int value) { return value; }

// ---- elementwise

// ONNX' op, or an expression of its ops.
using Expression = std::string (*)(Call& c, const Names& in);
struct Elementwise {
  const char* node = nullptr;
  Expression expression = nullptr;
};

std::string one(Call& c) { return c.to.scalar(1, c.aval(0).dtype); }

std::string rounded_down(Call& c, const Names& in) {
  if (is_floating(c.aval(0).dtype)) return c.to.node("Floor", {c.to.node("Div", in)});
  const std::string rest = c.to.node("Mod", in);  // of integers it has the sign of the divisor
  return c.to.node("Div", {c.to.node("Sub", {in[0], rest}), in[1]});
}
std::string remainder(Call& c, const Names& in) {
  if (!is_floating(c.aval(0).dtype)) return c.to.node("Mod", in);
  const std::string times = c.to.node("Floor", {c.to.node("Div", in)});
  return c.to.node("Sub", {in[0], c.to.node("Mul", {in[1], times})});
}
std::string normal_distribution(Call& c, const Names& in) {
  const DType dtype = c.aval(0).dtype;
  const std::string scaled = c.to.node("Mul", {in[0], c.to.scalar(std::numbers::sqrt2 / 2, dtype)});
  const std::string sum = c.to.node("Add", {c.to.node("Erf", {scaled}), one(c)});
  return c.to.node("Mul", {sum, c.to.scalar(0.5, dtype)});
}
std::string not_a_number(Call& c, const Names& in) { return c.to.node("IsNaN", in); }
std::string finite(Call& c, const Names& in) {
  return c.to.node("Not", {c.to.node("Or", {c.to.node("IsInf", in), not_a_number(c, in)})});
}

const std::unordered_map<std::string_view, Elementwise>& elementwise_table() {
  static const std::unordered_map<std::string_view, Elementwise> table = {
      {"abs", {"Abs"}},
      {"acos", {"Acos"}},
      {"acosh", {"Acosh"}},
      {"add", {"Add"}},
      {"asin", {"Asin"}},
      {"asinh", {"Asinh"}},
      {"atan", {"Atan"}},
      {"atanh", {"Atanh"}},
      {"bitwise_and", {"BitwiseAnd"}},
      {"bitwise_or", {"BitwiseOr"}},
      {"bitwise_xor", {"BitwiseXor"}},
      {"ceil", {"Ceil"}},
      {"cos", {"Cos"}},
      {"cosh", {"Cosh"}},
      {"div", {"Div"}},
      {"equal", {"Equal"}},
      {"erf", {"Erf"}},
      {"exp", {"Exp"}},
      {"floor", {"Floor"}},
      {"greater", {"Greater"}},
      {"greater_equal", {"GreaterOrEqual"}},
      {"is_inf", {"IsInf"}},
      {"less", {"Less"}},
      {"less_equal", {"LessOrEqual"}},
      {"log", {"Log"}},
      {"logical_and", {"And"}},
      {"logical_not", {"Not"}},
      {"logical_or", {"Or"}},
      {"logical_xor", {"Xor"}},
      {"max", {"Max"}},
      {"min", {"Min"}},
      {"mul", {"Mul"}},
      {"neg", {"Neg"}},
      {"pow", {"Pow"}},
      {"reciprocal", {"Reciprocal"}},
      {"relu", {"Relu"}},
      {"round", {"Round"}},
      {"select", {"Where"}},
      {"sigmoid", {"Sigmoid"}},
      {"sign", {"Sign"}},
      {"sin", {"Sin"}},
      {"sinh", {"Sinh"}},
      {"softplus", {"Softplus"}},
      {"softsign", {"Softsign"}},
      {"sqrt", {"Sqrt"}},
      {"sub", {"Sub"}},
      {"tan", {"Tan"}},
      {"tanh", {"Tanh"}},
      {"is_nan", {nullptr, not_a_number}},
      {"is_finite", {nullptr, finite}},
      {"erfc",
       {nullptr,
        [](Call& c, const Names& in) {
          return c.to.node("Sub", {one(c), c.to.node("Erf", in)});
        }}},
      {"expm1",
       {nullptr,
        [](Call& c, const Names& in) {
          return c.to.node("Sub", {c.to.node("Exp", in), one(c)});
        }}},
      {"log1p",
       {nullptr,
        [](Call& c, const Names& in) {
          return c.to.node("Log", {c.to.node("Add", {in[0], one(c)})});
        }}},
      {"floor_div", {nullptr, rounded_down}},
      {"mod", {nullptr, remainder}},
      {"ndtr", {nullptr, normal_distribution}},
      {"not_equal", {nullptr, [](Call& c, const Names& in) { return c.to.node("Not", {c.to.node("Equal", in)}); }}},
      {"rsqrt", {nullptr, [](Call& c, const Names& in) { return c.to.node("Reciprocal", {c.to.node("Sqrt", in)}); }}},
      {"square",
       {nullptr,
        [](Call& c, const Names& in) {
          return c.to.node("Mul", {in[0], in[0]});
        }}},
      {"squared_difference",
       {nullptr,
        [](Call& c, const Names& in) {
          const std::string difference = c.to.node("Sub", in);
          return c.to.node("Mul", {difference, difference});
        }}},
      {"cast",
       {nullptr,
        [](Call& c, const Names& in) {
          return c.to.node("Cast", in, {{"to", number_of(c.result().dtype)}});
        }}},
  };
  return table;
}

// Stays with channels first where an operand of the result's size comes so, and the others can follow.
bool goes_first(Call& c) {
  const Shape& shape = c.result().shape;
  if (shape.rank() < 3 || shape.rank() > 5) return false;
  bool any = false;
  for (size_t i = 0; i < c.inputs(); ++i) {
    const Aval& aval = c.aval(i);
    any |= c.is_first(i) && aval.shape == shape;
    const bool follows = aval.shape.rank() == shape.rank() || aval.shape.rank() == 0 ||
                         (c.known(i).defined() && aval.shape.rank() == 1);
    if (!follows) return false;
  }
  return any;
}

// A vector along the channels, beside values that have channels first.
std::string along_channels(Call& c, size_t i) {
  std::vector<Size> shape{c.aval(i).shape[0]};
  shape.resize(static_cast<size_t>(c.result().shape.rank()) - 1, 1);
  OnnxTranslation::Value& value = c.value(i);
  if (value.channels_first.empty()) value.channels_first = c.to.weight(value.label, reshape(value.known, shape));
  return value.channels_first;
}

void elementwise(Call& c) {
  const Elementwise& row = elementwise_table().at(c.op().name);
  const bool first = goes_first(c);
  Names in;
  for (size_t i = 0; i < c.inputs(); ++i) {
    const int rank = c.aval(i).shape.rank();
    in.push_back(!first || rank == 0 ? c.in(i) : rank == 1 ? along_channels(c, i) : c.first(i));
  }
  const std::string made = row.node ? c.to.node(row.node, in) : row.expression(c, in);
  if (first) c.give_first(made);
  else c.give(made);
}

// ---- reductions and shapes

template <const char* node>
void reduction(Call& c) {
  const auto axes = c.attrs().list(1);
  if (axes.empty()) return c.give_same(0);
  const bool keeps = c.attrs()[0] != 0, truth = c.aval(0).dtype == boolean;
  const std::string x = truth ? c.cast(c.in(0), boolean, i32) : c.in(0);
  const std::string made =
      c.to.node(node, {x, c.to.integers({axes.begin(), axes.end()})}, {{"keepdims", integer(keeps)}});
  c.give(truth ? c.cast(made, i32, boolean) : made);
}
constexpr char kSum[] = "ReduceSum", kProduct[] = "ReduceProd", kLargest[] = "ReduceMax", kLeast[] = "ReduceMin";

std::vector<Size> sizes_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

// One size that is not known follows from the others.
void reshape_to(Call& c) {
  std::vector<Size> sizes = sizes_of(c.result().shape);
  const auto unknown = std::ranges::count_if(sizes, [](Size size) { return !size.known(); });
  const bool empty = std::ranges::find(sizes, Size(0)) != sizes.end();
  std::string shape;
  if (unknown == 1 && !empty) {
    std::vector<int64_t> numbers;
    for (const Size size : sizes) numbers.push_back(size.known() ? int64_t{size} : -1);
    shape = c.to.integers(numbers);
  } else {
    shape = c.to.sizes(sizes);
  }
  Settings settings;
  if (empty) settings = {{"allowzero", int64_t{1}}};
  c.give(c.to.node("Reshape", {c.in(0), shape}, settings));
}

// Axes that stay as they are count as 1.
void expand_to(Call& c) {
  const Shape &from = c.aval(0).shape, &to = c.result().shape;
  std::vector<Size> sizes = sizes_of(to);
  for (int i = 0; i < from.rank(); ++i) {
    const int at = to.rank() - from.rank() + i;
    if (from[i] == to[at]) sizes[static_cast<size_t>(at)] = 1;
  }
  c.give(c.to.node("Expand", {c.in(0), c.to.sizes(sizes)}));
}

void transpose_axes(Call& c) {
  const auto permutation = c.attrs().list(0);
  c.give(c.to.node("Transpose", {c.in(0)}, {{"perm", std::vector<int64_t>(permutation.begin(), permutation.end())}}));
}

void concatenate(Call& c) {
  const int rank = c.result().shape.rank();
  int64_t axis = c.attrs()[0];
  bool first = rank >= 3 && rank <= 5;
  for (size_t i = 0; i < c.inputs(); ++i) first &= c.is_first(i);
  Names in;
  for (size_t i = 0; i < c.inputs(); ++i) in.push_back(first ? c.first(i) : c.in(i));
  if (first) axis = axis == 0 ? 0 : axis == rank - 1 ? 1 : axis + 1;
  const std::string made = c.to.node("Concat", in, {{"axis", axis}});
  if (first) c.give_first(made);
  else c.give(made);
}

void cut_out(Call& c) {
  const Extents begin = c.attrs().extents(0);
  const size_t at_size = c.attrs().after_list(0);
  const Extents size = c.attrs().extents(at_size);
  const auto stride = c.attrs().list(c.attrs().after_list(at_size));
  std::vector<Size> starts, ends;
  std::vector<int64_t> axes, steps;
  for (size_t i = 0; i < stride.size(); ++i) {
    const Size whole = c.aval(0).shape[static_cast<int>(i)];
    if (begin[i] == 0 && stride[i] == 1 && size[i] == whole) continue;
    axes.push_back(static_cast<int64_t>(i));
    steps.push_back(stride[i]);
    starts.push_back(begin[i]);
    ends.push_back(size[i] == 0 ? begin[i] : begin[i] + (size[i] - 1) * stride[i] + (stride[i] > 0 ? 1 : -1));
    // An end before the first element: as far back as there is.
    if (stride[i] < 0 && ends.back() == -1) ends.back() = INT32_MIN;
  }
  if (axes.empty()) return c.give_same(0);
  c.give(
      c.to.node("Slice", {c.in(0), c.to.sizes(starts), c.to.sizes(ends), c.to.integers(axes), c.to.integers(steps)}));
}

void pad_around(Call& c) {
  const Extents low = c.attrs().extents(0), high = c.attrs().extents(c.attrs().after_list(0));
  const bool first = c.is_first(0);
  std::vector<size_t> order(low.size());
  std::iota(order.begin(), order.end(), 0);
  if (first) std::rotate(order.begin() + 1, order.end() - 1, order.end());
  std::vector<Size> sides;
  for (const size_t i : order) sides.push_back(low[i]);
  for (const size_t i : order) sides.push_back(high[i]);
  const std::string made = c.to.node("Pad", {first ? c.first(0) : c.in(0), c.to.sizes(sides), c.in(1)});
  if (first) c.give_first(made);
  else c.give(made);
}

void same(Call& c) { c.give_same(0); }
void last(Call& c) { c.give_same(c.inputs() - 1); }

void count_up(Call& c) {
  const Size size = c.attrs().extents(1)[0];
  const std::string end = c.to.node("Squeeze", {c.to.size(size), c.to.integers({0})});
  const std::string numbers = c.to.node("Range", {c.to.scalar(0, i64), end, c.to.scalar(1, i64)});
  c.give(c.cast(numbers, i64, c.result().dtype));
}
void size_as_number(Call& c) {
  const std::string size = c.to.node("Squeeze", {c.to.size(c.attrs().extents(1)[0]), c.to.integers({0})});
  c.give(c.cast(size, i64, c.result().dtype));
}

// ---- products and windows

std::vector<int> swapped(int rank) {
  std::vector<int> permutation(static_cast<size_t>(rank));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[static_cast<size_t>(rank) - 1], permutation[static_cast<size_t>(rank) - 2]);
  return permutation;
}

void product(Call& c) {
  Names in;
  for (size_t i = 0; i < 2; ++i) {
    const int rank = c.aval(i).shape.rank();
    in.push_back(c.attrs()[i] != 0 && rank > 1 ? c.transposed(i, swapped(rank)) : c.in(i));
  }
  c.give(c.to.node("MatMul", in));
}

// Paddings that follow from a size which is not known are those of "same".
void add_padding(Settings& settings, const Extents& low, const Extents& high) {
  std::vector<int64_t> pads;
  for (const Extents* side : {&low, &high})
    for (size_t i = 0; i < side->size(); ++i) {
      if (!(*side)[i].known()) {
        settings.emplace_back("auto_pad", std::string("SAME_UPPER"));
        return;
      }
      pads.push_back(int64_t{(*side)[i]});
    }
  settings.emplace_back("pads", pads);
}

struct ConvAttributes {
  int64_t groups;
  std::vector<int64_t> stride, dilation;
  Extents low, high, size;
  static ConvAttributes of(Attrs attrs, bool sized) {
    size_t at = 1;
    const auto next = [&] {
      const auto list = attrs.list(at);
      at = attrs.after_list(at);
      return list;
    };
    const auto stride = next(), dilation = next();
    const Extents low(next()), high(next());
    return {attrs[0],
            {stride.begin(), stride.end()},
            {dilation.begin(), dilation.end()},
            low,
            high,
            Extents(sized ? next() : std::span<const int64_t>())};
  }
};

// (spatial…, a, b) to (b, a, spatial…).
std::vector<int> filter_order(int rank) {
  std::vector<int> order{rank - 1, rank - 2};
  for (int i = 0; i + 2 < rank; ++i) order.push_back(i);
  return order;
}

std::vector<int64_t> kernel_shape(const Shape& filter) {
  std::vector<int64_t> sizes;
  for (int i = 0; i + 2 < filter.rank(); ++i) sizes.push_back(int64_t{filter[i]});
  return sizes;
}

void convolution(Call& c) {
  const ConvAttributes a = ConvAttributes::of(c.attrs(), false);
  const Shape& filter = c.aval(1).shape;
  Settings settings = {
      {"kernel_shape", kernel_shape(filter)}, {"strides", a.stride}, {"dilations", a.dilation}, {"group", a.groups}};
  add_padding(settings, a.low, a.high);
  const std::string x = c.first(0), w = c.transposed(1, filter_order(filter.rank()));
  c.give_first(c.to.node("Conv", {x, w}, settings));
}

// What a transposed convolution is made of.
void convolution_backwards(Call& c) {
  const ConvAttributes a = ConvAttributes::of(c.attrs(), true);
  const Shape &filter = c.aval(0).shape, &y = c.aval(1).shape;
  std::vector<int64_t> pads, further;
  for (const Extents* side : {&a.low, &a.high})
    for (size_t i = 0; i < side->size(); ++i) {
      if (!(*side)[i].known())
        c.refuse("its padding follows from a size that is not known; give the input its sizes");
      pads.push_back(int64_t{(*side)[i]});
    }
  for (size_t i = 0; i < a.stride.size(); ++i) {
    const int axis = static_cast<int>(i);
    const Size reached =
        (y[axis + 1] - 1) * a.stride[i] + (filter[axis] - 1) * a.dilation[i] + 1 - a.low[i] - a.high[i];
    const Size rest = a.size[i] - reached;
    if (!rest.known()) c.refuse("its size is not known; give the input its sizes");
    further.push_back(int64_t{rest});
  }
  const std::string y_first = c.first(1), w = c.transposed(0, filter_order(filter.rank()));
  c.give_first(c.to.node("ConvTranspose", {y_first, w},
                         {{"kernel_shape", kernel_shape(filter)},
                          {"strides", a.stride},
                          {"dilations", a.dilation},
                          {"group", a.groups},
                          {"pads", pads},
                          {"output_padding", further}}));
}

template <const char* node>
void pooling(Call& c) {
  const Attrs attrs = c.attrs();
  const auto window = attrs.list(0);
  const size_t at_stride = attrs.after_list(0), at_low = attrs.after_list(at_stride);
  const auto stride = attrs.list(at_stride);
  Settings settings = {{"kernel_shape", std::vector<int64_t>(window.begin(), window.end())},
                       {"strides", std::vector<int64_t>(stride.begin(), stride.end())}};
  add_padding(settings, attrs.extents(at_low), attrs.extents(attrs.after_list(at_low)));
  c.give_first(c.to.node(node, {c.first(0)}, settings));
}
constexpr char kMaxPool[] = "MaxPool", kAveragePool[] = "AveragePool";

// ---- rows

template <const char* node>
void along_last(Call& c) {
  c.give(c.to.node(node, {c.in(0)}, {{"axis", int64_t{-1}}}));
}
constexpr char kSoftmax[] = "Softmax", kLogSoftmax[] = "LogSoftmax";

// ---- indices

void gather_slices(Call& c) { c.give(c.to.node("Gather", {c.in(0), c.in(1)}, {{"axis", c.attrs()[0]}})); }

std::string points(Call& c) {
  if (c.attrs()[0] != 0) c.refuse("it skips negative indices, which ONNX does not");
  return c.cast(c.in(1), c.aval(1).dtype, i64);
}
void gather_points(Call& c) {
  const std::string at = points(c);
  c.give(c.to.node("GatherND", {c.in(0), at}, {{"batch_dims", c.attrs()[1]}}));
}
void scatter_points(Call& c) {
  const std::string at = points(c);
  if (c.attrs()[1] != 0) c.refuse("it scatters in batches, which ONNX does not");
  const std::string_view name = c.op().name;
  const std::string how = name.ends_with("_add")   ? "add"
                          : name.ends_with("_mul") ? "mul"
                          : name.ends_with("_max") ? "max"
                          : name.ends_with("_min") ? "min"
                                                   : "none";
  c.give(c.to.node("ScatterND", {c.in(0), at, c.in(2)}, {{"reduction", how}}));
}
void scatter_slices(Call& c) {
  if (c.attrs()[0] != 0)
    c.refuse(cat("it scatters along axis ", c.attrs()[0], ", which ONNX does along axis 0 alone"));
  const int rank = c.aval(1).shape.rank();
  const std::string at = c.to.node("Unsqueeze", {c.cast(c.in(1), c.aval(1).dtype, i64), c.to.integers({rank})});
  c.give(c.to.node("ScatterND", {c.in(0), at, c.in(2)}, {{"reduction", std::string("add")}}));
}

// Compared with each class: indices outside make zeros.
void one_of_many(Call& c) {
  const int64_t depth = c.attrs()[0], axis = c.attrs()[2];
  std::vector<int64_t> classes(static_cast<size_t>(depth)), shape{depth};
  std::iota(classes.begin(), classes.end(), 0);
  shape.resize(static_cast<size_t>(c.result().shape.rank() - axis), 1);
  const std::string indices = c.cast(c.in(0), c.aval(0).dtype, i64);
  const std::string x = c.to.node("Unsqueeze", {indices, c.to.integers({axis})});
  const std::string all = c.to.node("Reshape", {c.to.integers(classes), c.to.integers(shape)});
  c.give(c.cast(c.to.node("Equal", {x, all}), boolean, c.result().dtype));
}

template <const char* node>
void position(Call& c) {
  const std::string made = c.to.node(node, {c.in(0)}, {{"axis", c.attrs()[0]}, {"keepdims", int64_t{0}}});
  c.give(c.cast(made, i64, c.result().dtype));
}
constexpr char kArgMax[] = "ArgMax", kArgMin[] = "ArgMin";

void first_ones(Call& c) {
  const std::string k = c.to.size(c.attrs().extents(1)[0]);
  const std::vector<std::string> made =
      c.to.node("TopK", {c.in(0), k}, 2,
                {{"axis", int64_t{-1}}, {"largest", integer(c.attrs()[0] == 0)}, {"sorted", int64_t{1}}});
  if (c.is_used(0)) c.give(made[0], 0);
  if (c.is_used(1)) c.give(c.cast(made[1], i64, i32), 1);
}

void running_sum(Call& c) {
  c.give(c.to.node("CumSum", {c.in(0), c.to.scalar(static_cast<double>(c.attrs()[0]), i64)},
                   {{"exclusive", c.attrs()[1]}, {"reverse", c.attrs()[2]}}));
}

void layer_normalization(Call& c) {
  const float epsilon = static_cast<float>(std::bit_cast<double>(c.attrs()[1]));
  c.give(c.to.node("LayerNormalization", {c.in(0), c.in(1), c.in(2)}, {{"axis", int64_t{-1}}, {"epsilon", epsilon}}));
}

}  // namespace

std::string OnnxTranslation::Call::transposed(size_t i, const std::vector<int>& permutation) {
  Value& value = *in_[i];
  if (value.known.defined()) return to.weight(value.label, brio::transpose(value.known, permutation));
  return to.node("Transpose", {in(i)}, {{"perm", std::vector<int64_t>(permutation.begin(), permutation.end())}});
}

std::string OnnxTranslation::Call::cast(const std::string& x, DType from, DType to_dtype) {
  return from == to_dtype ? x : to.node("Cast", {x}, {{"to", number_of(to_dtype)}});
}

OnnxRule onnx_rule_of(const OpDef& op) {
  static const std::unordered_map<std::string_view, OnnxRule> rules = {
      {"argmax", position<kArgMax>},
      {"argmin", position<kArgMin>},
      {"avg_pool", pooling<kAveragePool>},
      {"broadcast_to", expand_to},
      {"concat", concatenate},
      {"conv", convolution},
      {"conv_input_grad", convolution_backwards},
      {"cumsum", running_sum},
      {"custom_gradient", last},
      {"gather", gather_slices},
      {"gather_nd", gather_points},
      {"identity", same},
      {"iota", count_up},
      {"log_softmax", along_last<kLogSoftmax>},
      {"matmul", product},
      {"max_pool", pooling<kMaxPool>},
      {"one_hot", one_of_many},
      {"pad", pad_around},
      {"read_variable", same},
      {"reduce_all", reduction<kLeast>},
      {"reduce_any", reduction<kLargest>},
      {"reduce_max", reduction<kLargest>},
      {"reduce_min", reduction<kLeast>},
      {"reduce_prod", reduction<kProduct>},
      {"reduce_sum", reduction<kSum>},
      {"reshape", reshape_to},
      {"scatter_add", scatter_slices},
      {"size", size_as_number},
      {"slice", cut_out},
      {"softmax", along_last<kSoftmax>},
      {"stop_gradient", same},
      {"tensor_scatter_add", scatter_points},
      {"tensor_scatter_max", scatter_points},
      {"tensor_scatter_min", scatter_points},
      {"tensor_scatter_mul", scatter_points},
      {"tensor_scatter_update", scatter_points},
      {"top_k", first_ones},
      {"transpose", transpose_axes},
  };
  if (op.name == "row_norm") return layer_normalization;
  if (const auto rule = rules.find(op.name); rule != rules.end()) return rule->second;
  return elementwise_table().contains(op.name) ? elementwise : nullptr;
}

}  // namespace brio::train
