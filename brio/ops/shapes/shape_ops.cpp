#include "brio/ops/shapes/shape_ops.h"

#include <algorithm>
#include <numeric>

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/tensor/equal_sizes.h"

namespace brio {
namespace {

constexpr AttrSpec kShapeAttrs[] = {{"shape", AttrKind::extents}};
constexpr AttrSpec kPermutationAttrs[] = {{"permutation", AttrKind::list}};
constexpr AttrSpec kSliceAttrs[] = {
    {"begin", AttrKind::extents}, {"size", AttrKind::extents}, {"stride", AttrKind::list}};
constexpr AttrSpec kConcatAttrs[] = {{"axis", AttrKind::integer}};
constexpr AttrSpec kCustomAttrs[] = {{"exact", AttrKind::flag}};
constexpr AttrSpec kPadAttrs[] = {{"low", AttrKind::extents}, {"high", AttrKind::extents}};

void infer_same(const OpCall& call, std::vector<Aval>& out) { out.push_back(*call.in[0]); }

void infer_last(const OpCall& call, std::vector<Aval>& out) { out.push_back(*call.in.back()); }
// The user's function belongs to the recording it was given in; a body is traced apart from the tapes around it, and
// a file holds none. One that gives the gradient of the value itself, in a better way, can be done without.
void grad_without_function(GradContext& g) {
  if (g.attrs[0]) return g.set(g.in.size() - 1, g.cotangent());
  throw UnknownValue(
      cat("[", g.op->name,
          "] has no gradient inside a branch or loop body, nor when it was loaded; put it outside, or write the body "
          "without it"));
}

// One size of a new shape follows from the others and from how many elements there are.
void note_elements(const Shape& shape, Size elements) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis].known()) continue;
    Size others = 1;
    for (int i = 0; i < shape.rank(); ++i)
      if (i != axis) others *= shape[i];
    if (others == 0) return;
    const Size size = elements / others;
    if (size * others == elements && EqualSizes::note(shape[axis], size)) return;
  }
}

void infer_reshape(const OpCall& call, std::vector<Aval>& out) {
  const Shape shape = checked_shape(call.op, call.attrs.extents(0));
  if (shape.elements() != call.in[0]->shape.elements())
    throw_invalid(call.op, cat("shape ", call.in[0]->shape, " has ", call.in[0]->shape.elements(), " elements, but ",
                               shape, " has ", shape.elements()));
  if (!shape.known()) note_elements(shape, call.in[0]->shape.elements());
  out.push_back({shape, call.in[0]->dtype});
}

void infer_broadcast_to(const OpCall& call, std::vector<Aval>& out) {
  const Shape shape = checked_shape(call.op, call.attrs.extents(0));
  Shape both;
  if (!broadcast(call.in[0]->shape, shape, both) || both != shape)
    throw_invalid(call.op, cat("shape ", call.in[0]->shape, " cannot be broadcast to ", shape,
                               ": sizes must be equal or 1 from the right"));
  out.push_back({shape, call.in[0]->dtype});
}

void infer_transpose(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  const auto permutation = call.attrs.list(0);
  Aval& result = out.emplace_back();
  result.dtype = x.dtype;
  if (static_cast<int>(permutation.size()) != x.shape.rank())
    throw_invalid(call.op, cat("the permutation has ", permutation.size(), " entries for shape ", x.shape));
  uint32_t seen = 0;
  for (int64_t axis : permutation) {
    if (axis < 0 || axis >= x.shape.rank() || (seen >> axis & 1))
      throw_invalid(call.op, cat("axis ", axis, " makes the list no permutation of the axes of shape ", x.shape));
    seen |= 1u << axis;
    result.shape.push_back(x.shape[static_cast<int>(axis)]);
  }
}

