#include "brio/ops/indexing/sorting.h"

#include <limits>
#include <numeric>

#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/indexing/nd_indexing.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kArgAttrs[] = {{"axis", AttrKind::integer}, {"dtype", AttrKind::dtype}};
constexpr AttrSpec kTopKAttrs[] = {{"ascending", AttrKind::flag}, {"k", AttrKind::extents}};
constexpr AttrSpec kSearchAttrs[] = {{"right", AttrKind::flag}, {"dtype", AttrKind::dtype}};

DType index_dtype(const OpDef& op, int64_t number) {
  if (number != static_cast<int64_t>(i32) && number != static_cast<int64_t>(i64))
    throw_invalid(op, number >= 0 && number < kRealDTypeCount
                          ? cat("positions are int32 or int64, not ", static_cast<DType>(number), "; cast them")
                          : cat("no dtype has number ", number));
  return static_cast<DType>(number);
}

void infer_arg(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  const int64_t axis = call.attrs[0];
  if (axis < 0 || axis >= x.shape.rank())
    throw_invalid(call.op, cat("axis ", axis, " is out of range for shape ", x.shape));
  if (x.shape[static_cast<int>(axis)] == 0)
    throw_invalid(call.op, cat("axis ", axis, " of shape ", x.shape, " is empty: there is nothing to choose from"));
  Aval& result = out.emplace_back();
  result.dtype = index_dtype(call.op, call.attrs[1]);
  for (int i = 0; i < x.shape.rank(); ++i)
    if (i != axis) result.shape.push_back(x.shape[i]);
}

