#include "brio/ops/control/scan_ops.h"

#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"

namespace brio {
namespace {

constexpr AttrSpec kRunningAttrs[] = {
    {"axis", AttrKind::integer}, {"exclusive", AttrKind::flag}, {"reverse", AttrKind::flag}};

template <bool floats>
void infer_scan(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  if (floats && !is_floating(x.dtype))
    throw_invalid(call.op, cat("takes floating-point tensors, but got ", x.dtype, "; cast it first"));
  if (x.dtype == boolean) throw_invalid(call.op, "takes numbers, but got bool; cast it first");
  if (const int64_t axis = call.attrs[0]; axis < 0 || axis >= x.shape.rank())
    throw_invalid(call.op, cat("axis ", axis, " is out of range for shape ", x.shape));
  out.push_back(x);
}

Tensor scan(const OpDef& op, const Tensor& x, int axis, CumulativeOptions options) {
  const int64_t attrs[] = {positive_axis(op, axis, required(op, x).rank()), options.exclusive, options.reverse};
  return record(op, attrs, x);
}

CumulativeOptions options_of(const GradContext& g) { return {scan_exclusive(g.attrs), scan_reverse(g.attrs)}; }
// What comes behind an element, where the op folded what came before it.
CumulativeOptions turned(const GradContext& g) { return {scan_exclusive(g.attrs), !scan_reverse(g.attrs)}; }

void grad_cumsum(GradContext& g) { g.set(0, cumsum(g.cotangent(), scan_axis(g.attrs), turned(g))); }

// The products that contain x_i, without it: what comes behind of c · z, divided by x_i. The first zero of a row
// cannot be divided out; it is taken for 1 in products of its own. What follows it has the gradient 0.
void grad_cumprod(GradContext& g) {
  const Tensor &x = g.in[0], &c = g.cotangent();
  const int axis = scan_axis(g.attrs);
  const Tensor zero = constant(0, x.dtype()), one = constant(1, x.dtype());
  const Tensor is_zero = equal(x, zero);
  const Tensor before = cumsum(cast(is_zero, x.dtype()), axis, {.exclusive = true, .reverse = scan_reverse(g.attrs)});
  const Tensor first = logical_and(is_zero, equal(before, zero));
  const auto behind = [&](const Tensor& products) { return cumsum(c * products, axis, turned(g)); };
  const Tensor divided = behind(g.out[0]) / select(is_zero, one, x);
  const Tensor of_first = behind(cumprod(select(first, one, x), axis, options_of(g)));
  g.set(0, select(first, of_first, select(greater(before, zero), zero, divided)));
}

// Sums of c_j exp(x_i - z_j) in logarithms, so that nothing overflows: those of positive and of negative c apart.
// Where z is not finite (it folded nothing) there is no such term.
void grad_cumulative_logsumexp(GradContext& g) {
  const Tensor &x = g.in[0], &z = g.out[0], &c = g.cotangent();
  const DType dtype = x.dtype();
  const Tensor zero = constant(0, dtype), one = constant(1, dtype);
  const Tensor nothing = constant(dtype == f16 ? -65504.0 : dtype == f64 ? -1e308 : -3e38, dtype);
  const auto part = [&](const Tensor& size) {
    const Tensor there = logical_and(greater(size, zero), is_finite(z));
    const Tensor logs = select(there, log(select(there, size, one)) - select(there, z, zero), nothing);
    return exp(cumulative_logsumexp(logs, scan_axis(g.attrs), turned(g)) + x);
  };
  g.set(0, part(c) - part(neg(c)));
}

}  // namespace

namespace op {
#define SCAN(ident, what, floats, grad_, needs)                   \
  const OpDef ident{.name = #ident,                               \
                    .summary = what,                              \
                    .kind = OpKind::indexed,                      \
                    .min_inputs = 1,                              \
                    .max_inputs = 1,                              \
                    .attrs = kRunningAttrs,                       \
                    .infer = infer_scan<floats>,                  \
                    .grad = grad_,                                \
                    .cost = elementwise_cost < floats ? 20 : 1 >, \
                    .grad_needs = needs};
SCAN(cumsum, "running sum along an axis", false, grad_cumsum, kNeedsNothing)
SCAN(cumprod, "running product along an axis", false, grad_cumprod, kNeedsFirst | kNeedsOutput)
SCAN(cumulative_logsumexp, "running log(sum(exp(x))) along an axis", true, grad_cumulative_logsumexp,
     kNeedsFirst | kNeedsOutput)
#undef SCAN
}  // namespace op

void register_scan_ops() {
  static const OpDef* const rows[] = {&op::cumsum, &op::cumprod, &op::cumulative_logsumexp};
  register_ops(rows);
}

Tensor cumsum(const Tensor& x, int axis, CumulativeOptions options) { return scan(op::cumsum, x, axis, options); }
Tensor cumprod(const Tensor& x, int axis, CumulativeOptions options) { return scan(op::cumprod, x, axis, options); }
Tensor cumulative_logsumexp(const Tensor& x, int axis, CumulativeOptions options) {
  return scan(op::cumulative_logsumexp, x, axis, options);
}

}  // namespace brio
