#include "brio/ops/indexing/nd_indexing.h"

#include <algorithm>

#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kPointsAttrs[] = {{"skip_negative", AttrKind::flag}, {"batch_dims", AttrKind::integer}};

// indices[:-1] + tensor[batch_dims+depth:]
Shape slices_shape(const OpDef& op, const Aval& tensor, const Aval& indices, Attrs attrs) {
  if (indices.dtype != i32 && indices.dtype != i64)
    throw_invalid(op, cat("the indices must be int32 or int64, but are ", indices.dtype, "; cast them first"));
  const int last = indices.shape.rank() - 1;
  if (last < 0)
    throw_invalid(op, "the indices are a scalar; their last axis must be a position: give them rank 1 or more");
  const int64_t depth = indices.shape[last], batch = attrs[1];
  bool fits = batch >= 0 && batch <= last && batch <= tensor.shape.rank();
  for (int i = 0; fits && i < batch; ++i) fits = !(tensor.shape[i] != indices.shape[i]);
  if (!fits)
    throw_invalid(op, cat("batch_dims is ", batch, ", but the tensor's shape ", tensor.shape, " and the indices' ",
                          indices.shape, " do not share so many leading axes"));
  if (depth > tensor.shape.rank() - batch)
    throw_invalid(
        op, cat("indices of shape ", indices.shape, " are positions in ", depth, " axes, but the tensor has shape ",
                tensor.shape, batch ? cat(", ", batch, " of them for the batch") : ""));
  std::vector<Size> dims(indices.shape.begin(), indices.shape.end() - 1);
  dims.insert(dims.end(), tensor.shape.begin() + batch + depth, tensor.shape.end());
  return checked_shape(op, dims);
}

void infer_gather_nd(const OpCall& call, std::vector<Aval>& out) {
  out.push_back({slices_shape(call.op, *call.in[0], *call.in[1], call.attrs), call.in[0]->dtype});
}

