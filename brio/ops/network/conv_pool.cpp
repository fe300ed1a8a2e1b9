#include "brio/ops/network/conv_pool.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/sorting.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kReluPoolAttrs[] = {{"window", AttrKind::list}};
constexpr AttrSpec kReluPoolGradAttrs[] = {{"window", AttrKind::list}, {"size", AttrKind::extents}};
// Those of conv and of conv_filter_grad, then the window.
constexpr AttrSpec kConvPoolAttrs[] = {{"groups", AttrKind::integer}, {"stride", AttrKind::list},
                                       {"dilation", AttrKind::list},  {"low", AttrKind::extents},
                                       {"high", AttrKind::extents},   {"window", AttrKind::list}};
constexpr AttrSpec kConvGradAttrs[] = {{"groups", AttrKind::integer}, {"stride", AttrKind::list},
                                       {"dilation", AttrKind::list},  {"low", AttrKind::extents},
                                       {"high", AttrKind::extents},   {"size", AttrKind::extents},
                                       {"window", AttrKind::list}};

using Window = std::span<const int64_t>;

// What a fused op does as two: a convolution, or its gradient, and pooling.
struct Parts {
  std::span<const int64_t> conv;
  Window window;
  Parts(const OpDef& op, Attrs attrs) {
    const size_t lists = &op == &op::conv_relu_pool ? 4 : 5;
    size_t end = 1;
    for (size_t i = 0; i < lists; ++i) end = attrs.after_list(end);
    conv = attrs.words().first(end);
    window = attrs.list(end);
  }
};

// ---- shape rules

// What is pooled, or would be, into the shape that is left of it.
Shape pooled_shape(const OpDef& op, const Shape& y, Window window) {
  if (y.rank() < 3 || y.rank() > 5)
    throw_invalid(op, cat("what is pooled has shape ", y, "; it needs one to three spatial axes besides two others"));
  check_list(op, "the window", window, y.rank() - 2, 1);
  int64_t taps = 1;
  std::vector<Size> dims{y[0]};
  for (size_t i = 0; i < window.size(); ++i) {
    taps = std::min<int64_t>(taps * window[i], kMostPooled + 1);
    dims.push_back(y[static_cast<int>(i) + 1] / window[i]);
  }
  if (taps > kMostPooled) throw_invalid(op, cat("a window has more than ", kMostPooled, " elements"));
  dims.push_back(y[y.rank() - 1]);
  return checked_shape(op, dims);
}
void check_pooled(const OpDef& op, DType dtype) {
  if (!is_floating(dtype)) throw_invalid(op, cat("takes floating-point tensors, but got ", dtype, "; cast it first"));
}
void check_is(const OpCall& call, size_t i, std::string_view name, const Aval& wanted) {
  if (*call.in[i] != wanted)
    throw_invalid(call.op, cat(name, " is ", call.in[i]->dtype, " of shape ", call.in[i]->shape, ", but should be ",
                               wanted.dtype, " of shape ", wanted.shape));
}
void give_pooled(const OpCall& call, const Aval& y, Window window, size_t bias, std::vector<Aval>& out) {
  check_pooled(call.op, y.dtype);
  const Shape pooled = pooled_shape(call.op, y.shape, window);
  check_is(call, bias, "the bias", {Shape{y.shape[y.shape.rank() - 1]}, y.dtype});
  out.push_back({pooled, y.dtype});
  out.push_back({pooled, u8});
}

void infer_relu_pool(const OpCall& call, std::vector<Aval>& out) {
  give_pooled(call, *call.in[0], call.attrs.list(0), 1, out);
}

