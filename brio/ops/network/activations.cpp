#include "brio/ops/network/activations.h"

#include "brio/base/error.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

void check_floating(std::string_view name, const Tensor& x) {
  if (!x.defined()) throw InvalidArgument(cat("[", name, "] input 0 is none; give it a tensor"));
  if (!is_floating(x.dtype()))
    throw InvalidArgument(cat("[", name, "] takes floating-point tensors, but got ", x.dtype(), "; cast it first"));
}

int axis_of(std::string_view name, const Tensor& x, int axis) {
  check_floating(name, x);
  const int rank = x.rank(), positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank)
    throw InvalidArgument(cat("[", name, "] axis ", axis, " is out of range for rank ", rank, ": it must lie in [",
                              -rank, ", ", rank, ")"));
  return positive;
}

// exp(x) - 1 below 0. What is not taken is kept finite: its gradient is multiplied by 0, and 0 · ∞ would be NaN.
Tensor expm1_below(const Tensor& x) { return expm1(minimum(x, like(x, 0))); }

}  // namespace

Tensor relu(const Tensor& x, const ReluOptions& options) {
  check_floating("relu", x);
  const auto& [slope, most, threshold] = options;
  if (slope < 0) throw InvalidArgument(cat("[relu] negative_slope is ", slope, ", but must be 0 or more"));
  if (most && *most < 0) throw InvalidArgument(cat("[relu] max_value is ", *most, ", but must be 0 or more"));
  if (slope != 0 && !most && threshold == 0) return leaky_relu(x, slope);
  Tensor y = threshold != 0 ? select(greater(x, like(x, threshold)), x, like(x, 0)) : relu(x);
  // At 6 without a threshold Keras takes relu6, whose gradient is 0 there.
  if (most) y = *most == 6 && threshold == 0 ? relu6(x) : minimum(maximum(y, like(x, 0)), like(x, *most));
  if (slope == 0) return y;
  return y - like(x, slope) * relu(threshold != 0 ? like(x, threshold) - x : neg(x));
}
// The constant comes first: where both are equal the gradient goes to it.
Tensor relu6(const Tensor& x) {
  check_floating("relu6", x);
  return minimum(like(x, 6), relu(x));
}
Tensor leaky_relu(const Tensor& x, double negative_slope) {
  check_floating("leaky_relu", x);
  return select(greater(x, like(x, 0)), x, x * like(x, negative_slope));
}
Tensor prelu(const Tensor& x, const Tensor& alpha) {
  check_floating("prelu", x);
  return relu(x) - alpha * relu(neg(x));
}
Tensor crelu(const Tensor& x, int axis) {
  const int at = axis_of("crelu", x, axis);
  return concat({relu(x), relu(neg(x))}, at);
}

Tensor elu(const Tensor& x, double alpha) {
  check_floating("elu", x);
  Tensor below = expm1_below(x);
  if (alpha != 1) below = below * like(x, alpha);
  return select(greater(x, like(x, 0)), x, below);
}
Tensor selu(const Tensor& x) {
  check_floating("selu", x);
  constexpr double scale = 1.0507009873554804934193349852946, alpha = 1.6732632423543772848170429916717;
  return select(less(x, like(x, 0)), like(x, scale * alpha) * expm1_below(x), like(x, scale) * x);
}
Tensor celu(const Tensor& x, double alpha) {
  check_floating("celu", x);
  if (alpha == 0) throw InvalidArgument("[celu] alpha is 0, but x is divided by it; give it another");
  const Tensor zero = like(x, 0), a = like(x, alpha);
  return maximum(x, zero) + a * expm1(minimum(x, zero) / a);
}