template <bool computes>
void infer_scatter(const OpCall& call, std::vector<Aval>& out) {
  const Aval &tensor = *call.in[0], &updates = *call.in[2];
  if (computes && tensor.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  const Shape expected = slices_shape(call.op, tensor, *call.in[1], call.attrs);
  if (updates.shape != expected)
    throw_invalid(call.op, cat("the updates have shape ", updates.shape, ", but a tensor ", tensor.shape,
                               " with indices ", call.in[1]->shape, " takes updates of shape ", expected));
  if (updates.dtype != tensor.dtype)
    throw_invalid(call.op,
                  cat("the updates are ", updates.dtype, ", but the tensor is ", tensor.dtype, "; cast one of them"));
  out.push_back(tensor);
}

Cost gather_nd_cost(const OpCall& call, std::span<const Aval> out) {
  return {0, static_cast<double>(call.in[1]->bytes()) + 2.0 * static_cast<double>(out[0].bytes())};
}
Cost scatter_cost(const OpCall& call, std::span<const Aval> out) {
  return {static_cast<double>(call.in[2]->shape.elements()), total_bytes(call, out)};
}

// With the attributes of the node that is differentiated.
Tensor gathered(const GradContext& g, const Tensor& x) { return record(op::gather_nd, g.attrs.words(), x, g.in[1]); }
Tensor scattered(const OpDef& op, const GradContext& g, const Tensor& x, const Tensor& updates) {
  return record(op, g.attrs.words(), x, g.in[1], updates);
}

void grad_gather_nd(GradContext& g) {
  if (g.needs(0)) g.set(0, scattered(op::tensor_scatter_add, g, zeros_like(g.in[0]), g.cotangent()));
}

void grad_scatter_nd_add(GradContext& g) {
  if (g.needs(0)) g.set(0, g.cotangent());
  if (g.needs(2)) g.set(2, gathered(g, g.cotangent()));
}

// Only the update that stayed has a gradient: each writes its number, and reads whose stands there.
void grad_scatter_update(GradContext& g) {
  const Tensor& c = g.cotangent();
  const Tensor none = constant(0, c.dtype());
  if (g.needs(0)) g.set(0, scattered(op::tensor_scatter_update, g, c, broadcast_to(none, g.in[2].shape())));
  if (!g.needs(2)) return;
  const Shape& indices = g.in[1].shape();
  const auto points = static_cast<size_t>(indices.rank() - 1);
  const Shape positions(indices.dims().first(points));
  const Shape places(g.in[0].shape().dims().first(static_cast<size_t>(g.attrs[1] + indices[indices.rank() - 1])));
  const Tensor number = reshape(iota(positions.elements()), positions);
  const Tensor last = scattered(op::tensor_scatter_update, g, zeros(places, i64), number);
  std::vector<Size> dims(positions.begin(), positions.end());
  dims.resize(static_cast<size_t>(g.in[2].rank()), 1);
  g.set(2, select(reshape(equal(gathered(g, last), number), dims), gathered(g, c), none));
}

// Ties share the gradient evenly, as in TensorFlow.
void grad_scatter_extreme(GradContext& g) {
  const DType dtype = g.in[0].dtype();
  const Tensor base_hit = cast(equal(g.in[0], g.out[0]), dtype);
  const Tensor update_hit = cast(equal(g.in[2], gathered(g, g.out[0])), dtype);
  const Tensor share = g.cotangent() / scattered(op::tensor_scatter_add, g, base_hit, update_hit);
  if (g.needs(0)) g.set(0, share * base_hit);
  if (g.needs(2)) g.set(2, gathered(g, share) * update_hit);
}

// The product of the other factors: as reduce_prod's, by counting zeros.
void grad_scatter_mul(GradContext& g) {
  const DType dtype = g.in[0].dtype();
  const Tensor zero = constant(0, dtype), one = constant(1, dtype);
  const auto is_zero = [&](const Tensor& x) { return equal(x, zero); };
  const auto safe = [&](const Tensor& x) { return select(is_zero(x), one, x); };
  const Tensor zero_count =
      scattered(op::tensor_scatter_add, g, cast(is_zero(g.in[0]), dtype), cast(is_zero(g.in[2]), dtype));
  const Tensor others = scattered(op::tensor_scatter_mul, g, safe(g.in[0]), safe(g.in[2]));
  const auto gradient = [&](const Tensor& x, const Tensor& c, const Tensor& count, const Tensor& rest) {
    const Tensor only_zero = logical_and(equal(count, one), is_zero(x));
    return c * select(equal(count, zero), rest / safe(x), select(only_zero, rest, zero));
  };
  if (g.needs(0)) g.set(0, gradient(g.in[0], g.cotangent(), zero_count, others));
  if (g.needs(2))
    g.set(2, gradient(g.in[2], gathered(g, g.cotangent()), gathered(g, zero_count), gathered(g, others)));
}

void check_points(const OpCall& call, const void* indices) {
  const NdIndices points(call.op, *call.in[0], *call.in[1], call.attrs);
  for (int64_t i = 0; i < points.count; ++i) static_cast<void>(points.place(indices, i));
}

constexpr uint8_t kNeedsIndices = 2;
constexpr int64_t kRefuseNegative[] = {0, 0}, kSkipNegative[] = {1, 0};

}  // namespace

namespace op {
#define POINTS(ident, what, inputs, infer_, grad_, cost_, needs, ...) \
  const OpDef ident{.name = #ident,                                   \
                    .summary = what,                                  \
                    .kind = OpKind::indexed,                          \
                    .min_inputs = inputs,                             \
                    .max_inputs = inputs,                             \
                    .attrs = kPointsAttrs,                            \
                    .infer = infer_,                                  \
                    .grad = grad_,                                    \
                    .cost = cost_,                                    \
                    .grad_needs = needs,                              \
                    .may_fail = true,                                 \
                    .check_second = check_points,                     \
                    __VA_ARGS__};
POINTS(gather_nd, "slices at points; a point outside is an error", 2, infer_gather_nd, grad_gather_nd, gather_nd_cost,
       kNeedsIndices, .also_takes = kStrings)
POINTS(tensor_scatter_update, "a tensor with slices replaced at points; the last one stays", 3, infer_scatter<false>,
       grad_scatter_update, scatter_cost, kNeedsIndices)
POINTS(tensor_scatter_add, "a tensor with slices added at points, in order", 3, infer_scatter<true>,
       grad_scatter_nd_add, scatter_cost, kNeedsIndices)
POINTS(tensor_scatter_max, "a tensor and slices at points, the larger ones; NaN wins", 3, infer_scatter<true>,
       grad_scatter_extreme, scatter_cost, kNeedsInputs | kNeedsOutput)
POINTS(tensor_scatter_min, "a tensor and slices at points, the smaller ones; NaN wins", 3, infer_scatter<true>,
       grad_scatter_extreme, scatter_cost, kNeedsInputs | kNeedsOutput)
POINTS(tensor_scatter_mul, "a tensor multiplied by slices at points, in order", 3, infer_scatter<true>,
       grad_scatter_mul, scatter_cost, kNeedsInputs)
#undef POINTS
}  // namespace op