void infer_relu_pool_grad(const OpCall& call, std::vector<Aval>& out) {
  const Aval& cotangent = *call.in[1];
  check_pooled(call.op, cotangent.dtype);
  const Shape& pooled = cotangent.shape;
  if (pooled.rank() < 3 || pooled.rank() > 5)
    throw_invalid(call.op, cat("the cotangent has shape ", pooled, "; its rank must be 3 to 5"));
  const Extents size = call.attrs.extents(call.attrs.after_list(0));
  check_list(call.op, "the size", size, pooled.rank() - 2, 0);
  std::vector<Size> dims{pooled[0]};
  for (size_t i = 0; i < size.size(); ++i) dims.push_back(size[i]);
  dims.push_back(pooled[pooled.rank() - 1]);
  const Shape y = checked_shape(call.op, dims);
  const Shape expected = pooled_shape(call.op, y, call.attrs.list(0));
  check_is(call, 1, "the cotangent", {expected, cotangent.dtype});
  check_is(call, 0, "which", {expected, u8});
  out.push_back({y, cotangent.dtype});
}

Aval conv_result(std::span<const Aval* const> in, Attrs attrs) {
  std::vector<Aval> out;
  op::conv.infer({op::conv, in, attrs, {}}, out);
  return out[0];
}

void infer_conv_relu_pool(const OpCall& call, std::vector<Aval>& out) {
  check_pooled(call.op, call.in[0]->dtype);
  const Parts parts(call.op, call.attrs);
  give_pooled(call, conv_result(call.in.first(2), parts.conv), parts.window, 2, out);
}

void infer_conv_relu_pool_grad(const OpCall& call, std::vector<Aval>& out) {
  const Aval &x = *call.in[0], &cotangent = *call.in[2];
  check_pooled(call.op, x.dtype);
  const int rank = x.shape.rank();
  if (cotangent.shape.rank() != rank || rank < 3 || rank > 5)
    throw_invalid(call.op, cat("the input has shape ", x.shape, " and the cotangent ", cotangent.shape,
                               "; both need the same one to three spatial axes besides two others"));
  const Parts parts(call.op, call.attrs);
  const size_t size_at = parts.conv.size() - static_cast<size_t>(rank) + 1;  // of the filter: its count comes first
  if (parts.conv[size_at] != rank - 2)
    throw_invalid(call.op, cat("the size has ", parts.conv[size_at], " values for ", rank - 2, " spatial axes"));
  std::vector<Size> dims;
  for (size_t i = 0; i + 2 < static_cast<size_t>(rank); ++i)
    dims.push_back(Size::of_word(parts.conv[size_at + 1 + i]));
  const int64_t groups = parts.conv[0];
  if (groups < 1) throw_invalid(call.op, cat("the number of groups is ", groups, "; it must be ≥ 1"));
  dims.push_back(x.shape[rank - 1] / groups);
  dims.push_back(cotangent.shape[rank - 1]);
  const Aval filter{checked_shape(call.op, dims), x.dtype};
  const Aval* const in[] = {&x, &filter};
  const Aval y = conv_result(in, parts.conv.first(size_at));
  const Shape pooled = pooled_shape(call.op, y.shape, parts.window);
  check_is(call, 1, "which", {pooled, u8});
  check_is(call, 2, "the cotangent", {pooled, x.dtype});
  out.push_back(filter);
  out.push_back({Shape{cotangent.shape[rank - 1]}, x.dtype});
}

// ---- costs

Cost relu_pool_cost(const OpCall& call, std::span<const Aval> out) {
  return {3 * static_cast<double>(call.in[0]->shape.elements()), total_bytes(call, out)};
}
Cost conv_pool_cost(const OpCall& call, std::span<const Aval> out) {
  const ConvPoolForm form(call.op, call.in[0]->shape,
                          &call.op == &op::conv_relu_pool ? call.in[1]->shape : out[0].shape, call.attrs);
  return {form.conv.flops(), total_bytes(call, out)};
}

// ---- plain definitions

