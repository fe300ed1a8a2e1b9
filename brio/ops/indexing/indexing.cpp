#include "brio/ops/indexing/indexing.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/families.h"
#include "brio/ops/image/resample.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kAxisAttrs[] = {{"axis", AttrKind::integer}};
constexpr AttrSpec kOneHotAttrs[] = {
    {"depth", AttrKind::integer}, {"dtype", AttrKind::dtype}, {"axis", AttrKind::integer}};

void check_indices(const OpDef& op, const Aval& indices) {
  if (indices.dtype != i32 && indices.dtype != i64)
    throw_invalid(op, cat("the indices must be int32 or int64, but are ", indices.dtype, "; cast them first"));
}

// params[:axis] + indices + params[axis+1:]
Shape gathered_shape(const OpDef& op, const Shape& params, const Shape& indices, int64_t axis) {
  if (axis < 0 || axis >= params.rank()) throw_invalid(op, cat("axis ", axis, " is out of range for shape ", params));
  std::vector<Size> dims(params.begin(), params.begin() + axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), params.begin() + axis + 1, params.end());
  return checked_shape(op, dims);
}

void infer_gather(const OpCall& call, std::vector<Aval>& out) {
  const Aval &params = *call.in[0], &indices = *call.in[1];
  check_indices(call.op, indices);
  out.push_back({gathered_shape(call.op, params.shape, indices.shape, call.attrs[0]), params.dtype});
}

void infer_scatter_add(const OpCall& call, std::vector<Aval>& out) {
  const Aval &base = *call.in[0], &indices = *call.in[1], &updates = *call.in[2];
  if (base.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  check_indices(call.op, indices);
  const Shape expected = gathered_shape(call.op, base.shape, indices.shape, call.attrs[0]);
  if (updates.shape != expected)
    throw_invalid(call.op, cat("the updates have shape ", updates.shape, ", but base ", base.shape, " with indices ",
                               indices.shape, " along axis ", call.attrs[0], " takes updates of shape ", expected));
  if (updates.dtype != base.dtype)
    throw_invalid(call.op,
                  cat("the updates are ", updates.dtype, ", but the base is ", base.dtype, "; cast one of them"));
  out.push_back(base);
}

void infer_one_hot(const OpCall& call, std::vector<Aval>& out) {
  const Aval& indices = *call.in[0];
  const int64_t depth = call.attrs[0], dtype = call.attrs[1], axis = call.attrs[2];
  if (!is_integer(indices.dtype))
    throw_invalid(call.op, cat("the indices must be integers, but are ", indices.dtype, "; cast them first"));
  if (depth < 0) throw_invalid(call.op, cat("the depth is ", depth, "; it must be ≥ 0"));
  if (dtype < 0 || dtype >= kRealDTypeCount) throw_invalid(call.op, cat("no dtype has number ", dtype));
  if (axis < 0 || axis > indices.shape.rank())
    throw_invalid(call.op, cat("axis ", axis, " is out of range for indices of shape ", indices.shape));
  std::vector<Size> dims(indices.shape.begin(), indices.shape.end());
  dims.insert(dims.begin() + axis, depth);
  out.push_back({checked_shape(call.op, dims), static_cast<DType>(dtype)});
}

Cost gather_cost(const OpCall& call, std::span<const Aval> out) {
  return {0, static_cast<double>(call.in[1]->bytes()) + 2.0 * static_cast<double>(out[0].bytes())};
}
Cost scatter_add_cost(const OpCall& call, std::span<const Aval> out) {
  return {static_cast<double>(call.in[2]->shape.elements()), total_bytes(call, out)};
}

void check_indices_of(const OpCall& call, const void* indices) {
  const Aval& aval = *call.in[1];
  check_indices(call.op, call.in[0]->shape, call.attrs[0], aval.dtype, indices, aval.shape.elements());
}

void grad_gather(GradContext& g) {
  if (g.needs(0)) g.set(0, scatter_add(zeros_like(g.in[0]), g.in[1], g.cotangent(), static_cast<int>(g.attrs[0])));
}
void grad_scatter_add(GradContext& g) {
  if (g.needs(0)) g.set(0, g.cotangent());
  if (g.needs(2)) g.set(2, gather(g.cotangent(), g.in[1], static_cast<int>(g.attrs[0])));
}

}  // namespace

namespace op {
const OpDef gather{.name = "gather",
                   .summary = "slices at the indices along an axis; an index out of range is an error",
                   .kind = OpKind::indexed,
                   .min_inputs = 2,
                   .max_inputs = 2,
                   .attrs = kAxisAttrs,
                   .infer = infer_gather,
                   .grad = grad_gather,
                   .cost = gather_cost,
                   .grad_needs = kNeedsSecond,
                   .may_fail = true,
                   .check_second = check_indices_of,
                   .also_takes = kComplex | kStrings};
const OpDef scatter_add{
    .name = "scatter_add",
    .summary = "a tensor with slices added at the indices along an axis, in the order of the indices",
    .kind = OpKind::indexed,
    .min_inputs = 3,
    .max_inputs = 3,
    .attrs = kAxisAttrs,
    .infer = infer_scatter_add,
    .grad = grad_scatter_add,
    .cost = scatter_add_cost,
    .grad_needs = kNeedsSecond,
    .may_fail = true,
    .check_second = check_indices_of,
    .also_takes = kComplex};
const OpDef one_hot{.name = "one_hot",
                    .summary = "1 at the index along a new axis, 0 elsewhere; zeros for an index outside",
                    .kind = OpKind::indexed,
                    .min_inputs = 1,
                    .max_inputs = 1,
                    .attrs = kOneHotAttrs,
                    .infer = infer_one_hot,
                    .no_grad = "its input is an integer",
                    .cost = movement_cost};
}  // namespace op

void register_indexing() {
  static const OpDef* const rows[] = {&op::gather, &op::scatter_add, &op::one_hot, &op::resample};
  register_ops(rows);
}

Tensor gather(const Tensor& params, const Tensor& indices, int axis) {
  const int64_t attrs[] = {positive_axis(op::gather, axis, required(op::gather, params).rank())};
  return record(op::gather, attrs, params, indices);
}

Tensor scatter_add(const Tensor& base, const Tensor& indices, const Tensor& updates, int axis) {
  const int64_t attrs[] = {positive_axis(op::scatter_add, axis, required(op::scatter_add, base).rank())};
  return record(op::scatter_add, attrs, base, indices, updates);
}

Tensor one_hot(const Tensor& indices, int64_t depth, DType dtype, int axis) {
  if (is_complex(dtype)) return cast(one_hot(indices, depth, f32, axis), dtype);
  const int at = positive_axis(op::one_hot, axis, required(op::one_hot, indices).rank() + 1);
  const int64_t attrs[] = {depth, static_cast<int64_t>(dtype), at};
  return record(op::one_hot, attrs, indices);
}

void check_indices(const OpDef& op, const Shape& params, int64_t axis, DType index_dtype, const void* indices,
                   int64_t count) {
  const int64_t size = params[static_cast<int>(axis)];
  for (int64_t k = 0; k < count; ++k)
    if (const int64_t index = integer_at(indices, index_dtype, k); index < 0 || index >= size)
      throw_bad_index(op, params, axis, index, k);
}

void throw_bad_index(const OpDef& op, const Shape& params, int64_t axis, int64_t index, int64_t position) {
  throw_invalid(op, cat("index ", index, " at position ", position, " is out of range: axis ", axis, " of shape ",
                        params, " has the indices [0, ", params[static_cast<int>(axis)], ")"));
}

}  // namespace brio