void register_nd_indexing() {
  static const OpDef* const rows[] = {&op::gather_nd,          &op::tensor_scatter_update, &op::tensor_scatter_add,
                                      &op::tensor_scatter_max, &op::tensor_scatter_min,    &op::tensor_scatter_mul};
  register_ops(rows);
}

NdIndices::NdIndices(const OpDef& op, const Aval& tensor, const Aval& indices, Attrs attrs)
    : op_(op),
      shape_(tensor.shape),
      dtype_(indices.dtype),
      batch_dims_(static_cast<int>(attrs[1])),
      depth_(static_cast<int>(indices.shape[indices.shape.rank() - 1])),
      skips_negative_(attrs[0] != 0) {
  const auto points = indices.shape.dims().first(static_cast<size_t>(indices.shape.rank() - 1));
  count = Shape(points).elements();
  points_per_batch_ = std::max<int64_t>(1, Shape(points.subspan(static_cast<size_t>(batch_dims_))).elements());
  for (int i = 0; i < depth_; ++i) places_per_batch_ *= shape_[batch_dims_ + i];
  for (int i = batch_dims_ + depth_; i < shape_.rank(); ++i) slice *= shape_[i];
}

int64_t NdIndices::place(const void* indices, int64_t i) const {
  int64_t place = i / points_per_batch_;
  bool negative = false, inside = true;
  for (int k = 0; k < depth_; ++k) {
    const int64_t index = integer_at(indices, dtype_, i * depth_ + k), size = shape_[batch_dims_ + k];
    negative |= index < 0;
    inside &= index >= 0 && index < size;
    place = place * size + index;
  }
  if (inside) return place;
  if (negative && skips_negative_) return -1;
  refuse(indices, i);
}

void NdIndices::places(const void* indices, int64_t begin, int64_t end, int64_t* places) const {
  const auto fill = [&](const auto* index) {
    for (int64_t i = begin; i < end;) {
      const int64_t batch = i / points_per_batch_, stop = std::min(end, (batch + 1) * points_per_batch_);
      const int64_t start = batch * places_per_batch_;
      if (depth_ == 1) {
        const auto size = static_cast<uint64_t>(shape_[batch_dims_]);
        for (; i < stop; ++i)
          places[i] =
              static_cast<uint64_t>(static_cast<int64_t>(index[i])) < size ? start + index[i] : place(indices, i);
        continue;
      }
      for (; i < stop; ++i) {
        int64_t at = batch;
        bool inside = true;
        for (int k = 0; k < depth_; ++k) {
          const int64_t size = shape_[batch_dims_ + k], next = index[i * depth_ + k];
          inside &= static_cast<uint64_t>(next) < static_cast<uint64_t>(size);
          at = at * size + next;
        }
        places[i] = inside ? at : place(indices, i);
      }
    }
  };
  if (dtype_ == i32) fill(static_cast<const int32_t*>(indices));
  else fill(static_cast<const int64_t*>(indices));
}

void NdIndices::refuse(const void* indices, int64_t i) const {
  std::string point;
  for (int k = 0; k < depth_; ++k) point += cat(k ? ", " : "", integer_at(indices, dtype_, i * depth_ + k));
  throw_invalid(op_, cat("the indices at position ", i, ", (", point, "), do not lie within shape ",
                         Shape(shape_.dims().subspan(static_cast<size_t>(batch_dims_)))));
}

Tensor gather_nd(const Tensor& params, const Tensor& indices, int batch_dims) {
  const int64_t attrs[] = {0, batch_dims};
  return record(op::gather_nd, attrs, params, indices);
}

