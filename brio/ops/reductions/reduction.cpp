#include "brio/ops/reductions/reduction.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kReductionAttrs[] = {{"keepdims", AttrKind::flag}, {"axes", AttrKind::list}};

enum class Reduces { numbers, bools };

template <Reduces what>
void infer_reduction(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  if (what == Reduces::numbers && x.dtype == boolean)
    throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  if (what == Reduces::bools && x.dtype != boolean)
    throw_invalid(call.op, cat("takes bool tensors, but got ", x.dtype, "; compare or cast it first"));
  uint32_t mask = 0;
  for (int64_t axis : call.attrs.list(1)) {
    if (axis < 0 || axis >= x.shape.rank())
      throw_invalid(call.op, cat("axis ", axis, " is out of range for shape ", x.shape));
    mask |= 1u << axis;
  }
  Aval& result = out.emplace_back();
  result.dtype = x.dtype;
  for (int i = 0; i < x.shape.rank(); ++i) {
    if (!(mask >> i & 1)) result.shape.push_back(x.shape[i]);
    else if (keeps_dims(call.attrs)) result.shape.push_back(1);
  }
}

Cost reduction_cost(const OpCall& call, std::span<const Aval> out) {
  return {static_cast<double>(call.in[0]->shape.elements()), total_bytes(call, out)};
}

// The cotangent or result of a reduction, with the folded axes back as 1.
Tensor with_dims(const GradContext& g, const Tensor& reduced) {
  if (keeps_dims(g.attrs)) return reduced;
  Shape shape = g.in[0].shape();
  const uint32_t mask = reduced_axes(g.attrs);
  for (int i = 0; i < shape.rank(); ++i)
    if (mask >> i & 1) shape.set(i, 1);
  return reshape(reduced, shape);
}

void grad_sum(GradContext& g) {
  const Tensor& c = g.cotangent();  // a scalar needs no axes to be stretched along
  g.set(0, broadcast_to(c.rank() == 0 ? c : with_dims(g, c), g.in[0].shape()));
}

// Ties share the gradient evenly, as in TensorFlow.
void grad_extreme(GradContext& g) {
  const Tensor& x = g.in[0];
  const Tensor hit = cast(equal(x, with_dims(g, g.out[0])), x.dtype());
  std::vector<int> axes;
  for (int64_t axis : g.attrs.list(1)) axes.push_back(static_cast<int>(axis));
  const Tensor count = sum(hit, Axes(axes), true);
  g.set(0, with_dims(g, g.cotangent()) * (hit / count));
}

// d prod / dx_i = product of the others. Where one factor is zero only it gets a gradient, where two are, none: found
// by counting zeros instead of dividing by x blindly.
void grad_prod(GradContext& g) {
  const Tensor& x = g.in[0];
  std::vector<int> list;
  for (int64_t axis : g.attrs.list(1)) list.push_back(static_cast<int>(axis));
  const Axes axes(list);
  const Tensor one = constant(1, x.dtype()), zero = constant(0, x.dtype());
  const Tensor is_zero = equal(x, zero);
  const Tensor zeros = sum(cast(is_zero, x.dtype()), axes, true);
  const Tensor others = prod(select(is_zero, one, x), axes, true);  // of the factors that are not zero
  const Tensor from_rest = select(is_zero, zero, others / select(is_zero, one, x));
  const Tensor gradient =
      select(equal(zeros, zero), from_rest, select(logical_and(equal(zeros, one), is_zero), others, zero));
  g.set(0, with_dims(g, g.cotangent()) * conj(gradient));
}

Tensor reduce(const OpDef& op, const Tensor& x, const Axes& axes, bool keepdims) {
  if (!x.defined()) throw_invalid(op, "input 0 is none; give it a tensor");
  const uint32_t mask = axes.mask(op, x.shape());
  int64_t attrs[2 + kMaxRank] = {keepdims, 0};
  for (int i = 0; i < x.rank(); ++i)
    if (mask >> i & 1) attrs[2 + attrs[1]++] = i;
  return record(op, std::span<const int64_t>(attrs, static_cast<size_t>(2 + attrs[1])), x);
}

}  // namespace