Tensor gelu(const Tensor& x, bool approximate) {
  check_floating("gelu", x);
  if (!approximate) return x * ndtr(x);
  const Tensor inner = like(x, 0.7978845608028654) * (x + like(x, 0.044715) * x * square(x));  // √(2/π)
  return like(x, 0.5) * x * (like(x, 1) + tanh(inner));
}
Tensor silu(const Tensor& x) {
  check_floating("silu", x);
  return x * sigmoid(x);
}
Tensor mish(const Tensor& x) {
  check_floating("mish", x);
  return x * tanh(softplus(x));
}

Tensor squareplus(const Tensor& x, double b) {
  check_floating("squareplus", x);
  return (x + sqrt(square(x) + like(x, b))) * like(x, 0.5);
}
Tensor sparse_plus(const Tensor& x) {
  check_floating("sparse_plus", x);
  const Tensor one = like(x, 1), inside = like(x, 0.25) * square(x + one);
  return select(less_equal(x, neg(one)), like(x, 0), select(less(x, one), inside, x));
}
Tensor log_sigmoid(const Tensor& x) {
  check_floating("log_sigmoid", x);
  return neg(softplus(neg(x)));
}

Tensor hard_sigmoid(const Tensor& x) {
  check_floating("hard_sigmoid", x);
  return relu6(x + like(x, 3)) / like(x, 6);
}
Tensor hard_silu(const Tensor& x) {
  check_floating("hard_silu", x);
  return x * hard_sigmoid(x);
}
Tensor hard_tanh(const Tensor& x) {
  check_floating("hard_tanh", x);
  return minimum(maximum(x, like(x, -1)), like(x, 1));
}
Tensor sparse_sigmoid(const Tensor& x) {
  check_floating("sparse_sigmoid", x);
  const Tensor zero = like(x, 0), one = like(x, 1), inside = like(x, 0.5) * (x + one);
  return select(less_equal(x, neg(one)), zero, select(greater_equal(x, one), one, inside));
}
Tensor tanh_shrink(const Tensor& x) {
  check_floating("tanh_shrink", x);
  return x - tanh(x);
}
Tensor hard_shrink(const Tensor& x, double threshold) {
  check_floating("hard_shrink", x);
  return select(greater(abs(x), like(x, threshold)), x, like(x, 0));
}
Tensor soft_shrink(const Tensor& x, double threshold) {
  check_floating("soft_shrink", x);
  const Tensor by = like(x, threshold);
  return select(greater(x, by), x - by, select(less(x, neg(by)), x + by, like(x, 0)));
}
Tensor threshold(const Tensor& x, double threshold, double default_value) {
  check_floating("threshold", x);
  return select(greater(x, like(x, threshold)), x, like(x, default_value));
}

Tensor glu(const Tensor& x, int axis) {
  const int at = axis_of("glu", x, axis);
  const Size size = x.shape()[at];
  if (size % 2 != 0)
    throw InvalidArgument(
        cat("[glu] takes two halves, but axis ", axis, " of shape ", x.shape(), " has the odd size ", size));
  std::vector<Range> first(static_cast<size_t>(at) + 1), second(first);
  first.back() = {0, size / 2};
  second.back() = {size / 2, size};
  return slice(x, first) * sigmoid(slice(x, second));
}

// Each number less a common τ, or 0: those above τ sum to 1 then. A number is above it if 1 + k x > s, k and s being
// the count and the sum of those that are not smaller; nothing has to be sorted.
Tensor sparsemax(const Tensor& x, int axis) {
  const int at = axis_of("sparsemax", x, axis);
  const Tensor own = expand_dims(x, at + 1), others = expand_dims(x, at), zero = like(x, 0), one = like(x, 1);
  const Tensor not_smaller = greater_equal(others, own);
  const Tensor count = sum(cast(not_smaller, x.dtype()), at + 1),
               total = sum(select(not_smaller, others, zero), at + 1);
  const Tensor among = stop_gradient(cast(greater(one + count * x, total), x.dtype()));
  const Tensor tau = (sum(among * x, at, true) - one) / sum(among, at, true);
  return maximum(x - tau, zero);
}

}  // namespace brio
