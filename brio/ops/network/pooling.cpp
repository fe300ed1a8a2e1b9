#include "brio/ops/network/pooling.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"

namespace brio {
namespace {

constexpr AttrSpec kPoolAttrs[] = {
    {"window", AttrKind::list}, {"stride", AttrKind::list}, {"low", AttrKind::extents}, {"high", AttrKind::extents}};
// The size of what was pooled does not follow from the results.
constexpr AttrSpec kSizedAttrs[] = {{"window", AttrKind::list},
                                    {"stride", AttrKind::list},
                                    {"low", AttrKind::extents},
                                    {"high", AttrKind::extents},
                                    {"size", AttrKind::extents}};

struct PoolAttrs {
  size_t end = 0;  // of these lists
  std::span<const int64_t> window, stride;
  Extents low, high;

  explicit PoolAttrs(Attrs attrs) : window(next(attrs)), stride(next(attrs)), low(next(attrs)), high(next(attrs)) {}
  OpenWindowAxis axis(size_t i, Size size) const { return {size, window[i], stride[i], 1, low[i], high[i]}; }

 private:
  std::span<const int64_t> next(Attrs attrs) {
    const auto list = attrs.list(end);
    end = attrs.after_list(end);
    return list;
  }
};

// Checks the attributes against x's shape and gives that of the pooled tensor.
Shape pooled_shape(const OpCall& call, const Shape& x) {
  if (x.rank() < 3 || x.rank() > 5)
    throw_invalid(call.op, cat("x has shape ", x, "; it needs one to three spatial axes besides batch and channels"));
  const PoolAttrs attrs(call.attrs);
  const int64_t axes = x.rank() - 2;
  check_list(call.op, "the window", attrs.window, axes, 1);
  check_list(call.op, "the stride", attrs.stride, axes, 1);
  check_list(call.op, "the low padding", attrs.low, axes, 0);
  check_list(call.op, "the high padding", attrs.high, axes, 0);
  std::vector<Size> dims{x[0]};
  for (size_t i = 0; i < attrs.window.size(); ++i) {
    const OpenWindowAxis axis = attrs.axis(i, x[static_cast<int>(i) + 1]);
    check_fits(call.op, axis, i);
    // Then every window has an element that is not padding.
    if (surely_less(axis.window, axis.low + 1) || surely_less(axis.window, axis.high + 1) ||
        (axis.size == 0 && surely_less(0, axis.count())))
      throw_invalid(call.op, cat("padding by ", axis.low, " and ", axis.high, " makes windows of ", axis.window,
                                 " along spatial axis ", i, " of size ", axis.size,
                                 " that hold nothing but padding; pad less"));
    dims.push_back(axis.count());
  }
  dims.push_back(x[x.rank() - 1]);
  return checked_shape(call.op, dims);
}

void check_number(const OpDef& op, DType dtype) {
  if (dtype == boolean) throw_invalid(op, "takes numbers, but got bool; cast it first");
}
void check_floating(const OpDef& op, DType dtype) {
  if (!is_floating(dtype)) throw_invalid(op, cat("takes floating-point tensors, but got ", dtype, "; cast it first"));
}
void check_second(const OpCall& call, const Aval& expected, std::string_view what) {
  if (*call.in[1] != expected)
    throw_invalid(call.op, cat(what, " is ", call.in[1]->dtype, " of shape ", call.in[1]->shape, ", but should be ",
                               expected.dtype, " of shape ", expected.shape));
}

void infer_max_pool(const OpCall& call, std::vector<Aval>& out) {
  check_number(call.op, call.in[0]->dtype);
  out.push_back({pooled_shape(call, call.in[0]->shape), call.in[0]->dtype});
}
void infer_max_pool_grad(const OpCall& call, std::vector<Aval>& out) {
  check_number(call.op, call.in[0]->dtype);
  check_second(call, {pooled_shape(call, call.in[0]->shape), call.in[0]->dtype}, "the cotangent");
  out.push_back(*call.in[0]);
}
void infer_max_pool_pick(const OpCall& call, std::vector<Aval>& out) {
  check_number(call.op, call.in[0]->dtype);
  check_second(call, *call.in[0], "what is picked from");
  out.push_back({pooled_shape(call, call.in[0]->shape), call.in[0]->dtype});
}
void infer_avg_pool(const OpCall& call, std::vector<Aval>& out) {
  check_floating(call.op, call.in[0]->dtype);
  out.push_back({pooled_shape(call, call.in[0]->shape), call.in[0]->dtype});
}
// What was pooled to the cotangent's shape.
Shape shape_before(const OpCall& call, const Shape& y) {
  if (y.rank() < 3 || y.rank() > 5)
    throw_invalid(call.op, cat("the cotangent has shape ", y, "; its rank must be 3 to 5"));
  const Extents size = call.attrs.extents(PoolAttrs(call.attrs).end);
  check_list(call.op, "the size", size, y.rank() - 2, 0);
  std::vector<Size> dims{y[0]};
  for (size_t i = 0; i < size.size(); ++i) dims.push_back(size[i]);
  dims.push_back(y[y.rank() - 1]);
  const Shape x = checked_shape(call.op, dims), expected = pooled_shape(call, x);
  if (y != expected)
    throw_invalid(call.op, cat("the cotangent has shape ", y, ", but pooling ", x, " gives ", expected));
  return x;
}
void infer_avg_pool_grad(const OpCall& call, std::vector<Aval>& out) {
  check_floating(call.op, call.in[0]->dtype);
  out.push_back({shape_before(call, call.in[0]->shape), call.in[0]->dtype});
}

void check_taken(const OpCall& call) {
  int64_t taps = 1;
  for (int64_t size : PoolAttrs(call.attrs).window) taps = std::min<int64_t>(taps * size, kMostTaken + 1);
  if (taps > kMostTaken) throw_invalid(call.op, cat("a window has more than ", kMostTaken, " elements"));
}
void infer_with_taken(const OpCall& call, std::vector<Aval>& out) {
  infer_max_pool(call, out);
  check_taken(call);
  out.push_back({out[0].shape, u8});
}
void infer_grad_from_taken(const OpCall& call, std::vector<Aval>& out) {
  const Aval &taken = *call.in[0], &cotangent = *call.in[1];
  check_number(call.op, cotangent.dtype);
  out.push_back({shape_before(call, cotangent.shape), cotangent.dtype});
  check_taken(call);
  if (taken != Aval{cotangent.shape, u8})
    throw_invalid(call.op, cat("taken is ", taken.dtype, " of shape ", taken.shape, ", but should be ", u8,
                               " of shape ", cotangent.shape));
}

// `pooled`: whichever operand or result has the pooled shape.
Cost window_cost(const OpCall& call, std::span<const Aval> out, const Shape& pooled) {
  double taps = 1;
  for (int64_t size : PoolAttrs(call.attrs).window) taps *= static_cast<double>(size);
  return {taps * static_cast<double>(pooled.elements()), total_bytes(call, out)};
}
Cost pool_cost(const OpCall& call, std::span<const Aval> out) { return window_cost(call, out, out[0].shape); }
Cost pool_grad_cost(const OpCall& call, std::span<const Aval> out) {
  return window_cost(call, out, call.in.back()->shape);
}

// Picking is linear in what is picked from, and its gradient is that of the maximum: the two are each other's.
Tensor same_windows(const OpDef& op, const GradContext& g, const Tensor& x, const Tensor& second) {
  return record(op, g.attrs.words(), x, second);
}
void grad_max_pool(GradContext& g) { g.set(0, same_windows(op::max_pool_grad, g, g.in[0], g.cotangent())); }
void grad_max_pool_grad(GradContext& g) {
  if (g.needs(1)) g.set(1, same_windows(op::max_pool_pick, g, g.in[0], g.cotangent()));
}
void grad_max_pool_pick(GradContext& g) {
  if (g.needs(1)) g.set(1, same_windows(op::max_pool_grad, g, g.in[0], g.cotangent()));
}
void grad_avg_pool(GradContext& g) {
  const Shape& x = g.in[0].shape();
  std::vector<int64_t> words(g.attrs.words().begin(), g.attrs.words().end());
  append_list(words, std::span(x.begin() + 1, x.end() - 1));
  g.set(0, record(op::avg_pool_grad, words, g.cotangent()));
}
void grad_avg_pool_grad(GradContext& g) {
  g.set(0, record(op::avg_pool, g.attrs.words().first(PoolAttrs(g.attrs).end), g.cotangent()));
}

}  // namespace

namespace op {
#define POOL(ident, what, inputs, attrs_, infer_, grad_, cost_, needs) \
  const OpDef ident{.name = #ident,                                    \
                    .summary = what,                                   \
                    .kind = OpKind::contraction,                       \
                    .min_inputs = inputs,                              \
                    .max_inputs = inputs,                              \
                    .attrs = attrs_,                                   \
                    .infer = infer_,                                   \
                    .grad = grad_,                                     \
                    .cost = cost_,                                     \
                    .grad_needs = needs};
POOL(max_pool, "largest element of each window", 1, kPoolAttrs, infer_max_pool, grad_max_pool, pool_cost, kNeedsFirst)
POOL(max_pool_grad, "gradient of max_pool: each cotangent added where its window's first largest element is", 2,
     kPoolAttrs, infer_max_pool_grad, grad_max_pool_grad, pool_grad_cost, kNeedsFirst)
POOL(max_pool_pick, "elements of a second tensor where those that max_pool takes are in the first", 2, kPoolAttrs,
     infer_max_pool_pick, grad_max_pool_pick, pool_cost, kNeedsFirst)
POOL(avg_pool, "mean of each window, padding not counted", 1, kPoolAttrs, infer_avg_pool, grad_avg_pool, pool_cost,
     kNeedsNothing)
POOL(avg_pool_grad, "gradient of avg_pool: each cotangent in equal parts to the elements of its window", 1,
     kSizedAttrs, infer_avg_pool_grad, grad_avg_pool_grad, pool_grad_cost, kNeedsNothing)
#undef POOL
#define TAKEN(ident, what, inputs, attrs_, infer_, cost_)                                                      \
  const OpDef ident{.name = #ident,                                                                            \
                    .summary = what,                                                                           \
                    .kind = OpKind::contraction,                                                               \
                    .min_inputs = inputs,                                                                      \
                    .max_inputs = inputs,                                                                      \
                    .attrs = attrs_,                                                                           \
                    .infer = infer_,                                                                           \
                    .no_grad = "a pass makes it of max_pool and its gradient, when gradients have been taken", \
                    .cost = cost_};
TAKEN(max_pool_with_taken, "max_pool, and the number of the element that was taken from each window", 1, kPoolAttrs,
      infer_with_taken, pool_cost)
TAKEN(max_pool_grad_from_taken, "gradient of max_pool, from what max_pool_with_taken gave", 2, kSizedAttrs,
      infer_grad_from_taken, pool_grad_cost)
#undef TAKEN
}  // namespace op

void register_pooling() {
  static const OpDef* const rows[] = {
      &op::max_pool,      &op::max_pool_grad,       &op::max_pool_pick,           &op::avg_pool,
      &op::avg_pool_grad, &op::max_pool_with_taken, &op::max_pool_grad_from_taken};
  register_ops(rows);
}

PoolGeometry PoolGeometry::of(const Shape& x, Attrs attrs) {
  const PoolAttrs lists(attrs);
  PoolGeometry g{};
  g.batch = x[0];
  g.channels = x[x.rank() - 1];
  const size_t axes = lists.window.size();
  for (size_t i = 0; i < axes; ++i) g.axis[3 - axes + i] = lists.axis(i, x[static_cast<int>(i) + 1]);
  return g;
}

// ---- builders

namespace {

Tensor pool(const OpDef& op, const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  const Tensor last = to_channels_last(spatial(op, x), options.data_format);
  const int64_t axes = x.rank() - 2;
  const std::vector<int64_t> windows = per_axis(op, "the window", window, axes),
                             strides = options.strides.empty() ? windows
                                                               : per_axis(op, "the stride", options.strides, axes);
  std::vector<OpenWindowAxis> sides;
  for (size_t i = 0; i < windows.size(); ++i)
    sides.push_back({last.shape()[static_cast<int>(i) + 1], windows[i], strides[i]});
  resolve_padding(op, options.padding, sides);
  std::vector<int64_t> words;
  append_list(words, windows);
  append_list(words, strides);
  for (auto side : {&OpenWindowAxis::low, &OpenWindowAxis::high}) {
    words.push_back(axes);
    for (const OpenWindowAxis& axis : sides) words.push_back((axis.*side).word());
  }
  return from_channels_last(record(op, words, last), options.data_format);
}

Tensor pool_over(int axes, std::string_view name, const OpDef& op, const Tensor& x,
                 const std::vector<int64_t>& window, const PoolOptions& options) {
  if (required(op, x).rank() != axes + 2)
    throw_invalid(op, cat(name, " takes an input of rank ", axes + 2, ", but got shape ", x.shape()));
  return pool(op, x, window, options);
}

Axes spatial_axes(const OpDef& op, const Tensor& x, DataFormat format) {
  const int first = format == DataFormat::channels_last ? 1 : 2;
  std::vector<int> axes;
  for (int i = 0; i + 2 < spatial(op, x).rank(); ++i) axes.push_back(first + i);
  return Axes(std::move(axes));
}

}  // namespace

Tensor max_pool(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool(op::max_pool, x, window, options);
}
Tensor max_pool1d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool_over(1, "max_pool1d", op::max_pool, x, window, options);
}
Tensor max_pool2d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool_over(2, "max_pool2d", op::max_pool, x, window, options);
}
Tensor max_pool3d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool_over(3, "max_pool3d", op::max_pool, x, window, options);
}
Tensor avg_pool(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool(op::avg_pool, x, window, options);
}
Tensor avg_pool1d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool_over(1, "avg_pool1d", op::avg_pool, x, window, options);
}
Tensor avg_pool2d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool_over(2, "avg_pool2d", op::avg_pool, x, window, options);
}
Tensor avg_pool3d(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  return pool_over(3, "avg_pool3d", op::avg_pool, x, window, options);
}

Tensor global_max_pool(const Tensor& x, bool keepdims, DataFormat format) {
  return max(x, spatial_axes(op::reduce_max, x, format), keepdims);
}
Tensor global_avg_pool(const Tensor& x, bool keepdims, DataFormat format) {
  return mean(x, spatial_axes(op::reduce_sum, x, format), keepdims);
}

}  // namespace brio