// The elements of windows, one window a row: (batch, counts…, channels, taps).
Tensor windows_of(const Tensor& y, Window window) {
  const auto axes = static_cast<int>(window.size());
  std::vector<Range> inside{{}};
  std::vector<Size> apart{y.shape()[0]}, rows{y.shape()[0]};
  std::vector<int> order{0};
  int64_t taps = 1;
  for (int i = 0; i < axes; ++i) {
    const int64_t size = window[static_cast<size_t>(i)];
    const Size count = y.shape()[i + 1] / size;
    inside.push_back({Size(0), count * size});
    apart.insert(apart.end(), {count, size});
    rows.push_back(count);
    order.push_back(1 + 2 * i);
    taps *= size;
  }
  inside.push_back({});
  for (std::vector<Size>* dims : {&apart, &rows}) dims->push_back(y.shape()[axes + 1]);
  rows.emplace_back(taps);
  order.push_back(1 + 2 * axes);
  for (int i = 0; i < axes; ++i) order.push_back(2 + 2 * i);
  return reshape(transpose(reshape(slice(y, inside), apart), order), rows);
}
// Back again, with zeros for what was in no window.
Tensor out_of_windows(const Tensor& rows, Window window, const Shape& y) {
  const auto axes = static_cast<int>(window.size());
  std::vector<Size> apart(rows.shape().begin(), rows.shape().end() - 1), joined{y[0]};
  std::vector<int> order{0};
  std::vector<Padding> left{{}};
  for (int i = 0; i < axes; ++i) {
    const int64_t size = window[static_cast<size_t>(i)];
    apart.emplace_back(size);
    order.insert(order.end(), {1 + i, 2 + axes + i});
    joined.push_back(y[i + 1] / size * size);
    left.push_back({0, y[i + 1] - joined.back()});
  }
  order.push_back(1 + axes);
  joined.push_back(y[axes + 1]);
  left.push_back({});
  return pad(reshape(transpose(reshape(rows, apart), order), joined), left);
}
int64_t taps_of(Window window) {
  int64_t taps = 1;
  for (int64_t size : window) taps *= size;
  return taps;
}

std::vector<Tensor> pooled_and_which(const Tensor& y, const Tensor& bias, Window window) {
  const Tensor rows = windows_of(relu(y + bias), window), pooled = max(rows, -1);
  const Tensor first = cast(argmax(rows, -1, i32), u8);
  return {pooled, select(pooled > constant(0, pooled.dtype()), first, constant(taps_of(window), u8))};
}
Tensor unpooled(const Tensor& which, const Tensor& cotangent, Window window, const Shape& y) {
  std::vector<Tensor> taps;
  const Tensor zero = constant(0, cotangent.dtype());
  for (int64_t tap = 0; tap < taps_of(window); ++tap)
    taps.push_back(expand_dims(select(equal(which, constant(tap, u8)), cotangent, zero), -1));
  return out_of_windows(concat(taps, -1), window, y);
}

std::vector<Tensor> plain_relu_pool(std::span<const Tensor> in, Attrs attrs) {
  return pooled_and_which(in[0], in[1], attrs.list(0));
}
std::vector<Tensor> plain_relu_pool_grad(std::span<const Tensor> in, Attrs attrs) {
  const Extents size = attrs.extents(attrs.after_list(0));
  std::vector<Size> y{in[1].shape()[0]};
  for (size_t i = 0; i < size.size(); ++i) y.push_back(size[i]);
  y.push_back(in[1].shape()[in[1].rank() - 1]);
  return {unpooled(in[0], in[1], attrs.list(0), Shape(std::span<const Size>(y)))};
}
std::vector<Tensor> plain_conv_relu_pool(std::span<const Tensor> in, Attrs attrs) {
  const Parts parts(op::conv_relu_pool, attrs);
  return pooled_and_which(record(op::conv, parts.conv, in[0], in[1]), in[2], parts.window);
}
std::vector<Tensor> plain_conv_relu_pool_grad(std::span<const Tensor> in, Attrs attrs) {
  const Parts parts(op::conv_relu_pool_grad, attrs);
  const Tensor &x = in[0], &cotangent = in[2];
  const int rank = x.rank();
  // The convolution's result has the shape that its windows over x have.
  const size_t size_at = parts.conv.size() - static_cast<size_t>(rank) + 1;
  std::vector<Size> filter;
  for (size_t i = 0; i + 2 < static_cast<size_t>(rank); ++i)
    filter.push_back(Size::of_word(parts.conv[size_at + 1 + i]));
  filter.push_back(x.shape()[rank - 1] / parts.conv[0]);
  filter.push_back(cotangent.shape()[rank - 1]);
  const Aval of_filter{Shape(std::span<const Size>(filter)), x.dtype()}, of_x{x.shape(), x.dtype()};
  const Aval* const operands[] = {&of_x, &of_filter};
  const Aval y = conv_result(operands, parts.conv.first(size_at));
  const Tensor flows = unpooled(in[1], cotangent, parts.window, y.shape);
  return {record(op::conv_filter_grad, parts.conv, x, flows), sum_to(flows, Shape{filter.back()})};
}