namespace op {
#define REDUCTION(ident, what, takes_, ...)                    \
  const OpDef ident{.name = #ident,                            \
                    .summary = what,                           \
                    .kind = OpKind::reduction,                 \
                    .min_inputs = 1,                           \
                    .max_inputs = 1,                           \
                    .attrs = kReductionAttrs,                  \
                    .infer = infer_reduction<Reduces::takes_>, \
                    __VA_ARGS__};
REDUCTION(reduce_sum, "sum over axes", numbers, .grad = grad_sum, .cost = reduction_cost, .grad_needs = kNeedsNothing,
          .also_takes = kComplex)
REDUCTION(reduce_prod, "product over axes", numbers, .grad = grad_prod, .cost = reduction_cost,
          .grad_needs = kNeedsFirst, .also_takes = kComplex)
REDUCTION(reduce_max, "largest over axes; NaN wins", numbers, .grad = grad_extreme, .cost = reduction_cost,
          .grad_needs = kNeedsFirst | kNeedsOutput)
REDUCTION(reduce_min, "smallest over axes; NaN wins", numbers, .grad = grad_extreme, .cost = reduction_cost,
          .grad_needs = kNeedsFirst | kNeedsOutput)
REDUCTION(reduce_any, "does any hold?", bools, .no_grad = "its result is bool", .cost = reduction_cost)
REDUCTION(reduce_all, "do all hold?", bools, .no_grad = "its result is bool", .cost = reduction_cost)
#undef REDUCTION
}  // namespace op

namespace op {
static const OpDef* const reduction_rows[] = {&reduce_sum, &reduce_prod, &reduce_max,
                                              &reduce_min, &reduce_any,  &reduce_all};
}
void register_reductions() { register_ops(op::reduction_rows); }

uint32_t Axes::mask(const OpDef& op, const Shape& shape) const {
  if (all_) return (1u << shape.rank()) - 1;
  uint32_t mask = 0;
  for (int axis : axes_) {
    const int positive = axis < 0 ? axis + shape.rank() : axis;
    if (positive < 0 || positive >= shape.rank())
      throw_invalid(op, cat("axis ", axis, " is out of range for shape ", shape, ": it must lie in [", -shape.rank(),
                            ", ", shape.rank(), ")"));
    if (mask >> positive & 1) throw_invalid(op, cat("axis ", axis, " is given twice for shape ", shape));
    mask |= 1u << positive;
  }
  return mask;
}

uint32_t reduced_axes(Attrs attrs) {
  uint32_t mask = 0;
  for (int64_t axis : attrs.list(1)) mask |= 1u << axis;
  return mask;
}

Tensor sum(const Tensor& x, const Axes& axes, bool keepdims) { return reduce(op::reduce_sum, x, axes, keepdims); }
Tensor prod(const Tensor& x, const Axes& axes, bool keepdims) { return reduce(op::reduce_prod, x, axes, keepdims); }
Tensor max(const Tensor& x, const Axes& axes, bool keepdims) { return reduce(op::reduce_max, x, axes, keepdims); }
Tensor min(const Tensor& x, const Axes& axes, bool keepdims) { return reduce(op::reduce_min, x, axes, keepdims); }
Tensor any(const Tensor& x, const Axes& axes, bool keepdims) { return reduce(op::reduce_any, x, axes, keepdims); }
Tensor all(const Tensor& x, const Axes& axes, bool keepdims) { return reduce(op::reduce_all, x, axes, keepdims); }

namespace {

// What the total of a mean is counted in, so that it cannot overflow where the mean itself would fit.
DType wide(DType dtype) {
  if (is_integer(dtype)) return is_signed(dtype) ? i64 : u64;
  return dtype == f16 || dtype == bf16 ? f32 : dtype;
}

}  // namespace

Tensor mean(const Tensor& x, const Axes& axes, bool keepdims) {
  if (!x.defined()) throw_invalid(op::reduce_sum, "input 0 is none; give it a tensor");
  const DType in = wide(x.dtype());
  if (in != x.dtype()) return cast(mean(cast(x, in), axes, keepdims), x.dtype());
  const Tensor total = sum(x, axes, keepdims);
  // The count is part of the structure: it follows from the shapes.
  const uint32_t mask = axes.mask(op::reduce_sum, x.shape());
  Size count = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (mask >> i & 1) count *= x.shape()[i];
  if (is_integer(x.dtype())) {  // cut towards 0, and 0 of nothing, as TensorFlow's
    const Tensor n = constant(max(count, Size(1)), x.dtype());
    return is_signed(x.dtype()) ? floor_div(abs(total), n) * sign(total) : floor_div(total, n);
  }
  return div(total, constant(count, x.dtype()));
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int extra = x.rank() - shape.rank();
  std::vector<int> axes;
  for (int i = 0; i < x.rank(); ++i)
    if (i < extra || (shape[i - extra] == 1 && !(x.shape()[i] == 1))) axes.push_back(i);
  return reshape(sum(x, Axes(axes)), shape);
}

}  // namespace brio