void infer_top_k(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  if (x.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  if (x.shape.rank() == 0) throw_invalid(call.op, "takes tensors of rank 1 or more, but got a scalar");
  const int last = x.shape.rank() - 1;
  const Extents k = call.attrs.extents(1);
  if (k.size() != 1 || surely_less(k[0], 0) || surely_less(x.shape[last], k[0]))
    throw_invalid(call.op, cat("k is ", k.size() == 1 ? k[0] : Size(-1), ", but the last axis of shape ", x.shape,
                               " has ", x.shape[last], " elements"));
  if (surely_less(std::numeric_limits<int32_t>::max(), x.shape[last]))
    throw_invalid(call.op, cat("the last axis of shape ", x.shape, " is longer than int32 indices reach"));
  Shape shape = x.shape;
  shape.set(last, k[0]);
  out.push_back({shape, x.dtype});
  out.push_back({shape, i32});
}

void infer_searchsorted(const OpCall& call, std::vector<Aval>& out) {
  const Aval &sorted = *call.in[0], &values = *call.in[1];
  if (sorted.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  if (sorted.dtype != values.dtype)
    throw_invalid(call.op,
                  cat("the sequence is ", sorted.dtype, ", but the values are ", values.dtype, "; cast one of them"));
  bool fits = sorted.shape.rank() == values.shape.rank() && sorted.shape.rank() > 0;
  for (int i = 0; fits && i + 1 < sorted.shape.rank(); ++i) fits = !(sorted.shape[i] != values.shape[i]);
  if (!fits)
    throw_invalid(call.op, cat("the sequence has shape ", sorted.shape, ", the values ", values.shape,
                               "; all axes but the last must be the same"));
  out.push_back({values.shape, index_dtype(call.op, call.attrs[1])});
}

// Comparisons: n for the largest, some n log(k) for an order.
Cost arg_cost(const OpCall& call, std::span<const Aval> out) {
  return {static_cast<double>(call.in[0]->shape.elements()), total_bytes(call, out)};
}
Cost search_cost(const OpCall& call, std::span<const Aval> out) {
  return {16 * static_cast<double>(call.in.back()->shape.elements()), total_bytes(call, out)};
}

// The values came from where the indices say.
void grad_top_k(GradContext& g) {
  if (!g.cotangents[0].defined()) return;
  const Shape &shape = g.in[0].shape(), &taken = g.out[1].shape();
  const Size n = shape[shape.rank() - 1], k = taken[shape.rank() - 1], rows = n == 0 ? Size(0) : shape.elements() / n;
  const Tensor starts = iota(rows) * constant(n, i64);
  const Tensor at = reshape(cast(g.out[1], i64), Shape{rows, k}) + expand_dims(starts, 1);
  const Tensor flat =
      scatter_nd(reshape(at, Shape{rows * k, 1}), reshape(g.cotangents[0], Shape{rows * k}), Shape{rows * n});
  g.set(0, reshape(flat, shape));
}

Tensor arg(const OpDef& op, const Tensor& x, int axis, DType dtype) {
  const int64_t attrs[] = {positive_axis(op, axis, required(op, x).rank()), static_cast<int64_t>(dtype)};
  return record(op, attrs, x);
}

TopK order(const Tensor& x, Size k, Direction direction) {
  TensorImpl* const in[] = {x.impl()};
  const int64_t attrs[] = {direction == Direction::ascending, 1, k.word()};
  std::vector<Tensor> both = record_many(op::top_k, in, attrs);
  return {std::move(both[0]), std::move(both[1])};
}

// All of an axis, which becomes the last one for it.
Tensor ordered(std::string_view function, const Tensor& x, int axis, Direction direction, Tensor TopK::*which) {
  const int at = positive_axis(function, axis, required(function, x).rank());
  const Tensor last = moveaxis(x, at, -1);
  return moveaxis(order(last, x.shape()[at], direction).*which, -1, at);
}

}  // namespace

namespace op {
#define ARG(ident, what)                                   \
  const OpDef ident{.name = #ident,                        \
                    .summary = what,                       \
                    .kind = OpKind::indexed,               \
                    .min_inputs = 1,                       \
                    .max_inputs = 1,                       \
                    .attrs = kArgAttrs,                    \
                    .infer = infer_arg,                    \
                    .no_grad = "its result is a position", \
                    .cost = arg_cost};
ARG(argmax, "position of the first of the largest along an axis; NaN is passed over")
ARG(argmin, "position of the first of the smallest along an axis; NaN is passed over")
#undef ARG
const OpDef top_k{.name = "top_k",
                  .summary = "the first k of the last axis in order, and their positions; NaN is the largest",
                  .kind = OpKind::indexed,
                  .min_inputs = 1,
                  .max_inputs = 1,
                  .attrs = kTopKAttrs,
                  .infer = infer_top_k,
                  .grad = grad_top_k,
                  .cost = search_cost,
                  .grad_needs = kNeedsOutput};
const OpDef searchsorted{.name = "searchsorted",
                         .summary = "where values would be inserted into a sorted last axis",
                         .kind = OpKind::indexed,
                         .min_inputs = 2,
                         .max_inputs = 2,
                         .attrs = kSearchAttrs,
                         .infer = infer_searchsorted,
                         .no_grad = "its result is a position",
                         .cost = search_cost};
}  // namespace op

void register_sorting() {
  static const OpDef* const rows[] = {&op::argmax, &op::argmin, &op::top_k, &op::searchsorted};
  register_ops(rows);
}

Tensor argmax(const Tensor& x, int axis, DType dtype) { return arg(op::argmax, x, axis, dtype); }
Tensor argmin(const Tensor& x, int axis, DType dtype) { return arg(op::argmin, x, axis, dtype); }

Tensor sort(const Tensor& x, int axis, Direction direction) {
  return ordered("sort", x, axis, direction, &TopK::values);
}
Tensor argsort(const Tensor& x, int axis, Direction direction) {
  return ordered("argsort", x, axis, direction, &TopK::indices);
}
TopK top_k(const Tensor& x, int64_t k) { return order(required(op::top_k, x), k, Direction::descending); }

Tensor searchsorted(const Tensor& sorted, const Tensor& values, Side side, DType dtype) {
  const int64_t attrs[] = {side == Side::right, static_cast<int64_t>(dtype)};
  return record(op::searchsorted, attrs, sorted, values);
}

Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k) {
  const std::string_view self = "in_top_k";
  const Shape &rows = required(self, targets).shape(), &shape = required(self, predictions, 1).shape();
  if (!is_integer(targets.dtype()) || !is_floating(predictions.dtype()))
    throw_invalid(self, cat("takes integer targets and floating-point predictions, but got ", targets.dtype(),
                            " and ", predictions.dtype(), "; cast them first"));
  if (shape.rank() != 2 || rows.rank() != 1 || rows[0] != shape[0])
    throw_invalid(self, cat("takes targets of shape (n,) and predictions of shape (n, classes), but got ", rows,
                            " and ", shape));
  const Tensor hit = one_hot(targets, shape[1], boolean);
  const Tensor own = sum(select(hit, predictions, constant(0, predictions.dtype())), 1, true);
  const Tensor larger = sum(cast(greater(predictions, own), i64), 1);
  const Tensor counts = logical_and(any(hit, 1), all(is_finite(predictions), 1));
  return logical_and(counts, less(larger, constant(k, i64)));
}

}  // namespace brio