void infer_slice(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  const Extents begin = call.attrs.extents(0);
  const size_t at_size = call.attrs.after_list(0);
  const Extents size = call.attrs.extents(at_size);
  const auto stride = call.attrs.list(call.attrs.after_list(at_size));
  const auto rank = static_cast<size_t>(x.shape.rank());
  if (begin.size() != rank || size.size() != rank || stride.size() != rank)
    throw_invalid(call.op, cat("begin, size and stride need ", rank, " entries each for shape ", x.shape));
  for (size_t i = 0; i < rank; ++i) {
    if (stride[i] == 0) throw_invalid(call.op, cat("the stride of axis ", i, " is 0"));
    if (size[i] == 0) continue;
    // Steps that are left before either end, so that nothing overflows.
    const Size dim = x.shape[static_cast<int>(i)];
    const auto steps = [&] {
      return stride[i] > 0 ? (dim - 1 - begin[i]) / stride[i] : begin[i] / Size(-std::max(stride[i], -INT64_MAX));
    };
    if (surely_less(size[i], 0) || surely_less(begin[i], 0) || surely_less(dim - 1, begin[i]) ||
        surely_less(steps(), size[i] - 1))
      throw_invalid(call.op, cat("axis ", i, " takes ", size[i], " elements from ", begin[i], " by ", stride[i],
                                 ", which leaves shape ", x.shape));
  }
  out.push_back({size.shape(), x.dtype});
}

void infer_concat(const OpCall& call, std::vector<Aval>& out) {
  Aval result = *call.in[0];
  const int64_t axis = call.attrs[0];
  if (axis < 0 || axis >= result.shape.rank())
    throw_invalid(call.op, cat("axis ", axis, " is out of range for shape ", result.shape));
  for (size_t k = 1; k < call.in.size(); ++k) {
    const Aval& part = *call.in[k];
    if (part.dtype != result.dtype)
      throw_invalid(call.op,
                    cat("part ", k, " is ", part.dtype, ", but part 0 is ", result.dtype, "; cast one of them"));
    bool fits = part.shape.rank() == result.shape.rank();
    for (int i = 0; fits && i < result.shape.rank(); ++i) fits = i == axis || !(part.shape[i] != result.shape[i]);
    if (!fits)
      throw_invalid(call.op, cat("part ", k, " has shape ", part.shape, ", which differs from part 0's ",
                                 call.in[0]->shape, " in more than axis ", axis));
    for (int i = 0; i < result.shape.rank(); ++i) {
      const Size own = result.shape[i], other = part.shape[i];
      result.shape.set(i, i == axis ? own + other : agreed(own, other));
    }
  }
  out.push_back({checked_shape(call.op, result.shape.dims()), result.dtype});
}

void infer_pad(const OpCall& call, std::vector<Aval>& out) {
  const Aval &x = *call.in[0], &value = *call.in[1];
  if (value.dtype != x.dtype || value.shape.rank() != 0)
    throw_invalid(call.op,
                  cat("the filling must be a ", x.dtype, " scalar, but is ", value.dtype, " of shape ", value.shape));
  const Extents low = call.attrs.extents(0), high = call.attrs.extents(call.attrs.after_list(0));
  if (static_cast<int>(low.size()) != x.shape.rank() || low.size() != high.size())
    throw_invalid(call.op, cat("shape ", x.shape, " needs ", x.shape.rank(), " paddings, but got ", low.size()));
  std::vector<Size> dims;
  for (size_t i = 0; i < low.size(); ++i) {
    if (surely_less(low[i], 0) || surely_less(high[i], 0))
      throw_invalid(call.op, cat("axis ", i, " is padded by (", low[i], ", ", high[i],
                                 "); paddings must be ≥ 0: slice instead"));
    const Size too_many = int64_t{1} << 60;  // more than any shape has, and small enough to be added
    dims.push_back(x.shape[static_cast<int>(i)] + min(low[i], too_many) + min(high[i], too_many));
  }
  out.push_back({checked_shape(call.op, dims), x.dtype});
}

void grad_identity(GradContext& g) { g.set(0, g.cotangent()); }
void grad_reshape(GradContext& g) { g.set(0, reshape(g.cotangent(), g.in[0].shape())); }
void grad_broadcast_to(GradContext& g) { g.set(0, sum_to(g.cotangent(), g.in[0].shape())); }

