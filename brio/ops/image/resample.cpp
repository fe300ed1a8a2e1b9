#include "brio/ops/image/resample.h"

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kResampleAttrs[] = {{"axis", AttrKind::integer}};

void infer_resample(const OpCall& call, std::vector<Aval>& out) {
  const Aval &x = *call.in[0], &index = *call.in[1], &weights = *call.in[2];
  const int64_t axis = call.attrs[0];
  if (!is_floating(x.dtype))
    throw_invalid(call.op, cat("takes floating-point tensors, but got ", x.dtype, "; cast it first"));
  if (axis < 0 || axis >= x.shape.rank())
    throw_invalid(call.op, cat("axis ", axis, " is out of range for shape ", x.shape));
  if (index.dtype != i32) throw_invalid(call.op, cat("the index must be int32, but is ", index.dtype, "; cast it"));
  if (index.shape.rank() != 2 || index.shape[0] < 1)
    throw_invalid(call.op, cat("the index has shape ", index.shape, "; it is (taps, new size), with a tap or more"));
  if (weights.dtype != x.dtype || weights.shape != index.shape)
    throw_invalid(call.op, cat("the weights are ", weights.dtype, " of shape ", weights.shape, "; for x of ", x.dtype,
                               " and an index of shape ", index.shape, " they are ", x.dtype, " of that shape"));
  std::vector<Size> dims(x.shape.begin(), x.shape.end());
  dims[static_cast<size_t>(axis)] = index.shape[1];
  out.push_back({checked_shape(call.op, dims), x.dtype});
}

Cost resample_cost(const OpCall& call, std::span<const Aval> out) {
  const auto taps = static_cast<double>(call.in[1]->shape[0]);
  return {2 * taps * static_cast<double>(out[0].shape.elements()), total_bytes(call, out)};
}

std::vector<Tensor> plain_resample(std::span<const Tensor> in, Attrs attrs) {
  const auto axis = static_cast<int>(attrs[0]);
  const int64_t taps = in[1].shape()[0];
  const Size size = in[1].shape()[1];
  std::vector<Size> along(static_cast<size_t>(in[0].rank()), 1);
  along[static_cast<size_t>(axis)] = size;
  Tensor sum;
  for (int64_t t = 0; t < taps; ++t) {
    auto of_tap = [&](const Tensor& all) { return slice(all, {{t, t + 1}, {}}); };
    const Tensor part =
        gather(in[0], reshape(of_tap(in[1]), {size}), axis) * reshape(of_tap(in[2]), std::span<const Size>(along));
    sum = sum.defined() ? sum + part : part;
  }
  return {sum};
}

}  // namespace

namespace op {
const OpDef resample{.name = "resample",
                     .summary = "slices along an axis made of weighted others",
                     .kind = OpKind::composite,
                     .min_inputs = 3,
                     .max_inputs = 3,
                     .attrs = kResampleAttrs,
                     .infer = infer_resample,
                     .grad = [](GradContext& g) { g.through_plain(); },
                     .cost = resample_cost,
                     .plain = plain_resample,
                     .grad_needs = kNeedsThree,
                     .may_fail = true};
}  // namespace op

Tensor resample(const Tensor& x, const Tensor& index, const Tensor& weights, int axis) {
  const int64_t attrs[] = {positive_axis(op::resample, axis, required(op::resample, x).rank())};
  return record(op::resample, attrs, x, index, weights);
}

}  // namespace brio