Tensor gather(const Tensor& params, const Tensor& indices, int axis, int batch_dims) {
  const int rank = required(op::gather, params).rank(), index_rank = required(op::gather, indices, 1).rank();
  const int batch = batch_dims < 0 ? batch_dims + index_rank : batch_dims;
  const int at = positive_axis(op::gather, axis, rank);
  bool fits = batch >= 0 && batch <= index_rank && batch <= at;
  for (int i = 0; fits && i < batch; ++i) fits = !(params.shape()[i] != indices.shape()[i]);
  if (!fits)
    throw_invalid(op::gather, cat("batch_dims is ", batch_dims, ", but params ", params.shape(), " before axis ", at,
                                  " and indices ", indices.shape(), " do not share so many leading axes"));
  if (batch == 0) return gather(params, indices, at);
  // The axis moves behind the batch, the axes between behind the indices, and these back to their places.
  const Tensor slices = gather_nd(moveaxis(params, at, batch), expand_dims(indices, -1), batch);
  std::vector<int> order;
  for (int i = 0; i < batch; ++i) order.push_back(i);
  for (int i = 0; i < at - batch; ++i) order.push_back(index_rank + i);
  for (int i = batch; i < index_rank; ++i) order.push_back(i);
  for (int i = static_cast<int>(order.size()); i < slices.rank(); ++i) order.push_back(i);
  return transpose(slices, order);
}

Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis) {
  const std::string_view self = "take_along_axis";
  const int rank = required(self, x).rank(), at = positive_axis(self, axis, rank);
  if (required(self, indices, 1).rank() != rank)
    throw_invalid(self, cat("takes indices of the tensor's rank ", rank, ", but got shape ", indices.shape()));
  Shape outer = x.shape(), points = indices.shape(), both;
  outer.set(at, 1);
  points.set(at, 1);
  if (!broadcast(outer, points, both))
    throw_invalid(self, cat("shapes ", x.shape(), " and ", indices.shape(), " do not broadcast beside axis ", at));
  outer = points = both;
  outer.set(at, x.shape()[at]);
  points.set(at, indices.shape()[at]);
  // Rows of the axis, each with its indices.
  const auto rows_of = [&](const Tensor& y, const Shape& shape) {
    const Tensor last = moveaxis(broadcast_to(y, shape), at, -1);
    return reshape(last, Shape{both.elements(), shape[at]});
  };
  Tensor at_points = rows_of(indices, points);
  const Tensor zero = constant(0, indices.dtype());
  at_points = select(less(at_points, zero), at_points + constant(x.shape()[at], indices.dtype()), at_points);
  const Tensor taken = gather_nd(rows_of(x, outer), expand_dims(at_points, -1), 1);
  Shape moved;
  for (int i = 0; i < rank; ++i)
    if (i != at) moved.push_back(points[i]);
  moved.push_back(points[at]);
  return moveaxis(reshape(taken, moved), -1, at);
}

Tensor tensor_scatter_nd_update(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  return record(op::tensor_scatter_update, kRefuseNegative, tensor, indices, updates);
}
Tensor tensor_scatter_nd_add(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  return record(op::tensor_scatter_add, kRefuseNegative, tensor, indices, updates);
}
Tensor tensor_scatter_nd_sub(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  // 0 - x: unsigned numbers have no sign to change, but wrap
  const DType dtype = required(op::tensor_scatter_add, updates, 2).dtype();
  return tensor_scatter_nd_add(tensor, indices, sub(constant(0, dtype), updates));
}
Tensor tensor_scatter_nd_max(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  return record(op::tensor_scatter_max, kRefuseNegative, tensor, indices, updates);
}
Tensor tensor_scatter_nd_min(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  return record(op::tensor_scatter_min, kRefuseNegative, tensor, indices, updates);
}
Tensor scatter_nd(const Tensor& indices, const Tensor& updates, const Shape& shape) {
  const DType dtype = required(op::tensor_scatter_add, updates, 2).dtype();
  return tensor_scatter_nd_add(zeros(shape, dtype), indices, updates);
}
Tensor scatter_where_not_negative(const OpDef& op, const Tensor& tensor, const Tensor& indices,
                                  const Tensor& updates) {
  return record(op, kSkipNegative, tensor, indices, updates);
}

}  // namespace brio