void grad_transpose(GradContext& g) {
  const auto permutation = g.attrs.list(0);
  std::vector<int> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[static_cast<size_t>(permutation[i])] = static_cast<int>(i);
  g.set(0, transpose(g.cotangent(), inverse));
}

void grad_concat(GradContext& g) {
  const int axis = static_cast<int>(g.attrs[0]);
  Size at = 0;
  for (size_t k = 0; k < g.in.size(); ++k) {
    std::vector<Range> ranges(static_cast<size_t>(g.in[k].rank()));
    const Size size = g.in[k].shape()[axis];
    ranges[static_cast<size_t>(axis)] = {at, at + size};
    if (g.needs(k)) g.set(k, slice(g.cotangent(), ranges));
    at += size;
  }
}

void grad_pad(GradContext& g) {
  const Extents low = g.attrs.extents(0);
  std::vector<Range> ranges;
  for (int i = 0; i < g.in[0].rank(); ++i)
    ranges.push_back({low[static_cast<size_t>(i)], low[static_cast<size_t>(i)] + g.in[0].shape()[i]});
  if (g.needs(0)) g.set(0, slice(g.cotangent(), ranges));
  if (g.needs(1)) g.set(1, sum(g.cotangent()) - sum(slice(g.cotangent(), ranges)));
}

// From the first to the last of so many elements.
Size reach(Size size, int64_t step) { return max((size - 1) * step + 1, Size(0)); }

// The cotangent goes back to where its elements came from: reversed for negative strides, spread out by `stride - 1`
// zeros, then padded.
void grad_slice(GradContext& g) {
  const Shape& shape = g.in[0].shape();
  const Extents begin = g.attrs.extents(0);
  const size_t at_size = g.attrs.after_list(0);
  const Extents size = g.attrs.extents(at_size);
  const auto stride = g.attrs.list(g.attrs.after_list(at_size));
  Tensor c = g.cotangent();
  if (c.size() == 0) return g.set(0, zeros_like(g.in[0]));
  std::vector<Range> backwards(begin.size());
  std::vector<Padding> paddings(begin.size());
  for (int i = 0; i < shape.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    const int64_t step = std::abs(stride[k]);
    const Size first = stride[k] > 0 ? begin[k] : begin[k] + (size[k] - 1) * stride[k];
    if (stride[k] < 0) backwards[k] = {{}, {}, -1};
    paddings[k] = {first, shape[i] - first - reach(size[k], step)};
  }
  c = slice(c, backwards);
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t step = std::abs(stride[static_cast<size_t>(i)]);
    if (step == 1) continue;
    // [.., n, ..] → [.., n, 1, ..] → zeros after each → [.., n·step, ..] → without the last zeros
    std::vector<Size> apart(c.shape().begin(), c.shape().end());
    apart.insert(apart.begin() + i + 1, 1);
    if (apart.size() > kMaxRank)
      throw_invalid(op::slice, cat("the gradient of a strided slice of rank ", kMaxRank,
                                   " needs one more dimension than there is"));
    std::vector<Padding> after(apart.size());
    after[static_cast<size_t>(i) + 1].high = step - 1;
    std::vector<Size> merged(c.shape().begin(), c.shape().end());
    merged[static_cast<size_t>(i)] *= step;
    c = reshape(pad(reshape(c, apart), after), merged);
    std::vector<Range> head(static_cast<size_t>(shape.rank()));
    head[static_cast<size_t>(i)].end = reach(size[static_cast<size_t>(i)], step);
    c = slice(c, head);
  }
  g.set(0, pad(c, paddings));
}

template <typename Dims>
Tensor with_list(const OpDef& op, const Tensor& x, const Dims& dims) {
  int64_t attrs[1 + kMaxRank] = {static_cast<int64_t>(dims.size())};
  for (size_t i = 0; i < dims.size(); ++i) attrs[1 + i] = Size(dims[i]).word();
  return record(op, std::span<const int64_t>(attrs, 1 + dims.size()), x);
}

