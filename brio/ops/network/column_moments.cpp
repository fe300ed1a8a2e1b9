#include "brio/ops/network/column_moments.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"

namespace brio {
namespace {

DType wide_of(DType dtype) { return dtype == f64 ? f64 : f32; }

void infer_column_moments(const OpCall& call, std::vector<Aval>& out) {
  const Aval& x = *call.in[0];
  if (!is_floating(x.dtype))
    throw_invalid(call.op, cat("takes floating-point tensors, but got ", x.dtype, "; cast it first"));
  if (x.shape.rank() < 2) throw_invalid(call.op, cat("takes tensors of rank 2 or more, but got shape ", x.shape));
  const Aval column{Shape{x.shape[x.shape.rank() - 1]}, wide_of(x.dtype)};
  out = {column, column};
}

Cost column_moments_cost(const OpCall& call, std::span<const Aval> out) {
  return {4 * static_cast<double>(call.in[0]->shape.elements()), total_bytes(call, out)};
}

std::vector<Tensor> plain_column_moments(std::span<const Tensor> in, Attrs) {
  const Tensor x = cast(in[0], wide_of(in[0].dtype()));
  std::vector<int> axes;
  Size count = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) {
    axes.push_back(i);
    count *= x.shape()[i];
  }
  const Tensor total = sum(x, Axes(axes));
  return {total, sum(squared_difference(x, total / constant(count, x.dtype())), Axes(axes))};
}

}  // namespace

namespace op {
const OpDef column_moments{.name = "column_moments",
                           .summary = "sum of each column, and sum of squared differences from its mean",
                           .kind = OpKind::composite,
                           .min_inputs = 1,
                           .max_inputs = 1,
                           .infer = infer_column_moments,
                           .grad = [](GradContext& g) { g.through_plain(); },
                           .cost = column_moments_cost,
                           .plain = plain_column_moments};
}  // namespace op

void register_column_moments() {
  static const OpDef* const rows[] = {&op::column_moments};
  register_ops(rows);
}

}  // namespace brio