void grad_of_plain(GradContext& g) { g.through_plain(); }

}  // namespace

namespace op {
#define CONV_POOL(ident, what, inputs, attrs_, infer_, cost_, plain_) \
  const OpDef ident{.name = #ident,                                   \
                    .summary = what,                                  \
                    .kind = OpKind::composite,                        \
                    .min_inputs = inputs,                             \
                    .max_inputs = inputs,                             \
                    .attrs = attrs_,                                  \
                    .infer = infer_,                                  \
                    .grad = grad_of_plain,                            \
                    .cost = cost_,                                    \
                    .plain = plain_};
CONV_POOL(relu_pool, "largest relu(y + bias) of each window, and which element that is", 2, kReluPoolAttrs,
          infer_relu_pool, relu_pool_cost, plain_relu_pool)
CONV_POOL(relu_pool_grad, "gradient of relu_pool: each cotangent to the element that was taken", 2,
          kReluPoolGradAttrs, infer_relu_pool_grad, relu_pool_cost, plain_relu_pool_grad)
CONV_POOL(conv_relu_pool, "relu_pool of a convolution", 3, kConvPoolAttrs, infer_conv_relu_pool, conv_pool_cost,
          plain_conv_relu_pool)
CONV_POOL(conv_relu_pool_grad, "gradients of conv_relu_pool with respect to filter and bias", 3, kConvGradAttrs,
          infer_conv_relu_pool_grad, conv_pool_cost, plain_conv_relu_pool_grad)
#undef CONV_POOL
}  // namespace op

void register_conv_pool() {
  static const OpDef* const rows[] = {&op::relu_pool, &op::relu_pool_grad, &op::conv_relu_pool,
                                      &op::conv_relu_pool_grad};
  register_ops(rows);
}

namespace {

PoolGeometry side_by_side(int64_t batch, std::span<const int64_t> sizes, int64_t channels, Window window) {
  PoolGeometry g{};
  g.batch = batch;
  g.channels = channels;
  const size_t axes = window.size();
  for (size_t i = 0; i < axes; ++i) {
    WindowAxis& axis = g.axis[3 - axes + i];
    axis.size = sizes[i];
    axis.window = axis.stride = window[i];
  }
  return g;
}

}  // namespace

PoolGeometry relu_pool_geometry(const Shape& y, Attrs attrs) {
  std::vector<int64_t> sizes;
  for (int i = 0; i + 2 < y.rank(); ++i) sizes.push_back(y[i + 1]);
  return side_by_side(y[0], sizes, y[y.rank() - 1], attrs.list(0));
}

ConvPoolForm::ConvPoolForm(const OpDef& op, const Shape& x, const Shape& filter, Attrs attrs)
    : conv(ConvGeometry::of(op::conv, x, filter, x, Parts(op, attrs).conv)), pool{} {
  std::vector<int64_t> sizes;
  for (int a = 5 - x.rank(); a < 3; ++a) sizes.push_back(conv.axis[a].count());
  pool = side_by_side(conv.batch, sizes, conv.out_channels(), Parts(op, attrs).window);
}

}  // namespace brio