// Where an index of a range lies, among those that there are, or one before them.
Size place(Size at, Size size, int64_t step) {
  if (surely_less(at, 0)) at += size;  // an expression counts from the front
  const Size first = step > 0 ? 0 : -1;
  return max(min(at, size + first), first);
}

}  // namespace

namespace op {
#define VIEW(ident, what, ...) \
  const OpDef ident{           \
      .name = #ident, .summary = what, .kind = OpKind::view, .min_inputs = 1, .max_inputs = 1, __VA_ARGS__};
VIEW(identity, "x", .infer = infer_same, .grad = grad_identity, .cost = free_cost, .grad_needs = kNeedsNothing,
     .also_takes = kComplex | kStrings)
VIEW(stop_gradient, "x, to which no gradient flows", .infer = infer_same, .no_grad = "that is its purpose",
     .cost = free_cost, .also_takes = kComplex)
VIEW(read_variable, "the value of a variable, where a tape begins to follow it", .infer = infer_same,
     .grad = grad_identity, .cost = free_cost, .grad_needs = kNeedsNothing, .also_takes = kComplex)
VIEW(reshape, "the same elements under another shape", .attrs = kShapeAttrs, .infer = infer_reshape,
     .grad = grad_reshape, .cost = free_cost, .grad_needs = kNeedsNothing, .also_takes = kComplex | kStrings)
#undef VIEW
const OpDef custom_gradient{.name = "custom_gradient",
                            .summary = "its last input; the user's function gives the gradients of the others",
                            .kind = OpKind::view,
                            .min_inputs = 1,
                            .max_inputs = -1,
                            .attrs = kCustomAttrs,
                            .infer = infer_last,
                            .grad = grad_without_function,
                            .cost = free_cost,
                            .grad_needs = kNeedsNothing,
                            .also_takes = kComplex};
#define MOVE(ident, what, least, most, attrs_, infer_, grad_) \
  const OpDef ident{.name = #ident,                           \
                    .summary = what,                          \
                    .kind = OpKind::movement,                 \
                    .min_inputs = least,                      \
                    .max_inputs = most,                       \
                    .attrs = attrs_,                          \
                    .infer = infer_,                          \
                    .grad = grad_,                            \
                    .cost = movement_cost,                    \
                    .grad_needs = kNeedsNothing,              \
                    .also_takes = kComplex | kStrings};
MOVE(broadcast_to, "x repeated along axes of size 1 and new leading axes", 1, 1, kShapeAttrs, infer_broadcast_to,
     grad_broadcast_to)
MOVE(transpose, "axes in another order", 1, 1, kPermutationAttrs, infer_transpose, grad_transpose)
MOVE(slice, "every stride-th element from begin, size of them, per axis", 1, 1, kSliceAttrs, infer_slice, grad_slice)
MOVE(concat, "tensors one after another along an axis", 1, -1, kConcatAttrs, infer_concat, grad_concat)
MOVE(pad, "x surrounded by a constant", 2, 2, kPadAttrs, infer_pad, grad_pad)
#undef MOVE
}  // namespace op

namespace op {
static const OpDef* const shape_rows[] = {&identity,     &stop_gradient, &read_variable, &custom_gradient, &reshape,
                                          &broadcast_to, &transpose,     &slice,         &concat,          &pad};
}
void register_shape_ops() { register_ops(op::shape_rows); }

Tensor identity(const Tensor& x) { return record(op::identity, {}, x); }
Tensor stop_gradient(const Tensor& x) { return record(op::stop_gradient, {}, x); }

Tensor reshape(const Tensor& x, std::span<const Size> dims) {
  required(op::reshape, x);
  std::vector<Size> exact(dims.begin(), dims.end());
  Size known = 1;
  int unknown = -1;
  for (size_t i = 0; i < exact.size(); ++i) {
    if (!(exact[i] == -1)) {
      known *= exact[i];
    } else if (unknown >= 0) {
      throw_invalid(op::reshape, "two dimensions are -1; only one can follow from the others");
    } else {
      unknown = static_cast<int>(i);
    }
  }
  if (unknown >= 0 && known == 0 && x.size() == 0) {
    // Any number of groups of nothing is nothing: as TensorFlow, the one that the sizes other than 0 give.
    const auto without_zeros = [](std::span<const Size> sizes) {
      Size product = 1;
      for (const Size size : sizes)
        if (!(size == 0) && !(size == -1)) product *= size;
      return product;
    };
    exact[static_cast<size_t>(unknown)] = without_zeros(x.shape().dims()) / without_zeros(dims);
  } else if (unknown >= 0) {
    if (surely_less(known, 1) || x.size() % known != 0)
      throw_invalid(op::reshape, cat("shape ", x.shape(), " with ", x.size(),
                                     " elements has no whole number of groups of ", known, ", so -1 has no value"));
    exact[static_cast<size_t>(unknown)] = x.size() / known;
  }
  return reshape(x, Shape(std::span<const Size>(exact)));
}
Tensor reshape(const Tensor& x, std::span<const int64_t> dims) {
  return reshape(x, std::span<const Size>(std::vector<Size>(dims.begin(), dims.end())));
}
Tensor reshape(const Tensor& x, std::initializer_list<Size> dims) {
  return reshape(x, std::span<const Size>(dims.begin(), dims.size()));
}
Tensor reshape(const Tensor& x, const Shape& shape) {
  if (required(op::reshape, x).shape() == shape) return x;
  return with_list(op::reshape, x, shape.dims());
}

Tensor expand_dims(const Tensor& x, int axis) {
  const int at = positive_axis(op::reshape, axis, required(op::reshape, x).rank() + 1);
  std::vector<Size> dims(x.shape().begin(), x.shape().end());
  dims.insert(dims.begin() + at, 1);
  return reshape(x, checked_shape(op::reshape, dims));
}

Tensor squeeze(const Tensor& x, const std::vector<int>& axes) {
  uint32_t drop = 0;
  for (int axis : axes) {
    const int at = positive_axis(op::reshape, axis, required(op::reshape, x).rank());
    if (x.shape()[at] != 1)
      throw_invalid(op::reshape,
                    cat("axis ", axis, " of shape ", x.shape(), " cannot be squeezed: its size is not 1"));
    drop |= 1u << at;
  }
  Shape shape;
  for (int i = 0; i < required(op::reshape, x).rank(); ++i) {
    const Size size = x.shape()[i];
    if (axes.empty() && !size.known() && !(size != 1))
      throw UnknownSize(
          cat("[squeeze] whether axis ", i, " of shape ", x.shape(), " is 1 is not known here; name axes"));
    if (axes.empty() ? !(size == 1) : !(drop >> i & 1)) shape.push_back(size);
  }
  return reshape(x, shape);
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  if (required(op::broadcast_to, x).shape() == shape) return x;
  return with_list(op::broadcast_to, x, shape.dims());
}

Tensor transpose(const Tensor& x, std::vector<int> permutation) {
  const int rank = required(op::transpose, x).rank();
  if (permutation.empty()) {
    permutation.resize(static_cast<size_t>(rank));
    std::iota(permutation.rbegin(), permutation.rend(), 0);
  }
  for (int& axis : permutation) axis = axis < 0 ? axis + rank : axis;
  if (permutation.size() > kMaxRank)
    throw_invalid(op::transpose, cat("the permutation has ", permutation.size(), " entries for shape ", x.shape()));
  if (static_cast<int>(permutation.size()) == rank && std::ranges::is_sorted(permutation) &&
      (rank == 0 || (permutation.front() == 0 && permutation.back() == rank - 1 &&
                     std::ranges::adjacent_find(permutation) == permutation.end())))
    return x;
  return with_list(op::transpose, x, permutation);
}

Tensor slice(const Tensor& x, std::span<const Range> ranges) {
  const Shape& shape = required(op::slice, x).shape();
  if (static_cast<int>(ranges.size()) > shape.rank())
    throw_invalid(op::slice, cat(ranges.size(), " ranges are given for shape ", shape));
  const Range all_of_it;
  std::vector<Size> begin, size, stride;
  bool whole = true;
  for (int i = 0; i < shape.rank(); ++i) {
    const Range& range = i < static_cast<int>(ranges.size()) ? ranges[static_cast<size_t>(i)] : all_of_it;
    const Size dim = shape[i];
    constexpr int64_t kFarthest = int64_t{1} << 60;  // a longer step leads out of every axis too
    const int64_t step = std::clamp(range.stride, -kFarthest, kFarthest);
    if (step == 0) throw_invalid(op::slice, cat("the stride of axis ", i, " is 0"));
    // Python: negatives count from the end, what lies outside is cut off.
    const Size from = range.begin ? place(*range.begin, dim, step) : step > 0 ? Size(0) : dim - 1;
    const Size to = range.end ? place(*range.end, dim, step) : step > 0 ? dim : Size(-1);
    const Size apart = step > 0 ? max(to - from, Size(0)) : max(from - to, Size(0));
    const Size count = pieces(apart, step > 0 ? Size(step) : Size(0) - step);
    begin.push_back(count == 0 ? Size(0) : from);
    size.push_back(count);
    stride.push_back(surely_less(count, 2) ? Size(1) : Size(step));
    whole &= size.back() == dim && (step == 1 || surely_less(dim, 2));
  }
  if (whole) return x;
  std::vector<int64_t> attrs;
  for (const auto* list : {&begin, &size, &stride}) {
    attrs.push_back(static_cast<int64_t>(list->size()));
    for (const Size number : *list) attrs.push_back(number.word());
  }
  return record(op::slice, attrs, x);
}
Tensor slice(const Tensor& x, std::initializer_list<Range> ranges) {
  return slice(x, std::span<const Range>(ranges.begin(), ranges.size()));
}

Tensor concat(std::span<const Tensor> parts, int axis) {
  if (parts.empty()) throw_invalid(op::concat, "there is nothing to concatenate");
  std::vector<TensorImpl*> impls;
  for (const Tensor& part : parts) impls.push_back(part.impl());
  const int64_t attrs[] = {positive_axis(op::concat, axis, required(op::concat, parts[0]).rank())};
  return record(op::concat, impls, attrs);
}
Tensor concat(std::initializer_list<Tensor> parts, int axis) {
  return concat(std::span<const Tensor>(parts.begin(), parts.size()), axis);
}

Tensor pad(const Tensor& x, std::span<const Padding> paddings, Scalar value) {
  required(op::pad, x);
  std::vector<int64_t> attrs{static_cast<int64_t>(paddings.size())};
  for (const Padding& padding : paddings) attrs.push_back(padding.low.word());
  attrs.push_back(static_cast<int64_t>(paddings.size()));
  for (const Padding& padding : paddings) attrs.push_back(padding.high.word());
  if (std::ranges::all_of(paddings, [](const Padding& p) { return p.low == 0 && p.high == 0; }) &&
      static_cast<int>(paddings.size()) == x.rank())
    return x;
  const bool zero =
      value.kind() == Scalar::Kind::integer && value.integer() == 0;  // the default, which bool calls false
  return record(op::pad, attrs, x, constant(zero && x.dtype() == boolean ? Scalar(false) : value, x.dtype()));
}
Tensor pad(const Tensor& x, std::initializer_list<Padding> paddings, Scalar value) {
  return pad(x, std::span<const Padding>(paddings.begin(), paddings.size()), value);
}

Tensor full(const Shape& shape, Scalar value, DType dtype) { return broadcast_to(constant(value, dtype), shape); }
Tensor zeros(const Shape& shape, DType dtype) {
  return dtype == boolean ? full(shape, false, dtype) : full(shape, 0, dtype);
}
Tensor ones(const Shape& shape, DType dtype) {
  return dtype == boolean ? full(shape, true, dtype) : full(shape, 1, dtype);
}
Tensor zeros_like(const Tensor& x) { return zeros(x.shape(), x.dtype()); }
Tensor ones_like(const Tensor& x) { return ones(x.shape(), x.dtype()); }
Tensor or_zeros(const Tensor& gradient, const Tensor& value) {
  return gradient.defined() ? gradient : zeros_like(value);
}

}  // namespace brio
